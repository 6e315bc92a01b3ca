# A long input is explained in constant memory, in order, as it comes.
. "$(dirname "$0")/lib.sh"
make_tiny
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "In the glass number %d it is lovely , dull and fine .\n", i }' >"$work/long.txt"
head -n 2000 "$work/long.txt" >"$work/short.txt"

# Peak resident memory of a command, in kB.
peak() { python3 - "$@" <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=open("/dev/null", "w"), check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
P
}
# A sanitizer holds back what was freed, to find late uses.
export ASAN_OPTIONS=quarantine_size_mb=1
few=$(peak "$HARDKUMA" explain "$work/tiny" "$work/short.txt")
many=$(peak "$HARDKUMA" explain "$work/tiny" "$work/long.txt")
echo "peak memory: $few kB for 2,000 lines, $many kB for 100,000"
[ "$many" -lt $((few + 40000)) ] || fail "memory grows with the input: $few kB, then $many kB"

works explain "$work/tiny" "$work/long.txt"
python3 - "$work/out" "$work/long.txt" <<'P' || fail "the output is not in input order"
import json, sys
with open(sys.argv[1]) as out, open(sys.argv[2]) as source:
    count = 0
    for line, text in zip(out, source, strict=True):
        assert json.loads(line)["text"] == text.rstrip("\n")
        count += 1
    assert count == 100000
P

# Nobody has to close the pipe to see the first answer.
mkfifo "$work/in"
"$HARDKUMA" explain "$work/tiny" - <"$work/in" >"$work/first" 2>&1 &
pid=$!
exec 9>"$work/in"
echo "the first line" >&9
for _ in $(seq 1 100); do [ -s "$work/first" ] && break; sleep 0.1; done
grep -q "the first line" "$work/first" || fail "explain waits for the end of its input"
exec 9>&-
wait $pid || fail "explain from a pipe failed"

# Ctrl-C ends a run that waits for input, and leaves no half-written file.
mkfifo "$work/silent"
"$HARDKUMA" explain "$work/tiny" - --out "$work/page" <"$work/silent" 2>/dev/null &
pid=$!
exec 9>"$work/silent"
echo "one line" >&9
sleep 2
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "Ctrl-C did not stop explain"
[ -e "$work/page" ] && fail "a stopped explain left its output"
exec 9>&-
finish
