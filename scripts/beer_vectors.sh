#!/usr/bin/env bash
# Word vectors from the beer reviews' own texts: 200 dimensions, like the paper's, skip-grams by fastText, about five
# minutes on one core (several cores are faster, but not deterministic).
#   beer_vectors.sh DIRECTORY OUT.vec      DIRECTORY holds reviews.*.train.txt.gz
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
command -v fasttext >/dev/null || { echo "fasttext is missing: apt-get install fasttext" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The file with the reviews of all aspects, if there is one.
files=("$1"/reviews.all.train.txt* "$1"/reviews.260k.train.txt* "$1"/reviews.aspect?.train.txt*)
for file in "${files[@]}"; do
  [ -e "$file" ] || continue
  zcat -f "$file" | cut -f2 >>"$work/texts"
  case $file in *.aspect?.*) ;; *) break ;; esac
done
[ -s "$work/texts" ] || { echo "$1: no reviews.*.train.txt.gz" >&2; exit 1; }
fasttext skipgram -input "$work/texts" -output "$work/beer" -dim 200 -ws 5 -epoch 5 -minCount 3 -maxn 0 -thread 1 \
  >"$work/log" 2>&1 || { tail -1 "$work/log" >&2; exit 1; }
mv "$work/beer.vec" "$2"
