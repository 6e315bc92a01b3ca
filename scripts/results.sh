#!/usr/bin/env bash
# Reproduces the tables of docs/results.md. HARDKUMA_DATA names the directory with beer/, snli/ and glove/.
#   results.sh [aspects|beer|beer-full|protocol-b|pairs]... [--out DIR] [--hardkuma PROGRAM] [--jobs N]
# By default all but beer-full, into build/results, with this machine's build, a run per core at a time. On two cores:
# aspects twenty minutes, beer an hour, protocol-b fifteen minutes, pairs half an hour; beer-full is for a GPU
# (--hardkuma build/cuda/hardkuma --jobs 16). Finished runs are kept and stopped ones resumed, so the script can be
# stopped and started again. (SST is done by `hardkuma reproduce sst`, how the rate is held by rate_study.sh.)
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/results
parts=()
hardkuma=
cores=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; shift ;;
    --hardkuma) hardkuma=$2; shift ;;
    --jobs) cores=$2; shift ;;
    aspects | beer | beer-full | protocol-b | pairs) parts+=("$1") ;;
    *) sed -n '2,7s/^# //p' "$0" >&2; exit 2 ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(aspects beer protocol-b pairs)
[ "${parts[*]}" = aspects ] || : "${HARDKUMA_DATA:?set it to the directory that holds beer/, snli/ and glove/}"
[ -n "$hardkuma" ] || { ./scripts/build.sh hardkuma-cli; hardkuma=build/release/hardkuma; }
vectors=${HARDKUMA_DATA:-}/glove/glove.6B.100d.txt.gz
mkdir -p "$out"

# train NAME DATA flags...: on one core; at most $cores at once.
train() {
  local name=$1 data=$2
  shift 2
  while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
  "$hardkuma" train "$data" --out "$out/$name" --resume --workers 1 "$@" 2>"$out/$name.log" >"$out/$name.txt" &
}

# The models of the paper's first experiment: name, then flags.
models=(
  "hardkuma"
  "bernoulli --model bernoulli"
  "attention --model attention"
  "hard-concrete --model hard-concrete"
  "full-text-rcnn --model full-text"
  "full-text-lstm --model full-text --encoder lstm"
  "svm --model svm"
)
targets=(look:13 smell:7 palate:7)

# acting NAME TARGET flags...: sets $acting to the flags that have an effect for the model; any other is an error. The
# given flags are for networks; the target is for models that select.
acting() {
  local name=$1 target=$2
  shift 2
  acting=("$@")
  case $name in
    svm) acting=() ;;
    full-text*) ;;
    *) acting+=(--target "$target%") ;;
  esac
}

aspects() {
  for seed in 1 2 3; do
    mkdir -p "$out/aspects-data-$seed"
    for part in train:2000:1 dev:500:2 test:1000:3; do
      IFS=: read -r name count number <<<"$part"
      "$hardkuma" data generate -n "$count" --seed $((10 * seed + number)) --correlation 0.7 --comparisons 1 \
        --out "$out/aspects-data-$seed/$name.jsonl"
    done
    for target in "${targets[@]}"; do
      for model in "${models[@]}" "bernoulli-fixed --model bernoulli --controller fixed"; do
        read -r name flags <<<"$model "
        acting "$name" "${target#*:}"
        case $name in hardkuma | bernoulli* | hard-concrete) acting+=(--dependent) ;; esac
        train "aspects-${target%:*}-$name-$seed" "$out/aspects-data-$seed" --label "${target%:*}_score" \
          --gold "${target%:*}_spans" --seed $seed "${acting[@]}" $flags
      done
    done
  done
  wait
  python3 scripts/results_table.py aspects "$out"
}

beer() {
  for model in "${models[@]}"; do
    for target in "${targets[@]}"; do
      read -r name flags <<<"$model "
      acting "$name" "${target#*:}" --vectors "$vectors" --hidden 100
      train "beer-${target%:*}-$name" "$HARDKUMA_DATA/beer" --preset beer --aspect "${target%:*}" "${acting[@]}" $flags
    done
  done
  wait
  python3 scripts/results_table.py beer "$out"
}

# The paper's size, batches and epochs, three seeds.
beer-full() {
  for seed in 1 2 3; do
    for model in "${models[@]}"; do
      for target in "${targets[@]}"; do
        read -r name flags <<<"$model "
        acting "$name" "${target#*:}" --vectors "$vectors" --epochs 100 --batch 256
        train "full-${target%:*}-$name-$seed" "$HARDKUMA_DATA/beer" --preset beer --seed $seed --device cuda \
          --aspect "${target%:*}" "${acting[@]}" $flags
      done
    done
  done
  wait
  python3 scripts/results_table.py beer-full "$out"
}

# Binary labels, balanced, at the share of words that is annotated.
protocol-b() {
  for target in look:18.5 smell:15.6 palate:12.4; do
    train "protocol-b-${target%:*}" "$HARDKUMA_DATA/beer" --preset beer --vectors "$vectors" --hidden 100 \
      --aspect "${target%:*}" --target "${target#*:}%" --set data.binarise=0.4,0.6
  done
  wait
  "$hardkuma" evaluate "$out"/protocol-b-{look,smell,palate} "$HARDKUMA_DATA/beer"
}

pairs() {
  local multiplicative=(--controller paper --set model.links=none --set model.shapes=relu)
  for run in "da:1 --model da" "da-hardkuma:1" "da:2 --model da" "da-hardkuma:2" "da:3 --model da" "da-hardkuma:3" \
    "lstm-pair:1 --model lstm-pair" "multiplicative:1 ${multiplicative[*]}"; do
    read -r name flags <<<"$run "
    train "pairs-${name/:/-}" "$HARDKUMA_DATA/snli" --preset snli --vectors "$vectors" --seed "${name#*:}" $flags
  done
  wait
  python3 scripts/results_table.py pairs "$out"
}

for part in "${parts[@]}"; do "$part"; done
