# The curve over targets: what is trained once is not trained again, however the sweep ended.
. "$(dirname "$0")/lib.sh"

# Like refused, after the line that says how many runs there are.
refused_late() {
  local want=$1 pattern=$2
  shift 2
  run "$@"
  [ "$status" -eq "$want" ] && grep -qF -- "$pattern" "$work/err" || fail "$* : exit $status: $(cat "$work/err")"
}

works data generate -n 150 --seed 3 --out "$work/notes.jsonl"
flags=("$work/notes.jsonl" --label look --hidden 8 --set model.embedding=8)
small=(sweep "${flags[@]}" --targets 20,40,100% --models hardkuma,bernoulli --seeds 2 --epochs 4)

works "${small[@]}" --out "$work/whole"
grep -q "runs warned; see" "$work/out" || fail "warnings of the runs are kept back: $(cat "$work/out")"
[ "$(wc -l <"$work/whole/sweep.csv")" = 11 ] || fail "sweep.csv has not a head and ten runs"
grep -q "full text" "$work/out" || fail "the table lacks the full text"
grep -q "<polyline" "$work/whole/sweep.svg" || fail "no curve is drawn"
grep -q "precision" "$work/whole/sweep.html" || fail "the page lacks precision"
python3 - "$work/whole" <<'P' || fail "sweep.csv is not what the runs came to"
import csv, json, os, sys
for row in csv.DictReader(open(os.path.join(sys.argv[1], "sweep.csv"))):
    share = "" if row["target"] == "1" else "-%g" % (100 * float(row["target"]))
    name = row["model"].replace(" ", "-") + share + "-" + row["seed"]
    run = json.load(open(os.path.join(sys.argv[1], "runs", name, "manifest.json")))["results"][row["split"]]
    assert abs(run["accuracy"] - float(row["accuracy"])) < 1e-5
    assert abs(run["selected_micro"] - float(row["selected_micro"])) < 1e-5
    for share in ["expected", "argmax"]:
        assert row[share] == "" if share not in run else abs(run[share] - float(row[share])) < 1e-5
P
# Again: nothing to do. More of it: only what is new.
works "${small[@]}" --out "$work/whole"
grep -q "10 of 10 runs are there already" "$work/err" || fail "finished runs are not known: $(cat "$work/err")"
works sweep "${flags[@]}" --targets 20,30,..,40% --models hardkuma --seeds 2 --epochs 4 --out "$work/whole"
grep -q "6 of 8 runs are there already" "$work/err" || fail "a target more trains others again: $(cat "$work/err")"
refused_late 1 "model.dropout was -1.0 and is now 0.3" "${small[@]}" --set model.dropout=0.3 --out "$work/whole"

# Killed outright, and stopped: the same command goes on, and what was finished stays as it was.
long=(sweep "${flags[@]}" --targets 10,20,..,60% --seeds 2 --epochs 25 --jobs 2)
# until_said PATTERN COUNT: the sweep in the background has printed it so often, or has ended.
until_said() {
  while [ "$(grep -c "$1" "$work/err")" -lt "$2" ] && kill -0 $pid 2>/dev/null; do sleep 0.1; done
}
stamp() { find "$work/killed/runs" -name manifest.json -exec grep -l '"finished"' {} + | sort | xargs stat -c '%n %Y %i'; }
"$HARDKUMA" "${long[@]}" --out "$work/killed" >/dev/null 2>"$work/err" & pid=$!
until_said "^[0-9]*/14" 3
stamp >"$work/before"
kill -9 $pid || fail "the sweep had ended before it was killed"
wait $pid 2>/dev/null
: >"$work/err" # not to be taken for what the next one says
"$HARDKUMA" "${long[@]}" --out "$work/killed" >/dev/null 2>"$work/err" & pid=$!
until_said "^[0-9]*/14" 1
kill -INT $pid; wait $pid
[ $? = 130 ] || fail "a stopped sweep does not end with 130"
grep -q "the same command goes on" "$work/err" || fail "a stopped sweep does not say how to go on: $(cat "$work/err")"
pgrep -f "$work/killed/runs" >/dev/null && fail "runs go on after the sweep was stopped"
works "${long[@]}" --out "$work/killed"
grep -q "of 14 runs are there already" "$work/err" || fail "what was finished was forgotten"
stamp >"$work/after"
[ "$(wc -l <"$work/before")" -ge 3 ] || fail "nothing was finished before it was killed"
comm -23 "$work/before" "$work/after" | grep -q . && fail "finished runs were trained again"
# Stopped half way or not, a run comes to the same.
works train "$work/notes.jsonl" --config "$work/killed/runs/hardkuma-30-2.toml" --out "$work/alone"
cmp "$work/alone/model.safetensors" "$work/killed/runs/hardkuma-30-2/model.safetensors" ||
  fail "a run of the sweep is not the run alone"

