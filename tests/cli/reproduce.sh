# The paper's experiments on a handful of invented data, of each the whole way.
. "$(dirname "$0")/lib.sh"

works reproduce distribution --out "$work/d"
# a, b, P(0), P(1), P(0 < h < 1), mean, as the formulas give them in sixty digits.
while read -r a b golden; do
  row=$(sed 's/([^)]*)//g' "$work/out" | awk -v a="$a" -v b="$b" '$1 == a && $2 == b { print $3, $4, $5, $6 }')
  [ "$row" = "$golden" ] || fail "distribution: $a $b: $row, not $golden"
done <<'G'
0.6931 0.69315 0.127510 0.139832 0.732658 0.509616
0.5 0.5 0.156599 0.206332 0.637069 0.533333
1 1 0.083333 0.083333 0.833333 0.500000
2 2 0.013841 0.025511 0.960648 0.533333
0.1 0.1 0.140498 0.621969 0.237533 0.751622
5 1 0.000004 0.352772 0.647224 0.833333
1 5 0.352772 0.000004 0.647224 0.166667
0.0708 3.5888 0.998566 0.000000 0.001434 0.000577
G
for figure in 2 7 8 9; do grep -q "<polyline" "$work/d/figure-$figure.svg" || fail "no figure $figure"; done

python3 "$(dirname "$0")/tiny_data.py" "$work"

works reproduce sst --quick --data "$work/sst" --out "$work/r-sst"
for words in "45.84" "not neutral" "There is no test file here" "Figure 4" "hardkuma" "bernoulli"; do
  grep -q "$words" "$work/out" "$work/r-sst/results.md" || fail "sst: no $words: $(cat "$work/out")"
done
for file in index.html results.md tradeoff.svg tradeoff.csv words-kept.svg share-kept.svg; do
  [ -s "$work/r-sst/$file" ] || fail "sst: no $file"
done
python3 - "$work/r-sst" <<'P' || fail "sst: the table is not what the runs came to"
import json, sys
rows = [line.split("|") for line in open(sys.argv[1] + "/results.md") if line.startswith("| hardkuma")]
run = json.load(open(sys.argv[1] + "/runs/hardkuma-40-1/manifest.json"))["results"]["dev"]
assert float(rows[0][4]) == round(100 * run["accuracy"], 1), rows[0]
P
works reproduce sst --quick --data "$work/sst" --out "$work/r-sst"
grep -q "5 of 5 runs are there already" "$work/err" || fail "sst: runs are trained again"

works reproduce snli --quick --data "$work/snli" --out "$work/r-snli"
grep -q "86.0 / 85.5" "$work/out" || fail "snli: nothing published: $(cat "$work/out")"
[ -n "$(find "$work/r-snli" -maxdepth 1 -name '*-right.svg' -o -maxdepth 1 -name '*-wrong.svg')" ] || fail "snli: no maps"

works reproduce beer --quick --data "$work/beer" --out "$work/r-beer"
for words in "98.1 @ 13" ".0088" "Table 1" "Figure 3"; do
  grep -qF -- "$words" "$work/out" "$work/r-beer/results.md" || fail "beer: no $words: $(cat "$work/out")"
done

python3 - "$work/r-beer" <<'P' || fail "beer: the tables are not what the runs came to"
import json, sys
lines = [line.split("|") for line in open(sys.argv[1] + "/results.md")]
result = lambda name: json.load(open(f"{sys.argv[1]}/runs/{name}/manifest.json"))["results"]["test"]
row = next(line for line in lines if line[1:2] == [" HardKuma "])
assert row[3].split()[0] == "%.1f" % (100 * result("hardkuma-look-1")["rationale"]["precision"]), row
row = next(line for line in lines if line[1:2] == [" BiRCNN "])
assert row[3].strip() == "%.4f" % result("full-text-1")["mse"], row
P
# Without some of the files the rest is done, and said.
mkdir "$work/less"
cp "$work"/beer/reviews.aspect0.* "$work/less"
works reproduce beer --quick --data "$work/less" --out "$work/r-less"
for words in "no reviews of smell here" "no reviews of all aspects here" "no annotations.json here"; do
  grep -q "$words" "$work/out" || fail "beer: does not say $words: $(cat "$work/out")"
done
grep -q " 0.0 @" "$work/out" && fail "beer: zeros where nothing was measured"
sed -i 1d "$work/less/reviews.aspect0.train.txt"
refused 1 "a copy of other data" reproduce beer --quick --data "$work/less" --out "$work/r-less"
mkdir "$work/nothing"
refused 1 "reviews.aspect0" reproduce beer --data "$work/nothing" --out "$work/x"

cp "$work/beer/reviews.aspect0.train.txt" "$work/nothing/train.txt"
refused 1 "no dev.txt" reproduce sst --quick --data "$work/nothing" --out "$work/x"
# Mended data are looked at anew as long as nothing was trained.
mkdir "$work/mended"
cp "$work/sst/dev.txt" "$work/mended"
echo "(3 (x bad))" >"$work/mended/train.txt"
run reproduce sst --quick --data "$work/mended" --out "$work/r-mended"
grep -q "mended/train.txt:1" "$work/err" || fail "the broken line is not named as given: $(cat "$work/err")"
cp "$work/sst/train.txt" "$work/mended"
works reproduce sst --quick --data "$work/mended" --out "$work/r-mended"
# What is not its own copy stays.
mkdir -p "$work/r-own/data"
echo mine >"$work/r-own/data/file"
refused 1 "not a copy that reproduce made" reproduce sst --quick --data "$work/sst" --out "$work/r-own"
[ -s "$work/r-own/data/file" ] || fail "reproduce deleted a directory that it did not make"
refused 2 "needs --data" reproduce sst
refused 1 "no such directory" reproduce sst --data "$work/nowhere"
refused 2 "not in" reproduce movies

finish
