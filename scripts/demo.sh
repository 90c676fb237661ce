#!/usr/bin/env bash
# demo.sh - from a fresh checkout to a report, without a GPU: installs what is missing, builds gpumemprof,
# rebuilds examples/train.cu with one more flag, runs it on the simulated device, shows where its
# memory went. Says each command before it runs it. A few minutes, nearly all of it compiling.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; else bold='' plain=''; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() { printf '$ %s\n' "$*"; "$@"; }
logged() { printf '$ %s\n' "$*"; "$@" >>build/demo.log 2>&1 || { tail -n 40 build/demo.log >&2; exit 2; }; }

prefix=build/demo
example=$prefix/example

say "1. What is missing on this machine (apt-get)"
run scripts/deps.sh --build
export CC=${CC:-clang-22} CXX=${CXX:-clang++-22} # compiles the plugins in two thirds of g++'s time

say "2. Build gpumemprof and install it into $prefix (three minutes on two cores; log in build/demo.log)"
mkdir -p build
: >build/demo.log
logged cmake --preset default -DGPUMEMPROF_TESTS=OFF
logged cmake --build build -j "$(nproc)"
logged cmake --install build --prefix "$PWD/$prefix"

say "3. Rebuild a program with the flag (no CUDA toolkit needed: kernels are checked, the host code runs)"
mkdir -p "$example"
flags=$("$prefix/bin/gpumemprof" flags sim)
echo "gpumemprof flags sim prints: $flags"
# shellcheck disable=SC2086 # the flags are words
run clang++-22 -O2 $flags examples/train.cu -o "$example/train"

say "4. Run it on the simulated device"
capture=$example/train.gmprof
rm -f "$capture"
export GPUMEMPROF_OPTIONS=output=$capture
run "$prefix/bin/gpumemprof" dryrun --device-memory 24GiB "$example/train"

say "5. Where the memory went: by line"
run "$prefix/bin/gpumemprof" report --limit 12 "$capture"

say "6. By call path, branches that held 10 MiB or more at the peak"
run "$prefix/bin/gpumemprof" tree --min 10MiB "$capture"

say "7. What was never freed"
run "$prefix/bin/gpumemprof" leaks "$capture"