# From the next higher target's weights.
works sweep "${flags[@]}" --targets 20,30,40% --seeds 1 --epochs 4 --warm-start --out "$work/warm"
grep -q 'start = .*hardkuma-30-1' "$work/warm/runs/hardkuma-20-1/config.toml" || fail "no warm start"
python3 - "$work/warm/runs" <<'P' || fail "a warm start warms up"
import json, sys
first = json.loads(open(sys.argv[1] + "/hardkuma-20-1/metrics.jsonl").readline())
cold = json.loads(open(sys.argv[1] + "/hardkuma-40-1/metrics.jsonl").readline())
assert first["goal"] < 0.9 and cold["goal"] == 1, (first["goal"], cold["goal"])
P
refused 1 "knows other words" train "$work/notes.jsonl" --label smell --set data.min_count=40 --hidden 8 \
  --set model.embedding=8 --set "train.start=$work/alone" --out "$work/x"
refused 1 "the settings ask for" train "$work/notes.jsonl" --label look --hidden 9 --set model.embedding=8 \
  --set "train.start=$work/alone" --out "$work/x"
[ -e "$work/x" ] && fail "a refused start leaves something"
cp -r "$work/alone" "$work/itself"
refused 2 "which --force would replace" train "$work/notes.jsonl" --config "$work/killed/runs/hardkuma-30-2.toml" \
  --set "train.start=$work/itself" --force --out "$work/itself"
[ -s "$work/itself/model.safetensors" ] || fail "the model to start from is gone"
refused_late 1 "train.start was" sweep "${flags[@]}" --targets 20,25,30,40% --seeds 1 --epochs 4 --warm-start \
  --out "$work/warm"
ls "$work/warm/runs" | grep -q hardkuma-25 && fail "a refused sweep leaves a plan"

# What cannot be.
for bad in "5,x:not a number" "5,..,20%:two numbers" "5,10,..:where does" "5,10:did you mean" "0,10%:above 0%" \
  "20,10,..,50%:does not come"; do
  refused 2 "${bad#*:}" sweep "${flags[@]}" --targets "${bad%%:*}" --out "$work/bad"
done
works sweep "${flags[@]}" --targets 10,20,..,40% --seeds 1 --epochs 2 --out "$work/dots"
works sweep "${flags[@]}" --targets 10,30,40% --seeds 1 --epochs 2 --out "$work/dots"
grep -q "4 of 4 runs are there already" "$work/err" || fail "30% by dots is not 30%: $(cat "$work/err")"
refused 2 "one is named twice" sweep "${flags[@]}" --models hardkuma,hardkuma --out "$work/bad"
refused 2 "takes --targets" sweep "${flags[@]}" --target 10% --out "$work/bad"
refused 2 "exclude each other" sweep "${flags[@]}" --model bernoulli --models hardkuma --out "$work/bad"
refused 2 "0 or more" sweep "${flags[@]}" --jobs -1 --out "$work/bad"
refused 2 "where at most" sweep "${flags[@]}" --seeds 100000 --out "$work/bad"
refused 2 "no rate to sweep" sweep "${flags[@]}" --models full-text --out "$work/bad"
refused 1 "no-such-file" sweep no-such-file.csv --out "$work/bad"
[ -e "$work/bad" ] && fail "a refused sweep leaves something"
works data generate -n 150 --seed 4 --out "$work/notes.jsonl"
refused_late 1 "was begun on other data" "${small[@]}" --out "$work/whole"

finish
