#!/usr/bin/env bash
# deps.sh - installs what gpumemprof needs to be built and tested, with apt-get. Debian 12, as root or
# with sudo. Asks for nothing when everything is there; called by demo.sh and test.sh.
#
#   scripts/deps.sh [--build] [--list]     --build: what building needs, no tests; --list only prints the
#                                          packages, one a line
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
llvm=($(sed -n 's/^GPUMEMPROF_LLVM(\([0-9]*\))$/\1/p' "$here/include/gpumemprof/llvm_versions.def")) # the newest first
packages=(
  # building: both plugins, the runtime, the tool, the simulated CUDA library
  build-essential cmake ninja-build pkg-config python3
  libsmartcols-dev libjansson-dev libdw-dev zlib1g-dev libsqlite3-dev libncurses-dev libzstd-dev
  # a .deb of it: with which libraries its programs are linked
  file
)
testing=(
  # FileCheck, lit and not; LTO; sanitizers; device code by clang; instruction counts; OpenMP
  clang-tools-${llvm[0]} libomp-${llvm[0]}-dev valgrind ccache
  # what test/lint/lint.py formats with, whatever LLVM is the newest
  clang-format-22
  # programs with capabilities: setcap
  libcap2-bin
  # another C library: musl-gcc
  musl-tools
  # a file system that copies on write
  btrfs-progs
  # parallel jobs: mpirun
  openmpi-bin libopenmpi-dev
  # readers of exported files: go tool pprof, sqlite3, flamegraph.pl; a browser for viewers that are pages, and another for gpumemprof's own page
  golang-go sqlite3 libdevel-nytprof-perl chromium firefox-esr
  # heaptrack_print, which reads an exported file
  heaptrack
  # JSON against its schemas
  python3-jsonschema
  # the action of GitHub and the job of GitLab, which are YAML
  python3-yaml
  # packages: a bare Debian, dpkg-shlibdeps, and rpm
  mmdebstrap dpkg-dev rpm cpio
  # builds by Meson: a guide
  meson
  # the Python package: its plugin of pytest, its tables of pandas, its wheel, its type hints
  python3-pytest python3-pandas python3-setuptools mypy
  # programs for AArch64 (preset aarch64): the C and C++ libraries, a linker, and an emulator
  g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
  # what reads manual pages and completions
  groff-base mandoc less zsh fish
)
# building: the newest and that for nvcc, as one module is enough for one compiler; testing: all
nvcc=$(sed -n 's/^GPUMEMPROF_NVCC(\([0-9]*\))$/\1/p' "$here/include/gpumemprof/llvm_versions.def")
for version in "${llvm[@]}"; do
  compiler=("clang-$version" "llvm-$version-dev" "libclang-$version-dev")
  if [ "$version" = "${llvm[0]}" ] || [ "$version" = "$nvcc" ]; then
    packages+=("${compiler[@]}")
    testing+=("lld-$version" "libclang-rt-$version-dev")
  else
    testing+=("${compiler[@]}")
  fi
  testing+=("llvm-$version-tools")
done

# the viewer of `gpumemprof html`, without which the rest is built, and viewers from npm (test/tools/readers); a node from
# elsewhere has its own npm
command -v npm >/dev/null || packages+=(nodejs npm)

if [ "${1:-}" = --build ]; then
  shift
else
  packages+=("${testing[@]}")
fi
if [ "${1:-}" = --list ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
elif [ $# -gt 0 ]; then
  echo "deps.sh: cannot use '$1'; its options are --build and --list" >&2
  exit 2
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "deps.sh: these packages are missing: ${missing[*]}; install them as root, or install sudo" >&2
    exit 2
  fi
  as_root=(sudo)
fi
echo "deps.sh: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
