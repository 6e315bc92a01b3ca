#!/usr/bin/env bash
# Set-up, build, and the demonstration. Arguments go to `hardkuma demo`.
set -euo pipefail
"$(dirname "$0")/build.sh" hardkuma-cli
exec "$(dirname "$0")/../build/release/hardkuma" demo "$@"
