#!/usr/bin/env bash
# Do two builds of the program train the same models? Short trainings of every kind of model with both programs, each
# compared by the bytes of its weights and of its explanations. For code changes that must not change results.
#   same_bytes.sh PROGRAM OTHER [--out DIR] [--only WORD]
# About five minutes on two cores. Exits with 1 where any bytes differ.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,5s/^# *//p' "$0" >&2; exit 2; }
before=$(realpath "$1")
after=$(realpath "$2")
shift 2
out=$(mktemp -d)
keep=
only=
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; keep=yes; shift ;;
    --only) only=$2; shift ;;
    *) sed -n '2,5s/^# *//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
[ -n "$keep" ] || trap 'rm -rf "$out"' EXIT
mkdir -p "$out"
cd "$out"

# The same data for both: tasting notes, and pairs made of them.
if [ ! -e pairs.csv ]; then
  "$before" data generate -n 400 --seed 1 --out notes.jsonl
  python3 - <<'PY'
import csv, json
notes = [json.loads(line) for line in open("notes.jsonl", encoding="utf8")]
with open("pairs.csv", "w", newline="", encoding="utf8") as f:
    out = csv.writer(f)
    out.writerow(["premise", "hypothesis", "label"])
    for a, b in zip(notes, notes[1:]):
        first = a["text"].split(". ")[0]
        out.writerow([first, b["text"].split(". ")[0], "same" if a["look"] == b["look"] else "other"])
with open("texts.txt", "w", encoding="utf8") as f:
    for note in notes[:60]:
        f.write(note["text"] + "\n")
with open("pairs.txt", "w", encoding="utf8") as f:
    for a, b in list(zip(notes, notes[1:]))[:40]:
        f.write(a["text"].split(". ")[0] + "\t" + b["text"].split(". ")[0] + "\n")
PY
fi

failed=0
ran=0
epochs=4
# compare NAME DATA TEXTS flags...: trains with both programs. NAME with "resumed": stopped after an epoch, then resumed.
compare() {
  local name=$1 data=$2 texts=$3 side program
  shift 3
  [[ $name == *$only* ]] || return 0
  for side in before after; do
    program=${!side}
    rm -rf "$name.$side"
    local train=("$program" train "$data" --out "$name.$side" --workers 2 --device cpu "$@")
    [[ " $* " == *" svm "* ]] || train+=(--epochs "$epochs")
    if [[ $name == *resumed* ]]; then
      "${train[@]}" >/dev/null 2>"$name.$side.log" &
      local pid=$!
      until [ -s "$name.$side/metrics.jsonl" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
      kill -INT $pid 2>/dev/null || true
      wait $pid || true
      train+=(--resume)
    fi
    "${train[@]}" >/dev/null 2>>"$name.$side.log" || { echo "$name ($side): $(tail -1 "$name.$side.log")"; failed=1; return 0; }
    "$program" explain "$name.$side" "$texts" --format jsonl --workers 2 >"$name.$side.jsonl"
  done
  ran=$((ran + 1))
  if cmp -s "$name.before/model.safetensors" "$name.after/model.safetensors" &&
    cmp -s "$name.before.jsonl" "$name.after.jsonl"; then
    echo "$name: the same"
  else
    echo "$name: DIFFERENT"
    failed=1
  fi
}

notes() { # NAME flags...
  local name=$1
  shift
  for seed in 1 2; do compare "$name-$seed" notes.jsonl texts.txt --label look --seed $seed "$@"; done
}
pairs() {
  local name=$1
  shift
  for seed in 1 2; do compare "$name-$seed" pairs.csv pairs.txt --preset snli --hidden 32 --seed $seed "$@"; done
}

for encoder in lstm rcnn; do
  for kind in hardkuma bernoulli hard-concrete attention full-text; do
    notes "$kind-$encoder" --model $kind --encoder $encoder
  done
  for kind in hardkuma bernoulli hard-concrete; do
    notes "$kind-$encoder-dependent" --model $kind --encoder $encoder --dependent
  done
done
notes svm --model svm
epochs=12
notes resumed --dependent
notes resumed-full-text --model full-text
notes resumed-bernoulli --model bernoulli
epochs=4
notes paper --controller paper --decision argmax --set objective.lasso=0.02
notes fixed --controller fixed
notes fixed-bernoulli --model bernoulli --controller fixed
notes samples --set objective.samples=2 --set train.predictor_rate=share
notes others --model bernoulli --set objective.samples=3 --set objective.baseline=others
notes shared --set model.shared=true --set objective.entropy=0.05
notes selectors --set model.selectors=2 --set controller.edge=0.3
notes settle --set controller.settle=0.2 --set controller.schedule=linear
notes texts --set objective.share=texts --set train.schedule=plateau
for kind in hardkuma attention full-text svm; do
  compare "score-$kind" notes.jsonl texts.txt --label look_score --model $kind
done
compare logit-normal notes.jsonl texts.txt --label look_score --set model.likelihood=logit-normal
pairs da-hardkuma
pairs da --model da
pairs lstm-pair --model lstm-pair
pairs da-hardkuma-published --controller paper --set model.links=none --set model.shapes=relu
pairs da-hardkuma-intra --set model.intra=true --set objective.samples=2
epochs=12
pairs resumed-pairs
echo "$ran trainings with each program"
exit $failed
