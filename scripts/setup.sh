#!/usr/bin/env bash
# Installs what building and testing need on Debian 12. Quiet, and quick, when nothing is missing.
#   setup.sh --bench          also what bench/compare.sh compares with
#   setup.sh --sanitizers     also what test.sh --asan and --tsan build with
set -euo pipefail

packages=(
  ccache                  # rebuilds in seconds
  chromium                # tests look at the pages with it
  clang-format            # the one formatter
  cmake                   # the build
  g++                     # the compiler
  git                     # fetching and contributing
  libcli11-dev            # command line
  libfmt-dev              # text formatting
  libgtest-dev            # tests
  liblinear-dev           # the linear baseline
  libopenblas0-openmp     # matrix products; the reference BLAS is 14 to 24 times slower
  libtomlplusplus-dev     # settings
  libtorch-dev            # tensors, autograd, optimiser
  libutf8proc-dev         # Unicode
  ninja-build             # the build
  nlohmann-json3-dev      # JSON
  python3                 # tests check the program's JSON with it
  python3-protobuf        # tests read the files for TensorBoard with it
  zlib1g-dev              # .gz input
)

case ${1:-} in
  --bench) packages+=(
    python3-torch           # the same models in plain PyTorch
  ) ;;
  --sanitizers) packages+=(
    clang                   # libFuzzer, and stack traces of what the sanitizers find
    libclang-rt-14-dev      # the sanitizers themselves
    llvm                    # names in those traces
  ) ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: these packages are missing and need root to install: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
fi
echo "setup: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
