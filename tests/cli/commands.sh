# Every verb does what its help says.
. "$(dirname "$0")/lib.sh"

for verb in "" bench demo train evaluate compare sweep reproduce explain data "data generate" "data inspect"; do
  works $verb --help
  grep -qi "usage" "$work/out" || fail "$verb --help has no usage"
done
works --version
works bench --shape latency --json "$work/bench.json"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["latency"]["explain_ms"] > 0' "$work/bench.json" ||
  fail "bench --json wrote no latency"
refused 2 'unknown command "trian"; did you mean "train"?' trian
refused 2 "unknown flag --epohcs; did you mean \"--epochs\"?; see hardkuma train --help" train x --epohcs 3
refused 2 "one argument too many; quote texts with spaces" explain x The room was lovely
refused 2 "see hardkuma --help"

make_tiny
for file in model.safetensors config.toml vocab.txt metrics.jsonl manifest.json report.html checkpoint; do
  [ -e "$work/tiny/$file" ] || fail "train left no $file"
done
grep -q '"status": "finished"' "$work/tiny/manifest.json" || fail "the manifest does not say finished"

works data inspect "$work/notes.jsonl" --label look
grep -q classification "$work/out" || fail "data inspect names no task"

works train x --dump-config --target 20%
grep -q "target = 0.2" "$work/out" || fail "--dump-config shows no target"
cp "$work/out" "$work/dumped.toml"
works train x --config "$work/dumped.toml" --dump-config
cmp -s "$work/out" "$work/dumped.toml" || fail "a dumped config does not come back the same"

works explain "$work/tiny" "In the glass it is lovely."
python3 - "$work/out" <<'P' || fail "explain printed no proper JSON"
import json, sys
line = json.loads(open(sys.argv[1]).read())
assert line["text"] == "In the glass it is lovely."
assert set(line) == {"id", "text", "prediction", "selected", "expected", "argmax", "rationale", "tokens"}
assert all(t["z"] in (0, 1) for t in line["tokens"])
assert [line["text"][t["start"]:t["end"]] for t in line["tokens"]] == ["In", "the", "glass", "it", "is", "lovely", "."]
for span in line["rationale"]:
    assert line["text"][span["start"]:span["end"]] == span["text"]
P

# The share of a text that is asked for, to a word; in one run; or the paper's z.
text="In the glass it is lovely, and the room was as bright as the day is long, they said."
for budget in 10% 0.35 50% 100%; do
  for spans in "" "--spans 2"; do
    works explain "$work/tiny" "$text" --budget "$budget" $spans
    python3 - "$work/out" "$budget" "$spans" <<'P' || fail "--budget $budget $spans was not kept"
import json, sys
line = json.loads(open(sys.argv[1]).read())
share = float(sys.argv[2].rstrip("%")) / (100 if sys.argv[2].endswith("%") else 1)
assert sum(t["z"] == 1 for t in line["tokens"]) == max(1, int(share * len(line["tokens"]) + 0.5))
assert not sys.argv[3] or len(line["rationale"]) <= 2
P
  done
done
works explain "$work/tiny" "$text" --fractional
refused 2 "--spans goes with --budget" explain "$work/tiny" x --spans 2
refused 2 "--budget selects words whole; drop it or --fractional" explain "$work/tiny" x --budget 5% --fractional
refused 2 "--budget is a share: did you mean 15%?" explain "$work/tiny" x --budget 15
refused 2 "--budget must be above 0% and at most 100%" evaluate "$work/tiny" "$work/notes.jsonl" --budget 0
works evaluate "$work/tiny" "$work/notes.jsonl" --budget 20% --json -
python3 - "$work/out" <<'P' || fail "evaluate --budget did not keep its budget"
import json, sys
e = json.load(open(sys.argv[1]))
assert abs(e["selected_micro"] - 0.2) < 0.005 and {"expected", "argmax"} <= set(e)
P
grep -q "^threshold = 0.0$" "$work/tiny/config.toml" && fail "training left no threshold"
python3 - "$work/tiny/manifest.json" <<'P' || fail "the manifest does not say what calibration did"
import json, sys
r = json.load(open(sys.argv[1]))["results"]
assert r["threshold"] > 0 and "selected_micro" in r["before_calibration"]
assert abs(r["dev"]["selected_micro"] - r["target"]) <= 0.02
P
printf 'id,Text\n1,good\n' >"$work/caps.csv"
works explain "$work/tiny" "$work/caps.csv"
printf 'first 🍺 text\n\nthird\n' | "$HARDKUMA" explain "$work/tiny" >"$work/out" || fail "explain from stdin failed"
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "explain gave not one line per line of stdin"
works explain "$work/tiny" "$work/notes.jsonl" --format html --out "$work/page.html"
grep -q "<mark" "$work/page.html" || fail "the page marks nothing"
works explain "$work/tiny" "$work/notes.jsonl" --format text
works explain "$work/tiny" "$work/notes.jsonl" --format csv
python3 - "$work/out" "$work/notes.jsonl" <<'P' || fail "--format csv is no table of the texts"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf8", newline="")))
texts = [json.loads(line)["text"] for line in open(sys.argv[2], encoding="utf8")]
assert [row["text"] for row in rows] == texts
assert all(run in row["text"] for row in rows for run in row["rationale"].split(" … "))
P
"$HARDKUMA" explain "$work/tiny" "$work/notes.jsonl" | head -1 >/dev/null || fail "explain complains when its reader leaves"

works evaluate "$work/tiny" "$work/notes.jsonl" --json "$work/eval.json"
grep -q "trained on texts of this file" "$work/err" || fail "evaluate does not say that it measures training texts"
python3 - "$work/eval.json" <<'P' || fail "evaluate wrote no proper JSON"
import json, sys
e = json.load(open(sys.argv[1]))
assert e["examples"] == 120 and 0 <= e["accuracy"] <= 1 and len(e["interval"]) == 2
assert {"precision", "recall", "f1"} <= set(e["rationale"])
P
works evaluate "$work/tiny" "$work/notes.jsonl" --part test --json -
python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$work/out" || fail "--json - is not JSON alone"

# A CSV of one's own, quoted, with a BOM and CRLF; regression found from the labels.
{ printf '\xef\xbb\xbfreview,rating\r\n'; for i in $(seq 1 60); do printf '"a ""fine"" text, number %d",%d.5\r\n' "$i" $((i % 5)); done; } >"$work/own.csv"
works train "$work/own.csv" --out "$work/own" "${small_flags[@]}"
works explain "$work/own" "a fine text"
grep -q '"value":' "$work/out" || fail "a regression model gives no value"
finish
