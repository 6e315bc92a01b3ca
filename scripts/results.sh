#!/usr/bin/env bash
# Reproduces the tables of docs/results.md: the default and the published controller on tasting notes,
# SST and beer reviews. Takes about an hour on two cores; HARDKUMA_DATA names the data directory.
#   results.sh [OUT]      default OUT: build/results
set -euo pipefail
cd "$(dirname "$0")/.."
: "${HARDKUMA_DATA:?set it to the directory that holds sst/, beer/ and glove/}"
./scripts/build.sh hardkuma-cli
hardkuma=build/release/hardkuma
out=${1:-build/results}
vectors=$HARDKUMA_DATA/glove/glove.6B.100d.txt.gz
mkdir -p "$out/notes" "$out/beer-look"

# 2,000 notes to train on, 500 to choose by.
"$hardkuma" data generate -n 2000 --seed 1 --out "$out/notes/train.jsonl"
"$hardkuma" data generate -n 500 --seed 2 --out "$out/notes/dev.jsonl"

# "0.90 0.70 …<tab>tokens" as a table of the first score and the first 256 tokens.
for part in train:train heldout:dev; do
  zcat "$HARDKUMA_DATA/beer/reviews.aspect0.${part%:*}.txt.gz" | awk -F'\t' '
    BEGIN { print "label\ttext" }
    { split($1, score, " "); gsub(/"/, "\"\"", $2); n = split($2, word, " "); text = ""
      for (i = 1; i <= n && i <= 256; i++) text = text (i > 1 ? " " : "") word[i]
      print score[1] "\t\"" text "\"" }' >"$out/beer-look/${part#*:}.tsv"
done

# The annotated reviews, token ranges of aspect 0 turned into character spans.
python3 - "$HARDKUMA_DATA/beer/annotations.json" >"$out/beer-look-annotated.jsonl" <<'P'
import json, sys

for line in open(sys.argv[1]):
    review = json.loads(line)
    starts, at = [], 0
    for word in review["x"]:
        starts.append(at)
        at += len(word) + 1
    spans = [[starts[a], starts[b - 1] + len(review["x"][b - 1])] for a, b in review["0"] if b > a]
    record = {"text": " ".join(review["x"]), "label": review["y"][0]}
    if spans:
        record["rationale"] = spans
    print(json.dumps(record))
P

# train NAME DATA flags...: skipped where it is finished already, resumed where it was stopped.
train() {
  local name=$1 data=$2
  shift 2
  "$hardkuma" train "$data" --out "$out/$name" --resume "$@" 2>"$out/$name.log" >"$out/$name.txt"
}
beer_constants=(--set controller.paper_alpha=0.5 --set controller.paper_eta=0.05
  --set controller.lambda=1e-5 --set controller.lambda_max=5)

for seed in 1 2 3; do
  train "sst-40-default-$seed" "$HARDKUMA_DATA/sst" --preset sst --vectors "$vectors" --seed $seed
done
for controller in default paper; do
  for target in 5 15 40; do
    train "notes-$target-$controller" "$out/notes" --label look --target $target% --controller $controller
  done
  constants=()
  [ $controller = paper ] && constants=("${beer_constants[@]}")
  train "beer-13-$controller" "$out/beer-look" --target 13% --tokenizer whitespace --vectors "$vectors" \
    --controller $controller "${constants[@]}"
  train "sst-20-$controller" "$HARDKUMA_DATA/sst" --preset sst --vectors "$vectors" --target 20% \
    --set train.full_text=false --controller $controller
done
train "sst-40-paper" "$HARDKUMA_DATA/sst" --preset sst --vectors "$vectors" --target 40% \
  --set train.full_text=false --controller paper

python3 - "$out" <<'P'
import glob, json, os, sys

print("| run | target | chosen epoch | dev | selected, words | selected, texts | last five epochs, texts |")
print("|---|---|---|---|---|---|---|")
paths = glob.glob(os.path.join(sys.argv[1], "*", "metrics.jsonl"))
paths += glob.glob(os.path.join(sys.argv[1], "*", "full-text", "metrics.jsonl"))
for path in sorted(paths):
    name = os.path.relpath(os.path.dirname(path), sys.argv[1])
    epochs = [json.loads(line) for line in open(path)]
    chosen = [e for e in epochs if e["chosen"]][-1]
    dev = chosen["dev"]
    metric = f"MSE {dev['mse']:.4f}" if "mse" in dev else f"{100 * dev['accuracy']:.1f}%"
    if "rationale" in dev:
        metric += f", precision {100 * dev['rationale']['precision']:.1f}%"
    last = [100 * e["dev"]["selected_macro"] for e in epochs[-5:]]
    target = "–" if name.endswith("full-text") else name.split("-")[1] + "%"
    print(f"| {name} | {target} | {chosen['epoch']} | {metric} | {100 * dev['selected_micro']:.1f}% | "
          f"{100 * dev['selected_macro']:.1f}% | {min(last):.1f} – {max(last):.1f}% |")
P

echo
for controller in default paper; do
  "$hardkuma" evaluate "$out/beer-13-$controller" "$out/beer-look-annotated.jsonl"
done
