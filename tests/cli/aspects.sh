# Beer reviews as Lei et al. name their files; every model; several aspects in one text.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# A small beer directory of our own, out of tasting notes.
works data generate -n 150 --seed 5 --out notes.jsonl
python3 - <<'P'
import gzip, json, os, re

os.mkdir("beer")
notes = [json.loads(line) for line in open("notes.jsonl")]
aspects = ["look", "smell", "palate"]


def words(note):
    return re.findall(r"\w+|[^\w\s]", note["text"])


def line(note):
    scores = [note[a + "_score"] for a in aspects] + [0.5, 0.5]
    return " ".join(f"{s:.2f}" for s in scores) + "\t" + " ".join(words(note)) + "\n"


for k in range(3):
    for split, some in (("train", notes[:90]), ("heldout", notes[90:120])):
        with gzip.open(f"beer/reviews.aspect{k}.{split}.txt.gz", "wt") as file:
            file.writelines(map(line, some))
for split, some in (("train", notes[:90]), ("heldout", notes[90:120])):
    with open(f"beer/reviews.260k.{split}.txt", "w") as file:
        file.writelines(map(line, some))
with open("beer/annotations.json", "w") as file:
    for note in notes[120:]:
        record = {"x": words(note), "y": [note[a + "_score"] for a in aspects] + [0.5, 0.5]}
        record.update({str(k): [[0, 4]] if k < 2 else [] for k in range(5)})
        file.write(json.dumps(record) + "\n")
P

refused 1 "beer reviews have five scores; name one with --aspect: look, smell" train beer --out never
refused 1 'no aspect "lok"; did you mean "look"?' train beer --aspect lok --out never
[ -e never ] && fail "a refused run left its directory"

tiny=(--preset beer --epochs 3 --hidden 8 --set model.embedding=8 --workers 2)
for aspect in look smell; do works train beer --aspect $aspect --out $aspect "${tiny[@]}"; done
works train beer --aspect 2 --out palate "${tiny[@]}"
works train beer --aspect all --out all "${tiny[@]}"
for model in bernoulli hard-concrete attention full-text svm; do
  flags=("${tiny[@]}")
  [ $model = svm ] && flags=(--preset beer --workers 2)  # it is no network
  works train beer --aspect look --model $model --out $model "${flags[@]}"
  works evaluate $model beer --json $model.json
  works explain $model "A dark pour."
  works explain $model ""
done
works train beer --aspect look --model bernoulli --controller fixed --no-baseline --out published "${tiny[@]}"
works train beer --aspect look --set model.likelihood=logit-normal --out normal "${tiny[@]}"
works train beer --aspect look --set data.binarise=0.4,0.6 --out binary "${tiny[@]}"
works evaluate binary beer --json -
grep -q '"accuracy"' out || fail "a binarised model is not measured by accuracy"
for model in svm full-text bernoulli; do
  flags=("${small_flags[@]}")
  [ $model = svm ] && flags=(--workers 2)
  works train notes.jsonl --label look --model $model --out class-$model "${flags[@]}"
done

works evaluate look beer --json one.json
works evaluate look smell beer --json two.json
grep -q "^pooled" out || fail "several models have no pooled row"
python3 - <<'P' || fail "evaluate's JSON is not what it should be"
import json

one, two = json.load(open("one.json")), json.load(open("two.json"))
assert one["aspect"] == "look" and one["examples"] == 30 and one["rationale"]["examples"] == 30
assert one["rationale"]["gold"] == 120 and "mse" in one
first, second = two["models"]
assert (first["aspect"], second["aspect"]) == ("look", "smell")
for key in ("hits", "selected", "gold", "words"):
    assert two["pooled"]["rationale"][key] == first["rationale"][key] + second["rationale"][key]
P
works evaluate all beer
grep -q "MSE of look .*MSE of overall" out || fail "a model of all aspects has no error for each: $(cat out)"
refused 1 "one by one" evaluate look binary beer
refused 2 "evaluate needs a model and DATA" evaluate look

works evaluate look beer/annotations.json
grep -q "trained on" err && fail "annotated reviews are called training texts"
works train beer --aspect look --model svm --out svm --resume --preset beer
grep -q "already finished" err || fail "a finished svm is trained again"
cut -f2 <(zcat beer/reviews.aspect0.heldout.txt.gz) | sed 's/.*/{"text":"&","all":0.5}/' >table.jsonl
refused 1 "1 scores where the model predicts 5" evaluate all table.jsonl
works explain look "A dark pour ."
grep -q '"aspect":"look"' out || fail "explain does not name the aspect"
works explain all "A dark pour ."
grep -q '"values":{"look":' out || fail "a model of all aspects does not name its values"
works explain look smell palate beer/annotations.json
python3 - <<'P' || fail "explaining by several models gives no proper JSON"
import json

lines = [json.loads(line) for line in open("out")]
assert len(lines) == 30
for line in lines:
    assert set(line) == {"id", "text", "aspects"} and set(line["aspects"]) == {"look", "smell", "palate"}
    for aspect in line["aspects"].values():
        for span in aspect["rationale"]:
            assert line["text"][span["start"]:span["end"]] == span["text"]
P
works explain look smell palate beer/reviews.aspect0.heldout.txt.gz --format html --out page.html
grep -q 'class="chip"' page.html || fail "the page names no aspects"
printf 'A dark pour .\n' | "$HARDKUMA" explain look smell --format text >out || fail "several models do not read stdin"
grep -q "^look .* · smell " out || fail "the text does not name its aspects: $(cat out)"
refused 1 'both explain "look"' explain look bernoulli "A dark pour."
refused 2 "A is no model directory" explain look smell A dark pour.
refused 1 "anotations.json: no such file" explain look anotations.json
finish
