# Runs side by side, and what TensorBoard shows of them.
. "$(dirname "$0")/lib.sh"

make_tiny
works train "$work/notes.jsonl" --label look --target 30% --epochs 3 --hidden 8 --set model.embedding=8 --workers 2 \
  --seed 2 --out "$work/other"

works compare "$work/tiny" "$work/other" --html "$work/c.html" --svg "$work/svg" --json "$work/c.json"
grep -q "95%" "$work/out" || fail "compare prints no intervals"
for chart in rate selected loss; do
  grep -q "<polyline" "$work/svg/$chart.svg" || fail "compare drew no $chart.svg"
done
[ "$(grep -o "<svg" "$work/c.html" | wc -l)" = 3 ] || fail "compare's page has not three charts"
python3 - "$work/c.json" <<'P' || fail "compare wrote no proper JSON"
import json, sys
first, second = json.load(open(sys.argv[1]))["runs"]
d = second["metric_difference"]
assert abs(d["difference"] - (second["accuracy"] - first["accuracy"])) < 1e-9
assert d["low"] <= d["difference"] <= d["high"]
assert "metric_difference" not in first
P
works compare "$work/tiny" "$work/tiny" --part dev --json -
python3 -c 'import json, sys; d = json.load(sys.stdin)["runs"][1]["metric_difference"]; assert set(d.values()) == {0}' \
  <"$work/out" || fail "a run differs from itself"

head -40 "$work/notes.jsonl" >"$work/some.jsonl"
works train "$work/some.jsonl" --label look --epochs 2 --hidden 4 --set model.embedding=4 --out "$work/third"
refused 1 "not measured on the same texts" compare "$work/tiny" "$work/third"
works compare "$work/tiny" "$work/third" --data "$work/some.jsonl"
refused 2 "compare needs two runs or more" compare "$work/tiny"
refused 1 "no-such-run" compare "$work/tiny" no-such-run

# By the reader's own format, with the same numbers as metrics.jsonl.
/usr/bin/python3 "$HARDKUMA_SOURCE/tests/cli/read_events.py" "$work"/other/tensorboard/* >"$work/scalars.json" ||
  fail "the event file cannot be read"
python3 - "$work/scalars.json" "$work/other/metrics.jsonl" <<'P' || fail "the events are not the metrics"
import json, sys
scalars = json.load(open(sys.argv[1]))
epochs = [json.loads(line) for line in open(sys.argv[2])]
for tag, value in [("loss/train", lambda e: e["train_loss"]), ("rate/selected_dev", lambda e: e["dev"]["selected_micro"])]:
    assert [s for s, _ in scalars[tag]] == [e["steps"] for e in epochs]
    assert all(abs(v - value(e)) < 1e-5 * max(1, abs(v)) for (_, v), e in zip(scalars[tag], epochs))
assert [s for s, _ in scalars["rate/goal"]] == [t[0] for e in epochs for t in e.get("trace", [])]
P

finish
