#!/usr/bin/env bash
# Set-up and a release build into build/release; prints only what goes wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/setup.sh
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
if [ -t 2 ]; then ninja -C build/release "$@" >&2; else ninja -C build/release --quiet "$@" >&2; fi
