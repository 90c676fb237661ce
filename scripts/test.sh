#!/usr/bin/env bash
# test.sh - installs what is missing, builds gpumemprof and runs all its tests. Needs no GPU.
#
#   scripts/test.sh [--no-toolkit] [--build DIR] [--preset NAME] [-- CTEST-OPTIONS...]
#     --no-toolkit  hide the CUDA toolkit: tests that compile device code are skipped, by name
#     --build DIR   build folder (default: that of the preset, build/)
#     --preset NAME configure preset (default: default; see CMakePresets.json)
#
# Before it ends, it says what each phase took and which tests took longest (also in BUILD/phases.txt, for .ci/run).
# The last line is `N passed, N failed[, N skipped]`; exit status 0 when nothing failed, 1 when a test
# failed, 2 when it could not be built.
set -euo pipefail
cd "$(dirname "$0")/.."

toolkit=AUTO
build=
preset=default
while [ $# -gt 0 ]; do
  case "$1" in
    --no-toolkit) toolkit=OFF ;;
    --build) build=${2:?--build needs a folder}; shift ;;
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --) shift; break ;;
    *) echo "test.sh: cannot use '$1'; see the head of this file" >&2; exit 2 ;;
  esac
  shift
done
[ -n "$build" ] || { [ "$preset" = default ] && build=build || build=build-$preset; }

if [ "$toolkit" = OFF ]; then
  # A real absence also means no nvcc in PATH and no CUDA folders in the environment.
  unset CUDA_HOME CUDA_PATH LIBRARY_PATH LD_LIBRARY_PATH
  PATH=$(printf %s "$PATH" | tr : '\n' | { grep -v cuda || true; } | paste -sd:)
fi

# phase NAME: ends a phase and notes its seconds, on the clock and of processors (this shell's and its children's).
phase() {
  local clock=$SECONDS processor
  processor=$(awk '{ print int(($16 + $17) / '"$ticks"') }' "/proc/$$/stat")
  printf '%6d s %6d s  %s\n' $((clock - clock_before)) $((processor - processor_before)) "$1" >>"$build/phases.txt"
  clock_before=$clock processor_before=$processor
}
mkdir -p "$build"
: >"$build/phases.txt"
ticks=$(getconf CLK_TCK) clock_before=$SECONDS processor_before=0

scripts/deps.sh || exit 2
phase "install what is missing"
export CC=${CC:-clang-22} CXX=${CXX:-clang++-22} # compiles the plugins in two thirds of g++'s time
jobs=$(nproc)
log=$build/test.log
echo "test.sh: building in $build"
if ! { cmake --preset "$preset" -B "$build" -DGPUMEMPROF_TESTS=ON -DGPUMEMPROF_CUDA_TOOLKIT="$toolkit" &&
       cmake --build "$build" -j "$jobs"; } >"$log" 2>&1; then
  tail -n 60 "$log" >&2
  echo "test.sh: the build failed; all of its output is in $log" >&2
  exit 2
fi
phase "configure and build $build"

rm -f "$build/tests.xml"
# Half of the tests wait for something from time to time, and none depends on the machine's speed.
ctest --test-dir "$build" -j "$((2 * jobs))" --output-on-failure --output-junit tests.xml \
  --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@" || true
phase "tests in $build${*:+ ($*)}"

echo "test.sh: the tests that took longest"
python3 scripts/count_tests.py --slowest 20 "$build/tests.xml"
echo "test.sh: seconds on the clock and of processors"
cat "$build/phases.txt"
python3 scripts/count_tests.py "$build/tests.xml"
