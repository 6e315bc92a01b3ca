#!/usr/bin/env bash
# Set-up, build, all tests. Tests on real data are skipped, and say so, unless HARDKUMA_DATA names a
# directory that has it. Further arguments are ctest's.
#   test.sh --fast           without those labelled slow
#   test.sh --asan           under the address and undefined behaviour sanitizers, with the fuzz targets
#   test.sh --asan --input   of these only what reads files: the fuzz targets, damaged files and pipes
#   test.sh --tsan           what runs on several threads, under the thread sanitizer
set -euo pipefail
cd "$(dirname "$0")/.."
preset=release
targets=()
selection=()
while [ $# -gt 0 ]; do
  case $1 in
    --fast) selection+=(-LE slow) ;;
    --asan) preset=asan ;;
    --input)
      targets=(fuzzers hardkuma-cli)
      selection+=(-L input)
      ;;
    --tsan)
      preset=tsan
      targets=(thread_tests api_tests)
      export TSAN_OPTIONS="suppressions='$PWD/tests/tsan.supp'"
      ;;
    *) break ;;
  esac
  shift
done
if [ "$preset" = release ]; then
  ./scripts/build.sh --tests "${targets[@]}"
else
  ./scripts/build.sh --preset "$preset" "${targets[@]}"
fi
exec ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(nproc)" "${selection[@]}" "$@"
