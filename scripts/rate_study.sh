#!/usr/bin/env bash
# The study of docs/rate.md, some hundreds of runs. HARDKUMA_DATA names the directory with sst/, beer/, snli/, glove/.
#   rate_study.sh [hold|controllers|gains|stability]... [--only WORD] [--out DIR] [--hardkuma PROGRAM] [--jobs N]
# By default all four, into build/study, with this machine's build, a run per core at a time. It is meant for a GPU
# (--hardkuma build/cuda/hardkuma --jobs 14, beside nvidia-cuda-mps-control -d), where it takes about an hour; on
# two cores it takes days. Finished runs are kept and stopped ones resumed; a run that failed for lack of GPU memory is
# retried when called again (MGR and samples need --jobs 7). --only: runs with WORD in their name, which may be a
# pattern, '@(beer|snli)'. Runs of another version of the program need another DIR.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/study
parts=()
hardkuma=
jobs=$(nproc)
only=
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; shift ;;
    --hardkuma) hardkuma=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --only) only=$2; shift ;;
    hold | controllers | gains | stability) parts+=("$1") ;;
    *) sed -n '2,8s/^# //p' "$0" >&2; exit 2 ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(hold controllers gains stability)
: "${HARDKUMA_DATA:?set it to the directory that holds sst/, beer/, snli/ and glove/}"
[ -n "$hardkuma" ] || { ./scripts/build.sh hardkuma-cli; hardkuma=build/release/hardkuma; }
vectors=$HARDKUMA_DATA/glove/glove.6B.100d.txt.gz
mkdir -p "$out"
data=$out/data
if [ ! -d "$data" ]; then
  rm -rf "$data.part"
  python3 scripts/unseen.py "$HARDKUMA_DATA" "$data.part"
  mv "$data.part" "$data"
fi

# run NAME DATA flags...: on one core; at most $jobs at once. A failed run is reported and missing in the table.
run() {
  local name=$1 on=$2
  shift 2
  [[ $name == *$only* ]] || return 0
  if [[ $on == "$data"/beer* ]] && [ ! -e "$out/beer.vec" ]; then
    ./scripts/beer_vectors.sh "$HARDKUMA_DATA/beer" "$out/beer.vec"
  fi
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  {
    if ! "$hardkuma" train "$on" --out "$out/$name" --resume --workers 1 "$@" 2>"$out/$name.log" >"$out/$name.txt"; then
      echo "$name: $(tail -1 "$out/$name.log")" >&2
    elif [[ $on == *-hold ]]; then
      "$hardkuma" evaluate "$out/$name" "$on-unseen" --part dev --workers 1 --json "$out/$name/unseen.json" \
        >/dev/null 2>"$out/$name.unseen.log" || echo "$name: $(tail -1 "$out/$name.unseen.log")" >&2
    fi
  } &
}

notes() { # directory count flags...
  local to=$out/$1 train=$2 part name count seed
  shift 2
  [ -d "$to" ] && return
  rm -rf "$to.part"
  mkdir -p "$to.part"
  for part in "train:$train:1" dev:1000:2 test:1000:3; do
    IFS=: read -r name count seed <<<"$part"
    "$hardkuma" data generate -n "$count" --seed "$seed" "$@" --out "$to.part/$name.jsonl"
  done
  mv "$to.part" "$to"
}

published=(--set model.reading=published)
look=(--label look "${published[@]}")
sst=("$data/sst" --preset sst --vectors "$vectors" --set train.full_text=false "${published[@]}")
snli=("$data/snli" --preset snli --vectors "$vectors")
beer=("$data/beer" --preset beer --vectors "$out/beer.vec" --batch 256)
beer_hold=("$data/beer-hold" "${beer[@]:1}")

# at_papers_targets KIND SEED flags...: each of Beer's aspects at the paper's target.
at_papers_targets() {
  local kind=$1 seed=$2 aspect
  shift 2
  for aspect in look:13 smell:7 palate:7; do
    run "$kind-${aspect%:*}-$seed" "${beer[@]}" --aspect "${aspect%:*}" --target "${aspect#*:}%" --seed "$seed" "$@"
  done
}

