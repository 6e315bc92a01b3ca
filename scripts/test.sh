#!/usr/bin/env bash
# Set-up, build, all tests. `--fast` leaves out those labelled slow. Tests on real data are skipped,
# and say so, unless HARDKUMA_DATA names a directory that has it.
set -euo pipefail
cd "$(dirname "$0")/.."
selection=()
if [ "${1:-}" = "--fast" ]; then
  selection=(-LE slow)
  shift
fi
./scripts/build.sh
exec ctest --test-dir build/release --output-on-failure --no-tests=error "${selection[@]}" "$@"
