# Bad input gets one clear line, a non-zero exit, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"
make_tiny
cd "$work" || exit 1
out="$work/never"
train() { refused "$1" "$2" train "$3" --out "$out" "${small_flags[@]}" "${@:4}"; [ -e "$out" ] && fail "$3 left $out behind"; rm -rf "$out"; }
rows() { for i in $(seq 1 40); do echo "some text $i,$((i % 2))"; done; }

train 1 "no such file or directory" missing.csv
printf 'text,label\n' >head.csv; train 1 "no examples" head.csv
: >empty.csv; train 1 "empty.csv: the file is empty" empty.csv
: >empty.jsonl; train 1 "no examples in the file" empty.jsonl
{ echo text,label; rows; } >good.csv
train 1 'no column "txt"; did you mean "text"?; there are: text, label' good.csv --text txt
train 1 'no column "stars"; there are: text, label' good.csv --label stars
{ echo body2,verdict; rows; } >odd.csv; train 1 "no text column; name it with --text (there are: body2, verdict)" odd.csv
{ echo text,label; rows | sed 's/,.$/,1/'; } >one.csv; train 1 'every label is "1"' one.csv
{ echo text,label; rows; echo 'x,y,z'; } >wide.csv; train 1 "wide.csv:42: 3 fields where the header has 2" wide.csv
{ echo text,label; rows; echo 'x,high'; } >label.csv; train 1 'label.csv:42: label "high" is not a number' label.csv --task regression
{ echo text,label; rows; printf 'na\xefve,1\n'; } >latin.csv; train 1 "latin.csv:42: broken UTF-8" latin.csv
{ echo text,label; rows; printf 'nul\0byte,1\n'; } >nul.csv; train 1 "nul.csv:42: NUL byte" nul.csv
{ echo text,label; rows; printf '"never closed,1\n'; } >quote.csv; train 1 "quote.csv:42: a quoted field is never closed" quote.csv
{ echo text,label; rows; yes word | head -1000000 | tr '\n' ' '; echo ',1'; } >long.csv
train 1 "long.csv:42: a text of 1,000,000 tokens, more than the limit of 20,000; cut long texts with --truncate" long.csv
printf '{"text":"a","label":1}\n{"text":\n' >bad.jsonl; train 1 "bad.jsonl:2: not valid JSON" bad.jsonl
printf '(3 (2 a) (3 b))\n(3 (2 a)\n' >bad.txt; train 1 "bad.txt:2:" bad.txt
gzip -c good.csv | head -c 60 >cut.csv.gz; train 1 "cut.csv.gz: cannot read" cut.csv.gz
printf 'some 1 2 3\ntext 1 2\n' >mixed.txt; refused 1 "mixed.txt:2: 2 numbers where the first line has 3" train good.csv --out "$out" --vectors mixed.txt
refused 1 "nowhere.txt: cannot open" train good.csv --out "$out" --vectors nowhere.txt
[ -e "$out" ] && fail "bad vectors left $out behind"
mkdir nothing; train 1 "no train.csv" nothing

# Settings.
refused 1 'unknown key "train.epoch"; did you mean "train.epochs"?' train good.csv --set train.epoch=3
refused 1 "did you mean 15%?" train good.csv --target 15
refused 1 "must be a whole number" train good.csv --epochs many
refused 2 'did you mean "sst"?' train good.csv --preset sstt
printf '[train]\nbatchsize = 3\n' >c.toml; refused 1 'c.toml:2: unknown key "train.batchsize"' train good.csv --config c.toml
refused 1 "nowhere.toml: cannot open" train good.csv --config nowhere.toml

refused 1 "train.milestones must be epochs" train good.csv --out "$out" --set train.schedule=multistep --set train.milestones=abc
printf '[train]\n# caf\xe9\n' >latin.toml; refused 1 "latin.toml:2: broken UTF-8" train good.csv --config latin.toml
refused 1 "--set: objective.run_length has no effect here" train good.csv --controller paper --set objective.run_length=3
refused 1 "command line: objective.target has no effect here" train good.csv --model full-text --target 20%
refused 1 "did you mean 15%?" demo --target 15 --out "$out"
[ -e "$out" ] && fail "a refused setting left $out behind"