# Every data set at every target.
hold() {
  local target seed aspect
  for target in 5 10 20 40 2 80; do
    for seed in 1 2 3; do
      [ "$target" != 2 ] && [ "$target" != 80 ] || [ "$seed" = 1 ] || continue
      for aspect in look smell palate; do
        run "hold-beer-$aspect-$target-$seed" "${beer_hold[@]}" --aspect $aspect --target $target% --seed "$seed"
        run "hold-beer.indep-$aspect-$target-$seed" "${beer_hold[@]}" --aspect $aspect --target $target% \
          --seed "$seed" --set model.dependent=false
      done
      run "hold-notes-100000-$target-$seed" "$out/notes-100000" "${look[@]}" --target $target% --seed "$seed" \
        --epochs 20 --batch 256
      run "hold-notes-10000-$target-$seed" "$out/notes-10000" "${look[@]}" --target $target% --seed "$seed" --batch 32
      run "hold-snli-pairs-$target-$seed" "${snli[@]}" --target $target% --seed "$seed"
      run "hold-sst-sentences-$target-$seed" "${sst[@]}" --target $target% --seed "$seed"
      run "hold-notes-1000-$target-$seed" "$out/notes-1000" "${look[@]}" --target $target% --seed "$seed"
    done
  done
  wait
  python3 scripts/rate_table.py hold "$out"
}

# One thing changed at a time.
variants=(
  "default"
  "paper --controller paper"
  "integral --set controller.rho=0"
  "proportional --set controller.eta=0"
  "unbounded --set controller.bound=1000"
  "one.sided --set controller.one_sided=true"
  "uncorrected --set controller.corrected=false"
  "linear --set controller.schedule=linear"
  "geometric --set controller.schedule=geometric"
  "unscaled --set controller.scaled=false"
  "no.warmup --set controller.warmup=0"
  "no.descent --set controller.descent=0"
)
controllers() {
  local variant name flags seed
  for variant in "${variants[@]}"; do
    read -r name flags <<<"$variant "
    for seed in 1 2 3; do
      # shellcheck disable=SC2086
      at_papers_targets "controllers-$name" "$seed" $flags
      # shellcheck disable=SC2086
      run "controllers-$name-sst.40-$seed" "${sst[@]}" --target 40% --seed "$seed" $flags
      # shellcheck disable=SC2086
      run "controllers-$name-notes-$seed" "$out/notes-1000" "${look[@]}" --target 10% --seed "$seed" $flags
    done
  done
  # Started from trained weights: of a full-text model, or of a model with a higher rate.
  for seed in 1 2 3; do
    run "start-full.text-notes-$seed" "$out/notes-1000" --label look --model full-text --seed "$seed"
    run "start-40-notes-$seed" "$out/notes-1000" "${look[@]}" --target 40% --seed "$seed"
  done
  wait
  for name in full.text 40; do
    for seed in 1 2 3; do
      run "controllers-from.$name-notes-$seed" "$out/notes-1000" "${look[@]}" --target 10% --seed "$seed" \
        --set train.start="$out/start-$name-notes-$seed"
    done
  done
  wait
  python3 scripts/rate_table.py controllers "$out"
}

# Gains, epochs and batch sizes (the preset's is 32), at the paper's targets.
gains() {
  local gain name flags seed
  for gain in "default" "eta.1 --set controller.eta=1" "eta.0.25 --set controller.eta=0.25" \
    "rho.0.1 --set controller.rho=0.1" "epochs.60 --epochs 60" "batch.32 --set train.batch=32"; do
    read -r name flags <<<"$gain "
    for seed in 1 2 3 4 5; do
      # shellcheck disable=SC2086
      at_papers_targets "gains-$name" "$seed" $flags
    done
  done
  wait
  python3 scripts/rate_table.py gains "$out"
}

options=(
  "default"
  "DR --set train.predictor_rate=share"
  "FR --set model.shared=true"
  "MGR --set model.selectors=3"
  "samples --set objective.samples=2"
  "entropy --set objective.entropy=0.05"
  "narrow --set controller.edge=0.02"
  "wide --set controller.edge=0.3"
)
stability() {
  local option name flags seed
  for option in "${options[@]}"; do
    read -r name flags <<<"$option "
    for seed in 1 2 3 4 5; do
      # shellcheck disable=SC2086
      run "stability-$name-smell-$seed" "${beer[@]}" --aspect smell --target 7% --seed "$seed" $flags
      # shellcheck disable=SC2086
      run "stability-$name-notes-$seed" "$out/related" "${published[@]}" --label smell_score \
        --gold smell_spans --target 7% --dependent --seed "$seed" $flags
    done
  done
  wait
  python3 scripts/rate_table.py stability "$out"
}

for count in 1000 10000 100000; do notes notes-$count $count; done
notes related 2000 --correlation 0.7 --comparisons 1 # correlated aspects, and sentences about other drinks
for part in "${parts[@]}"; do "$part"; done
