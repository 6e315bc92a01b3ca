# Pairs of texts: train, evaluate and explain; what is wrong with them is said in a line.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# "the COLOUR ANIMAL …" twice: do the colours agree? e-SNLI's stars around them.
python3 - <<'P'
import csv, json, random

random.seed(4)
colours = ["red", "blue", "green", "black"]
things = ["cat", "dog", "bird", "horse", "cow"]
verbs = ["sleeps", "runs", "eats", "waits"]


def pair():
    a, b = random.choice(colours), random.choice(colours)
    if random.random() < 0.5:
        b = a
    first = ["the", a, random.choice(things), random.choice(verbs)]
    second = ["a", b, random.choice(things)]
    return ("same" if a == b else "other"), first, second


def marked(words):
    return " ".join([words[0], f"*{words[1]}*"] + words[2:])


for name, count in (("train", 400), ("dev", 80)):
    with open(f"{name}.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["pairID", "gold_label", "Sentence1", "Sentence2", "Sentence1_marked_1", "Sentence2_marked_1"])
        for i in range(count):
            label, first, second = pair()
            out.writerow([f"{name}{i}", "-" if i == 3 else label, " ".join(first), " ".join(second),
                          marked(first), marked(second)])
with open("snli.jsonl", "w") as file:
    for i in range(60):
        label, first, second = pair()
        file.write(json.dumps({"gold_label": label, "sentence1": " ".join(first), "sentence2": " ".join(second),
                               "sentence1_binary_parse": "( " + " ".join(first) + " )",
                               "sentence2_binary_parse": "( " + " ".join(second) + " )"}) + "\n")
P
mkdir esnli && mv train.csv dev.csv esnli/
given=(--preset snli --hidden 16 --set data.unknown_classes=3 --epochs 4 --workers 2)
flags=("${given[@]}" --set model.embedding=16)

for kind in da-hardkuma da lstm-pair; do
  works train esnli --out "$kind" --model "$kind" "${flags[@]}"
  grep -q '2 pairs without a gold label ("-") left out' err || fail "$kind: undecided pairs: $(cat err)"
  works evaluate "$kind" esnli/dev.csv --json "$kind.json"
  python3 - "$kind.json" <<'P' || fail "$kind: evaluation: $(cat "$kind.json")"
import json, sys
e = json.load(open(sys.argv[1]))
assert e["examples"] == 79 and e["cells"] == 79 * 20, e
assert 0 <= e["accuracy"] <= 1 and e["rationale"]["words"] == 79 * 7, e
P
done
# Vectors of length one for the words that have any, a class by MD5 for the others; stopped and gone on.
python3 - <<'P'
import random
random.seed(1)
with open("vectors.txt", "w") as file:
    for word in ["the", "a", "red", "blue", "green", "cat", "dog"]:
        file.write(word + " " + " ".join(f"{random.uniform(-9, 9):.3f}" for _ in range(6)) + "\n")
P
works train esnli --out vectors "${given[@]}" --vectors vectors.txt
grep -q "vocabulary of 7 words" err || fail "words with vectors: $(cat err)"
works train esnli --out vectors --resume
grep -q "already finished" err || fail "a finished run of pairs is not known: $(cat err)"
works explain vectors "the red qwertz" "a red dog" --format jsonl
works train snli.jsonl --out fromjson --set model.intra=true "${flags[@]}"

# The same by every road, offsets in the texts as given.
works explain da-hardkuma "the red cat sleeps" "a red dog" --format jsonl
cp out one.jsonl
printf 'the red cat sleeps\ta red dog\n' | "$HARDKUMA" explain da-hardkuma >two.jsonl || fail "pairs from stdin"
cmp -s one.jsonl two.jsonl || fail "arguments and stdin disagree"
printf 'premise,hypothesis\nthe red cat sleeps,a red dog\n' >pair.csv
works explain da-hardkuma pair.csv
cmp -s one.jsonl out || fail "arguments and CSV disagree"
python3 - <<'P' || fail "alignment JSON: $(cat one.jsonl)"
import json
e = json.loads(open("one.jsonl").read())
assert e["first"] == "the red cat sleeps" and e["second"] == "a red dog"
cells = e["cells"]
assert cells["rows"] == [None, "the", "red", "cat", "sleeps"] and cells["columns"] == [None, "a", "red", "dog"]
for name in ("z", "p0", "p1"):
    assert len(cells[name]) == 5 and all(len(row) == 4 for row in cells[name])
for row0, row1 in zip(cells["p0"], cells["p1"]):
    assert all(0 <= a <= 1 and 0 <= b <= 1 and a + b <= 1.0001 for a, b in zip(row0, row1))
open_cells = sum(z > 0 for row in cells["z"] for z in row)
assert len(e["links"]) == open_cells and abs(e["selected"] - open_cells / 20) < 1e-5
for link in e["links"]:
    for side in ("first", "second"):
        if link[side]:
            assert e[side][link[side]["start"]:link[side]["end"]] == link[side]["text"]
P
works explain da-hardkuma "the red cat" "a red dog" --format svg
python3 -c 'import sys, xml.dom.minidom as x; assert len(x.parse("out").getElementsByTagName("rect")) == 16' ||
  fail "the SVG does not parse"
works explain da-hardkuma pair.csv --format html
grep -q '<svg' out || fail "no heat map in the page"
works explain da-hardkuma "the red cat" "a red dog" --format text

# An empty side is predicted; a million words are refused, or cut.
for pair in $'\ta red dog' $'the red cat\t' $'\t'; do
  printf '%s\n' "$pair" | "$HARDKUMA" explain da-hardkuma >out 2>err || fail "an empty side: $(cat err)"
  [ "$(wc -l <out)" -eq 1 ] || fail "an empty side has no answer"
done
printf 'premise\thypothesis\n%s\ta dog\n' "$(yes word | head -10000 | tr '\n' ' ')" >long.tsv
refused 1 'long.tsv:2: a text of 10,000 tokens, more than the limit of 1,000 for a side of a pair' \
  explain da-hardkuma long.tsv
works explain da-hardkuma long.tsv --truncate

printf 'label,premise\nx,A man\n' >missing.csv
refused 1 'missing.csv:1: no column for the second text of a pair; name it with --second (there are: label, premise)' \
  train missing.csv --preset snli --out never
refused 1 'no column "hypo"' train esnli --preset snli --second hypo --out never
printf 'label,premise,hypothesis\nx,A man,\ny,A dog,A cat\n' >empty.csv
refused 1 'empty.csv:2: the second text is empty' train empty.csv --preset snli --out never
# Swapped: the hypotheses as labels.
python3 -c 'import random
print("label,premise,hypothesis")
for i in range(100): print(random.choice(["yes", "no"]) + f",a man {i},some dog {i}")' >swapped.csv
refused 1 'different labels in' train swapped.csv --preset snli --label hypothesis --second label --out never
refused 1 'is to be both texts of a pair' train swapped.csv --preset snli --second premise --out never
refused 1 'models of pairs are trained with --preset snli' train swapped.csv --out never
python3 -c 'print("score,text1,text2")
for i in range(100): print(f"{i / 7},a man {i},some dog {i}")' >numbers.csv
refused 1 'pairs of texts are classified, but the labels are numbers' train numbers.csv --preset snli --out never
refused 1 'objective.run_length has no effect here' train esnli --model da --set objective.run_length=3 --out never
works train esnli --model da --epochs 1 --hidden 8 --out plain-da  # what the preset says of texts is let be
printf 'label,Sentence1,Sentence2\nperhaps,the red cat,a red dog\n' >unknown.csv
refused 1 'label "perhaps" does not occur in training (there: other, same)' evaluate da-hardkuma unknown.csv
refused 2 'this model reads pairs; give two texts' explain da-hardkuma "one text"
printf 'no tab here\n' >lines.txt
refused 1 'lines.txt:1: not a pair; write two texts with one tab between them' explain da-hardkuma lines.txt
make_tiny
refused 2 'shows the links of a pair; this model has none' explain tiny "one text" --format svg
refused 2 'shows the links of a pair; this model has none' explain da "a text" "another" --format svg
refused 2 'is a file, not a text' explain da-hardkuma pair.csv pair.csv
refused 2 'this model reads single texts' explain tiny pair.csv --second hypothesis
refused 1 'data.second has no effect here: it acts with models of pairs of texts; start from --preset snli' \
  train pair.csv --text premise --second hypothesis --out never
refused 1 'gold spans of pairs are read from columns like Sentence1_marked_1' \
  train snli.jsonl --preset snli --gold spans --out never
printf 'label,text\nx,one\n' >single.csv
refused 1 'no column for the first text of a pair; name it with --text (there are: label, text)' \
  evaluate da-hardkuma single.csv
[ -e never ] && fail "a refused run left its directory"
finish
