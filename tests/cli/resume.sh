# SIGKILL at random moments, --resume, and the same bytes at the end. Ctrl-C saves and says how to go on.
. "$(dirname "$0")/lib.sh"
works data generate -n 400 --seed 3 --out "$work/notes.jsonl"
flags=(train "$work/notes.jsonl" --label look --epochs 12 --hidden 24 --workers 2)
start=$(date +%s%N)
works "${flags[@]}" --out "$work/whole"
took=$(( ($(date +%s%N) - start) / 1000000 ))
RANDOM=${SEED:-$$}
echo "seed $RANDOM; an undisturbed run takes $took ms"

for round in 1 2 3; do
  out="$work/killed$round"
  kills=0
  for attempt in $(seq 1 12); do
    "$HARDKUMA" "${flags[@]}" --out "$out" --resume >/dev/null 2>"$work/err" &
    pid=$!
    if [ "$attempt" -lt 12 ]; then
      sleep "$(awk -v r=$RANDOM -v t=$took 'BEGIN { printf "%.3f", (0.1 + r / 32768) * t / 3000 }')"
      kill -9 $pid 2>/dev/null
    fi
    wait $pid 2>/dev/null
    result=$?
    [ "$result" -eq 137 ] && kills=$((kills + 1))
    [ "$result" -eq 0 ] && break
  done
  [ "$kills" -gt 0 ] || fail "round $round was never killed"
  cmp "$work/whole/model.safetensors" "$out/model.safetensors" || fail "round $round ($kills kills) ends in other bytes"
  cmp "$work/whole/metrics.jsonl" "$out/metrics.jsonl" || fail "round $round ends in other metrics"
  echo "round $round: killed $kills times"
done

"$HARDKUMA" "${flags[@]}" --out "$work/stopped" >/dev/null 2>"$work/err" &
pid=$!
sleep "$(awk -v t=$took 'BEGIN { printf "%.3f", t / 2000 }')"
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "Ctrl-C does not exit with 130"
grep -q -- "go on with: hardkuma train .* --resume" "$work/err" || fail "Ctrl-C does not say how to go on: $(cat "$work/err")"
# The line it prints is the one to paste: without the other flags.
works train "$work/notes.jsonl" --out "$work/stopped" --resume
cmp "$work/whole/model.safetensors" "$work/stopped/model.safetensors" || fail "a stopped run ends in other bytes"

refused 2 "drop the flags that differ" train "$work/notes.jsonl" --out "$work/stopped" --resume --epochs 99
cp "$work/notes.jsonl" "$work/copy.jsonl"; rm -rf "$work/other"
"$HARDKUMA" train "$work/copy.jsonl" --label look --epochs 5000 --hidden 24 --out "$work/other" >/dev/null 2>&1 & pid=$!
until [ -e "$work/other/checkpoint/state.safetensors" ]; do sleep 0.1; done
kill -9 $pid; wait $pid 2>/dev/null
head -n 300 "$work/notes.jsonl" >"$work/copy.jsonl"
run train "$work/copy.jsonl" --out "$work/other" --resume
[ "$status" -eq 1 ] && grep -q "was begun on other data" "$work/err" || fail "a run resumes on other data: $(cat "$work/err")"

# The same with the full-text model trained first: stopped there, the bare --resume knows all settings.
both=(train "$work/notes.jsonl" --label look --target 30% --epochs 6 --hidden 12 --workers 2 --set train.full_text=true)
works "${both[@]}" --out "$work/both"
"$HARDKUMA" "${both[@]}" --out "$work/again" >/dev/null 2>&1 & pid=$!
until [ -e "$work/again/full-text/checkpoint/state.safetensors" ]; do sleep 0.05; done
kill -9 $pid; wait $pid 2>/dev/null
works train "$work/notes.jsonl" --out "$work/again" --resume
for file in model.safetensors full-text/model.safetensors config.toml; do
  cmp "$work/both/$file" "$work/again/$file" || fail "full text and hardkuma, killed: $file differs"
done
# One at a time: a second training into the same directory is refused, and disturbs nothing.
"$HARDKUMA" "${flags[@]}" --out "$work/locked" >/dev/null 2>&1 & pid=$!
until [ -e "$work/locked/checkpoint/state.safetensors" ]; do sleep 0.05; done
run "${flags[@]}" --out "$work/locked" --resume
[ "$status" -eq 1 ] && grep -q "another training writes here" "$work/err" || fail "two trainings share a directory: $(cat "$work/err")"
wait $pid
cmp "$work/whole/model.safetensors" "$work/locked/model.safetensors" || fail "a refused second training changed the first"
# Killed while it was writing its first file.
mkdir "$work/early"; echo "{" >"$work/early/config.toml.tmp"
works "${flags[@]}" --out "$work/early" --resume
cmp "$work/whole/model.safetensors" "$work/early/model.safetensors" || fail "a run killed at its first file ends in other bytes"
finish