# Output that is there already, and output that cannot be written.
cp -r tiny before
refused 1 "exists and is not empty" train notes.jsonl --label look --out tiny
diff -r tiny before >/dev/null || fail "a refused run changed the model"
refused 1 "missing.csv: no such file" train missing.csv --out tiny --force
diff -r tiny before >/dev/null || fail "--force removed a model before it knew the data was good"
mkdir mine; echo x >mine/file
refused 1 "exists and is not empty" train notes.jsonl --label look --out mine --resume 2>/dev/null
refused 1 "mine: holds no manifest.json that hardkuma wrote" train notes.jsonl --label look --out mine --force
refused 1 "cannot" train notes.jsonl --label look --out /proc/nowhere/model
mkfifo pipe; cat pipe >/dev/null & works data generate -n 3 --out pipe
[ -p pipe ] || fail "a pipe was replaced by a file"
"$HARDKUMA" evaluate tiny notes.jsonl >/dev/full 2>err && fail "evaluate does not notice a full disk"
"$HARDKUMA" explain tiny notes.jsonl >/dev/full 2>err && fail "explain does not notice a full disk"
grep -q "No space left" err || fail "a full disk is not named: $(cat err)"

# A disk that fills up in the middle of training.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=100k tmpfs small 2>/dev/null; then
  run train notes.jsonl --label look --out small/m "${small_flags[@]}"
  [ "$status" -eq 1 ] || fail "a full disk in training exits with $status"
  grep -q "No space left on device" "$work/err" || fail "a full disk in training is not named: $(tail -1 "$work/err")"
  find small -name '*.tmp' -o -name '*.next' | grep -q . && fail "a full disk leaves half-written files"
  umount small
else
  echo "skipped: no tmpfs to fill (needs root)"
fi

# Models that are none.
refused 1 "no such directory" explain nowhere "text"
refused 1 "not a model directory" explain nothing "text"
refused 1 "not a directory" explain good.csv "text"
for file in model.safetensors config.toml vocab.txt; do
  rm -rf hurt; cp -r tiny hurt
  head -c 100 tiny/$file >hurt/$file
  run explain hurt "text"
  [ "$status" -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] || fail "a truncated $file: exit $status, $(cat "$work/err")"
done
# A flipped byte in any file: one line that names it.
find tiny -type f | sort | while read -r file; do
  rm -rf hurt; cp -r tiny hurt
  python3 - "hurt/${file#tiny/}" <<'P'
import sys
bytes = bytearray(open(sys.argv[1], "rb").read())
bytes[len(bytes) // 2] ^= 1
open(sys.argv[1], "wb").write(bytes)
P
  "$HARDKUMA" explain hurt "text" >o 2>e </dev/null && echo "FAIL: hurt/${file#tiny/} is read"
  grep -qF "hurt/${file#tiny/}: is damaged" e && [ "$(wc -l <e)" -eq 1 ] || echo "FAIL: hurt/${file#tiny/}: $(cat e)"
done >flips
[ -s flips ] && fail "$(cat flips)"
rm -rf hurt; cp -r tiny hurt; rm hurt/report.html; rm -r hurt/checkpoint hurt/tensorboard
works explain hurt "text"  # what prediction does not need may go
rm hurt/vocab.txt
refused 1 "hurt/vocab.txt: is missing" explain hurt "text"
refused 1 "no such file" explain tiny nowhere.txt
works explain tiny "$(yes 'a long text' | head -200 | tr '\n' ' ')"
refused 1 "broken UTF-8" explain tiny latin.csv --out page
[ -e page ] && fail "a refused explain left its output"
printf 'ok\nb\xff\n' >broken.txt
"$HARDKUMA" explain tiny broken.txt >o 2>e; [ $? -eq 1 ] || fail "broken UTF-8 is explained"
[ "$(wc -l <o)" -eq 1 ] || fail "the good line before a broken one is not explained"
printf '{"text":"a","look":"wonderful"}\n' >new.jsonl
refused 1 'new.jsonl:1: label "wonderful" does not occur in training' evaluate tiny new.jsonl
yes word | head -1000000 | tr '\n' ' ' >million.txt
refused 1 "more than the limit of 20,000" explain tiny million.txt
works explain tiny million.txt --truncate
finish
