# Input from pipes is read whole, outputs do not meet, and large or deep input meets a limit.
. "$(dirname "$0")/lib.sh"
make_tiny
cd "$work" || exit 1
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "In the glass number %d it is lovely .\n", i }' >long.txt
works explain tiny long.txt
mv out wanted

# all NAME: what was explained from a pipe is what was explained from the file.
all() { cmp -s wanted "$1" || fail "$1: $(wc -l <"$1") results of $(wc -l <wanted), or others"; }
"$HARDKUMA" explain tiny <(cat long.txt) >substituted || fail "a pipe with a name is not explained"
all substituted
mkfifo fifo
cat long.txt >fifo &
timeout 100 "$HARDKUMA" explain tiny fifo >from-fifo || fail "a FIFO is not explained"
all from-fifo
gzip -c long.txt | timeout 100 "$HARDKUMA" explain tiny - >unpacked || fail "a compressed pipe is not explained"
all unpacked
timeout 100 "$HARDKUMA" explain tiny <(gzip -c long.txt) >unpacked-too || fail "a compressed pipe with a name is not explained"
all unpacked-too

# Trained from a pipe, the same model; its fingerprint is of what was read.
mkfifo notes.fifo.jsonl
cat notes.jsonl >notes.fifo.jsonl &
timeout 300 "$HARDKUMA" train notes.fifo.jsonl --label look --out piped "${small_flags[@]}" >o 2>e || fail "no training from a pipe: $(cat e)"
cmp -s tiny/model.safetensors piped/model.safetensors || fail "from a pipe another model is trained"
fingerprint() { grep -o 'fnv1a64:[0-9a-f:]*' "$1/manifest.json"; }
[ -n "$(fingerprint tiny)" ] && [ "$(fingerprint tiny)" = "$(fingerprint piped)" ] || fail "the fingerprint of a pipe is another"

# Two that write the same file: the last one's, whole. It keeps its permissions; nobody's link is followed.
head -n 3000 long.txt >short.txt
"$HARDKUMA" explain tiny long.txt --out both.jsonl 2>e & first=$!
"$HARDKUMA" explain tiny short.txt --out both.jsonl 2>e2 || fail "the second of two is refused: $(cat e2)"
wait $first || fail "the first of two is refused: $(cat e)"
head -n 3000 wanted >wanted-short
cmp -s both.jsonl wanted || cmp -s both.jsonl wanted-short || fail "two outputs were mixed"
echo precious >precious; ln -s precious mine.jsonl.tmp; : >mine.jsonl; chmod 600 mine.jsonl
works explain tiny short.txt --out mine.jsonl
[ "$(stat -c %a mine.jsonl)" = 600 ] || fail "a private output becomes $(stat -c %a mine.jsonl)"
[ "$(cat precious)" = precious ] || fail "a link that was planted is followed"
ls -A | grep -E '\.[0-9a-f]{16}\.tmp$' && fail "a file that was growing is left"

# A name that is not UTF-8, and one that looks like a flag.
odd=$(printf 'caf\351.jsonl')
if cp notes.jsonl "$odd" 2>/dev/null; then
  "$HARDKUMA" train "$odd" --label look --out odd --epochs 100000 --hidden 8 >o 2>e & pid=$!
  wait_until [ -e odd/checkpoint/state.safetensors ]
  kill -INT $pid; wait $pid
  [ $? -eq 130 ] || fail "a name that is not UTF-8 does not train: $(cat e)"
  "$HARDKUMA" train "$odd" --out odd --resume >o 2>e & pid=$!
  wait_until grep -q '"status": "running"' odd/manifest.json
  kill -INT $pid; wait $pid
  [ $? -eq 130 ] || fail "a name that is not UTF-8 does not resume: $(cat e)"
fi
cp notes.jsonl -- -notes.jsonl
works train ./-notes.jsonl --label look --out dashed "${small_flags[@]}"
works sweep --label look --targets 40% --models hardkuma --epochs 1 --hidden 8 --set model.embedding=8 --out dashes -- -notes.jsonl

# --force: refused before anything is removed, and what others keep beside a model stays and is not taken for its.
works train notes.jsonl --label look --out both --set train.full_text=true "${small_flags[@]}"
rm -r both/full-text; mkdir -p both/full-text; echo precious >both/full-text/thesis
refused 1 "both/full-text: holds no manifest.json" train notes.jsonl --label look --out both --set train.full_text=true --force
works explain both text
mkdir -p both/tensorboard/plugins; echo mine >both/tensorboard/notes.txt
works train notes.jsonl --label look --out both --force "${small_flags[@]}"
[ -e both/full-text/thesis ] && [ -d both/tensorboard/plugins ] || fail "--force removed foreign files"
echo edited >both/tensorboard/notes.txt
works explain both text

