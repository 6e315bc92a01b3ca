# Helpers for tests that run the program. $HARDKUMA is the binary.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# run NAME args...: stdout in $work/out, stderr in $work/err, status in $status.
run() {
  "$HARDKUMA" "$@" >"$work/out" 2>"$work/err" </dev/null
  status=$?
}

# refused STATUS PATTERN args...: exits so, says one line on stderr that holds PATTERN, prints nothing.
refused() {
  local want=$1 pattern=$2
  shift 2
  run "$@"
  [ "$status" -eq "$want" ] || fail "$* : exit $status, not $want: $(cat "$work/err")"
  grep -qF -- "$pattern" "$work/err" || fail "$* : stderr lacks '$pattern': $(cat "$work/err")"
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$* : stderr is not one line: $(cat "$work/err")"
  [ -s "$work/out" ] && fail "$* : printed to stdout: $(head -c 200 "$work/out")"
}

works() {
  run "$@"
  [ "$status" -eq 0 ] || fail "$* : exit $status: $(cat "$work/err")"
}

# wait_until COMMAND…: until it succeeds, for twelve seconds at most.
wait_until() {
  for _ in $(seq 600); do "$@" 2>/dev/null && return; sleep 0.02; done
  fail "timed out waiting for: $*"
}

# A tiny model to explain with: $work/tiny.
small_flags=(--epochs 3 --hidden 8 --set model.embedding=8 --workers 2)
make_tiny() {
  works data generate -n 120 --seed 3 --out "$work/notes.jsonl"
  works train "$work/notes.jsonl" --label look --out "$work/tiny" "${small_flags[@]}"
}

finish() {
  [ "$failures" -eq 0 ] && echo "all good" && exit 0
  exit 1
}
