#!/usr/bin/env bash
# Set-up and a build into build/release; prints only what goes wrong. Further arguments are targets.
#   build.sh --preset asan|tsan      with a sanitizer, by clang, into build/asan or build/tsan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=release
setup=()
if [ "${1:-}" = "--preset" ]; then
  preset=$2
  setup=(--sanitizers)
  shift 2
fi
./scripts/setup.sh "${setup[@]}"
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
if [ -t 2 ]; then ninja -C "build/$preset" "$@" >&2; else ninja -C "build/$preset" --quiet "$@" >&2; fi