# Nested a hundred thousand deep, without an end, or wider than its file.
python3 - <<'P'
deep = "[" * 80000 + "]" * 80000
open("deep.jsonl", "w").write('{"text": "a", "look": ' + deep + "}\n")
open("line.txt", "w").write("word " * 6_200_000 + "\n")
open("w.bin", "w").write("1 400000000\nthe abcd")
P
refused 1 "deep.jsonl:1: " explain tiny deep.jsonl
refused 1 "deep.jsonl:1: " train deep.jsonl --label look --out never
refused 1 "deep.jsonl:1: " compare tiny dashed --data deep.jsonl
# A checkpoint that somebody made, checksums and all.
python3 - <<'P'
import json, struct, zlib
data = open("dashed/checkpoint/state.safetensors", "rb").read()
size, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + size])
state = header["__metadata__"]["state"]
header["__metadata__"]["state"] = state[:-1] + ', "deep": ' + "[" * 80000 + "]" * 80000 + "}"
text = json.dumps(header).encode()
data = struct.pack("<Q", len(text)) + text + data[8 + size:]
open("dashed/checkpoint/state.safetensors", "wb").write(data)
manifest = json.load(open("dashed/manifest.json"))
manifest["status"] = "stopped"
manifest["contents"]["checkpoint/state.safetensors"] = f"crc32:{zlib.crc32(data):08x}:{len(data)}"
manifest["checksum"] = own = "crc32:00000000:0000000000"
text = json.dumps(manifest)
open("dashed/manifest.json", "w").write(text.replace(own, f"crc32:{zlib.crc32(text.encode()):08x}:{len(text):010}"))
P
run train ./-notes.jsonl --out dashed --resume
[ "$status" -eq 1 ] && grep -q "not a checkpoint of this run" "$work/err" || fail "--resume with deep nesting: $status $(head -c 300 "$work/err")"

# frugal MEGABYTES PATTERN args…: refused, and never held more than that.
frugal() {
  local most=$1 pattern=$2
  shift 2
  python3 - "$most" "$HARDKUMA" "$@" >frugal.out 2>frugal.err <<'P'
import resource, subprocess, sys
source = open("/dev/zero") if sys.argv[-1] == "-" else subprocess.DEVNULL
status = subprocess.run(sys.argv[2:], stdin=source, timeout=100).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"{peak} MB", file=sys.stderr)
sys.exit(0 if status == 1 and peak <= int(sys.argv[1]) else 3)
P
  [ $? -eq 0 ] && grep -qF -- "$pattern" frugal.err || fail "$*: $(cat frugal.err)"
}
# The program itself, with libtorch, is some 200 MB; a sanitizer keeps shadows of them.
room=$([ -n "${HARDKUMA_SANITIZED:-}" ] && echo 1500 || echo 450)
frugal $room "a line of more than 8 MB" explain tiny line.txt
frugal $room "a line of more than 8 MB" explain tiny -
frugal $room "w.bin: " train notes.jsonl --label look --out never --vectors w.bin
cp -r tiny wide; sed -i 's/^hidden = .*/hidden = 8192/' wide/config.toml
# As a model of a version without checksums, whose settings nothing else checks.
python3 - <<'P'
import json
manifest = json.load(open("wide/manifest.json"))
for field in ("checksum", "contents"):
    manifest.pop(field, None)
json.dump(manifest, open("wide/manifest.json", "w"))
P
frugal $room "too few for model.hidden" explain wide text
for workers in 257 100000 9223372036854775807; do
  refused 2 "--workers" explain tiny short.txt --workers $workers
done
refused 1 "/dev/zero: goes on for more than 8 MB" train notes.jsonl --label look --config /dev/zero

# What is read more than once cannot be a pipe.
mkfifo twice.jsonl
refused 1 "twice.jsonl: a pipe can be read once" evaluate tiny odd twice.jsonl
refused 1 "twice.jsonl: a pipe can be read once" compare tiny odd --data twice.jsonl
refused 1 "twice.jsonl: a pipe can be read once" sweep twice.jsonl --label look --out never

# An open descriptor by its name is written to as it stands.
(echo before; "$HARDKUMA" explain tiny text --out /dev/stdout; "$HARDKUMA" explain tiny text --out /dev/fd/1; echo after) >log 2>e
[ "$(sed -n '1p;$p' log | tr '\n' ' ')" = "before after " ] && [ "$(wc -l <log)" -eq 4 ] || fail "--out /dev/stdout replaces the file: $(cat log e)"
finish
