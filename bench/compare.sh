#!/usr/bin/env bash
# Our training and prediction against the same models in plain PyTorch, both measured here and now.
#   compare.sh [--shape sst|beer|snli] [--rounds N] [--json FILE]
# On a GPU, with a build of your own: python3 bench/compare.py --device cuda --hardkuma build/cuda/hardkuma
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/setup.sh --bench
./scripts/build.sh hardkuma-cli
exec /usr/bin/python3 bench/compare.py --hardkuma build/release/hardkuma "$@"
