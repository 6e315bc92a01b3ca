#!/usr/bin/env bash
# Where there is nvcc, the GPU's sources compile, GPU or not.
#   compiles.sh NVCC SOURCE_DIRECTORY
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for file in "$2"/src/hardkuma/nn/cuda/*.cu; do
  "$1" -std=c++20 -O1 -gencode arch=compute_90,code=sm_90 --expt-relaxed-constexpr \
    -Werror all-warnings -I"$2/src" -c "$file" -o "$scratch/object.o"
  echo "compiled $(basename "$file")"
done
