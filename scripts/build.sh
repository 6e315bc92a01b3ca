#!/usr/bin/env bash
# Set-up and a build into build/release, with progress. Further arguments are targets.
#   build.sh --tests                 with the tests
#   build.sh --preset asan|tsan      with the tests and a sanitizer, by clang, into build/asan or build/tsan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=release
setup=()
options=()
case ${1:-} in
  --tests)
    setup=(--tests)
    options=(-DHARDKUMA_TESTS=ON)
    shift
    ;;
  --preset)
    preset=$2
    setup=(--sanitizers)
    shift 2
    ;;
  *) [ -f build/release/build.ninja ] || options=(-DHARDKUMA_TESTS=OFF) ;;
esac
./scripts/setup.sh "${setup[@]}"
if [ ! -f "build/$preset/build.ninja" ] || [ ${#options[@]} -gt 0 ]; then
  cmake --preset "$preset" "${options[@]}" >/dev/null
fi
export NINJA_STATUS="building %f of %t, %e s: "
ninja -C "build/$preset" "$@" >&2
