# Links and widths of the documentation, and every command that it shows, on tiny data.
. "$(dirname "$0")/lib.sh"
here=$(realpath "$(dirname "$0")")
python3 "$here/docs.py" "$HARDKUMA_SOURCE" check >"$work/faults" || fail "$(cat "$work/faults")"

# The files that the pages may name.
mkdir -p "$work/given" "$work/bin"
export HARDKUMA_DATA=$work/data REAL=$HARDKUMA
python3 "$here/tiny_data.py" "$HARDKUMA_DATA"
works data generate -n 300 --seed 5 --out "$work/notes.jsonl"
python3 - "$work" <<'P'
import csv, gzip, json, os, random, sys
random.seed(1)
work = sys.argv[1]
notes = [json.loads(line) for line in open(f"{work}/notes.jsonl", encoding="utf8")]
given = lambda name: open(f"{work}/given/{name}", "w", newline="", encoding="utf8")
with given("reviews.csv") as file:
    csv.writer(file).writerows([("text", "label"), *((n["text"], n["look"]) for n in notes)])
with given("more.csv") as file:
    csv.writer(file).writerows([("text",), *((n["text"],) for n in notes[:5])])
with given("reviews.jsonl") as file:
    for n in notes:
        print(json.dumps({"text": n["text"], "label": n["look"], "rationale": n["look_spans"]}), file=file)
first = [n["text"].split(" . ")[0] + " ." for n in notes]
with given("pairs.csv") as file:
    rows = [(a, b, x["look"] == y["look"]) for a, b, x, y in zip(first, first[1:], notes, notes[1:])]
    csv.writer(file).writerows([("premise", "hypothesis", "label"), *((a, b, "same" if s else "other") for a, b, s in rows)])
with given("pairs.txt") as file:
    print("A man sleeps .\tHe is awake .", file=file)
words = sorted({w for n in notes for w in n["text"].split()})
for path in (f"{work}/given/glove.txt.gz", f"{work}/data/glove/glove.6B.100d.txt.gz"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(path, "wt", encoding="utf8") as file:
        for word in words:
            print(word, *(f"{random.gauss(0, 1):.3f}" for _ in range(10)), file=file)
P

# The program as the pages call it, but with few epochs, seeds and targets, and no GPU.
cat >"$work/bin/hardkuma" <<'P'
#!/usr/bin/env python3
import os, sys
args = sys.argv[1:]
def given(flag):
    return flag in args
def put(flag, value):
    if given(flag):
        args[args.index(flag) + 1] = value
    else:
        args.extend([flag, value])
if given("--device"):
    put("--device", "cpu")
verb = args[0] if args else ""
network = verb in ("train", "sweep") and "svm" not in args
if network and not given("--resume"):
    put("--epochs", "2")
    put("--hidden", "8")
if verb == "sweep":
    put("--targets", "10,100%")
    put("--seeds", "1")
if verb == "reproduce" and "distribution" not in args and not given("--quick"):
    args.append("--quick")
if verb == "demo":
    put("-n", "100")
if verb == "bench":
    put("--rounds", "1")
os.execv(os.environ["REAL"], [os.environ["REAL"], *args])
P
chmod +x "$work/bin/hardkuma"
export PATH=$work/bin:$PATH

count=0
for page in README.md $(cd "$HARDKUMA_SOURCE" && ls docs/*.md); do
  rm -rf "$work/page"
  cp -r "$work/given" "$work/page"
  cd "$work/page" || exit 1
  while read -r command; do
    case $command in
      ./scripts/* | HARDKUMA_DATA=* | cmake* | ninja* | ctest* | apt-get* | python3*) continue ;;
    esac
    count=$((count + 1))
    timeout 300 bash -c "$command" >"$work/out" 2>"$work/err" </dev/null ||
      fail "$page: $command: $? $(tail -3 "$work/err")"
  done < <(python3 "$here/docs.py" "$HARDKUMA_SOURCE" commands "$page")
done
[ "$count" -ge 30 ] || fail "only $count commands were found"
echo "$count commands ran"
finish
