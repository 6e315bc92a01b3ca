# A terminal that goes away, messages that nobody can read, signals, and texts that would steer it.
. "$(dirname "$0")/lib.sh"
works data generate -n 300 --seed 3 --out "$work/notes.jsonl"
flags=(train "$work/notes.jsonl" --label look --hidden 12 --set model.embedding=12 --workers 2)
long=("${flags[@]}" --epochs 40)
works "${long[@]}" --out "$work/whole"

# same NAME WANTED STATUS: the training ended with this status, and is the undisturbed one.
same() {
  [ "$3" -eq "$2" ] || fail "$1: exit $3, not $2"
  cmp -s "$work/whole/model.safetensors" "$work/$1/model.safetensors" || fail "$1: not the same model"
}
"$HARDKUMA" "${long[@]}" --out "$work/piped" 2>&1 >/dev/null </dev/null | head -1 >/dev/null
same piped 0 "${PIPESTATUS[0]}"
"$HARDKUMA" "${long[@]}" --out "$work/full" 2>/dev/full >/dev/null </dev/null
same full 0 $?
"$HARDKUMA" "${long[@]}" --out "$work/closed" 2>&- >/dev/null </dev/null
same closed 0 $?
"$HARDKUMA" "${long[@]}" --out "$work/all-closed" 2>&- >&- <&-
[ $? -lt 128 ] || fail "a training without descriptors crashes"
cmp -s "$work/whole/model.safetensors" "$work/all-closed/model.safetensors" || fail "all-closed: not the same model"

# An error that cannot be said is an error still.
"$HARDKUMA" explain "$work/nowhere" text 2>&- >/dev/null
[ $? -eq 1 ] || fail "an error with stderr closed does not exit with 1"
"$HARDKUMA" explain "$work/nowhere" text 2>/dev/full >/dev/null
[ $? -eq 1 ] || fail "an error on a full device does not exit with 1"
"$HARDKUMA" trian 2>/dev/full >/dev/null
[ $? -eq 2 ] || fail "a wrong command on a full device does not exit with 2"

begun() { wait_until [ -e "$work/$1/checkpoint/state.safetensors" ]; }
endless=("${flags[@]}" --epochs 100000)
go_on() {
  "$HARDKUMA" train "$work/notes.jsonl" --out "$work/$1" --resume >/dev/null 2>"$work/err" & local pid=$!
  wait_until grep -q '"status": "running"' "$work/$1/manifest.json"
  kill -TERM $pid
  wait $pid
  [ $? -eq 130 ] || fail "$1: does not go on: $(cat "$work/err")"
}
saved() {
  [ "$2" -eq 130 ] || fail "$1: exit $2, not 130"
  grep -q '"status": "stopped"' "$work/$1/manifest.json" || fail "$1: not saved as stopped"
  go_on "$1"
}
"$HARDKUMA" "${endless[@]}" --out "$work/hangup" >/dev/null 2>&1 & pid=$!
begun hangup
kill -HUP $pid; kill -HUP $pid
wait $pid
saved hangup $?

# As under nohup: a hangup that the caller ignores stays ignored.
(trap '' HUP; exec "$HARDKUMA" "${long[@]}" --out "$work/nohup" >/dev/null 2>&1) & pid=$!
begun nohup
kill -HUP $pid
wait $pid
same nohup 0 $?

# A window that is closed: the hangup, and every message after it an error.
python3 - "$HARDKUMA" "${endless[@]}" --out "$work/window" <<'P'
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
state = os.path.join(sys.argv[-1], "checkpoint", "state.safetensors")
while not os.path.exists(state):
    os.read(terminal, 4096)
os.close(terminal)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
P
saved window $?

# A limit on the size of files is an error like a full disk.
make_tiny
(ulimit -f 1; exec "$HARDKUMA" explain "$work/tiny" "$work/notes.jsonl" --out "$work/large.jsonl") 2>"$work/err"
[ $? -eq 1 ] && grep -q "File too large" "$work/err" || fail "a file over the limit: $(cat "$work/err")"
[ -e "$work/large.jsonl" ] && fail "a file over the limit was left"

# Commands that have nothing to save end at once.
mkfifo "$work/silent.jsonl"
for command in "data inspect $work/silent.jsonl" "evaluate $work/tiny $work/silent.jsonl" \
  "train $work/silent.jsonl --out $work/never" "explain $work/tiny $work/silent.jsonl --out $work/never.jsonl"; do
  exec 9<>"$work/silent.jsonl"
  "$HARDKUMA" $command >/dev/null 2>&1 & pid=$!
  sleep 1
  kill -TERM $pid
  (sleep 10; kill -9 $pid 2>/dev/null) & guard=$!
  wait $pid
  case $? in 130 | 143) ;; *) fail "$command does not end on SIGTERM" ;; esac
  kill -9 $guard 2>/dev/null
  exec 9>&-
done

# What texts, labels and names hold is shown, never obeyed.
escape=$(printf '\033]0;owned\007\033[31m')
python3 - "$work/steer.csv" "$escape" <<'P'
import csv, sys
with open(sys.argv[1], "w", newline="") as out:
    rows = csv.writer(out)
    rows.writerow(["text", "label"])
    for i in range(60):
        good = i % 2
        rows.writerow([f"{sys.argv[2]} a {'lovely' if good else 'dreadful'} pour {i}", sys.argv[2] + ("good" if good else "bad")])
P
quiet() {
  run "$@"
  cat "$work/out" "$work/err" | grep -q "$(printf '\033')" && fail "$1 lets an escape sequence through"
}
quiet data inspect "$work/steer.csv"
quiet train "$work/steer.csv" --out "$work/steered" "${small_flags[@]}"
[ "$status" -eq 0 ] || fail "labels with escape sequences: $(cat "$work/err")"
quiet evaluate "$work/steered" "$work/steer.csv"
quiet explain "$work/steered" "${escape}lovely"
python3 - "$work/steer.csv" "$work/column.csv" "$escape" <<'P'
import sys
rows = open(sys.argv[1]).read()
open(sys.argv[2], "w").write(rows.replace("text,label", "text," + sys.argv[3] + "mood", 1))
P
quiet train "$work/column.csv" --label "${escape}mood" --out "$work/column$escape" "${small_flags[@]}"
[ "$status" -eq 0 ] || fail "a column with escape sequences: $(cat "$work/err")"
quiet explain "$work/column$escape" "$work/tiny" "lovely" --format text
[ "$status" -eq 0 ] || fail "two models, one of such a column: $(cat "$work/err")"
quiet explain "$work/tiny$escape" text
python3 - "$HARDKUMA" explain "$work/steered" "${escape}lovely" <<'P' || fail "an escape sequence reaches the terminal"
import os, pty, sys
shown = b""
def read(terminal):
    global shown
    data = os.read(terminal, 4096)
    shown += data
    return data
sys.stdout.flush()
pty.spawn(sys.argv[1:], read)
sys.exit(b"\x1b]0;" in shown or b"\x07" in shown)
P
finish
