#!/usr/bin/env bash
# Installs what building needs on Debian 12. Quiet, and quick, when nothing is missing.
#   setup.sh --tests          also what the tests need
#   setup.sh --sanitizers     also what test.sh --asan and --tsan need
#   setup.sh --bench          also what bench/compare.sh compares with
set -euo pipefail

packages=(
  ccache                  # rebuilds in seconds
  cmake                   # the build
  g++                     # the compiler
  libcli11-dev            # command line
  libfmt-dev              # text formatting
  libicu-dev              # Unicode, word boundaries
  liblinear-dev           # the linear baseline
  libopenblas0-openmp     # matrix products; the reference BLAS is 14 to 24 times slower
  libtomlplusplus-dev     # settings
  libtorch-dev            # tensors, autograd, optimiser
  ninja-build             # the build
  nlohmann-json3-dev      # JSON
  python3                 # scripts that join tables
  zlib1g-dev              # .gz input
)
tests=(
  chromium                # renders the pages
  clang-format            # the one formatter
  fish                    # reads its completion
  git                     # fetching and contributing
  groff-base              # reads the man page
  libgtest-dev            # the test framework
  python3-protobuf        # reads the files for TensorBoard
  zsh                     # reads its completion
)
case ${1:-} in
  --tests) packages+=("${tests[@]}") ;;
  --sanitizers) packages+=(
    "${tests[@]}"
    clang                   # libFuzzer, and stack traces of what the sanitizers find
    libclang-rt-14-dev      # the sanitizers themselves
    llvm                    # names in those traces
  ) ;;
  --bench) packages+=(
    python3-torch           # the same models in plain PyTorch
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
