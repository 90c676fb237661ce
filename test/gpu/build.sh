#!/bin/bash
# Builds what run.sh takes to a machine with a GPU: the test programs plain and profiled, by clang and by
# nvcc, and the two independent counters; closed.cu, which calls closed libraries; and the profiled ones with line
# tables, for verify.py.
#
#   test/gpu/build.sh OUT [BUILD]     OUT gets bin/{plain,prof,lines}-{clang,nvcc}/NAME and lib/*.so
#
# BUILD (default: build) is the project's build folder; PLUGIN22, PLUGIN19, RUNTIME name single files
# instead. CUDA is the toolkit (default /usr/local/cuda), ARCH the device (default sm_90).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build.sh OUT [BUILD]}
build=${2:-$here/../../build}
cuda=${CUDA:-/usr/local/cuda}
arch=${ARCH:-sm_90}
plugin22=${PLUGIN22:-$build/lib/gpumemprof/llvm-22/gpumemprof.so}
plugin19=${PLUGIN19:-$build/lib/gpumemprof/llvm-19/gpumemprof.so}
runtime=${RUNTIME:-$build/lib/libgpumemprof.so}
programs="direct managed pinned pitched pool array driver threads devices reset
vmm graph pools arrays contexts imports found wrong streams"

mkdir -p "$out/lib" "$out/obj"
cc="clang-22 -std=gnu11 -O2 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wvla -fvisibility=hidden -fPIC"
$cc -shared -I"$here/counters" "$here/counters/tally.c" "$here/counters/preload_count.c" -o "$out/lib/libpreload_count.so" -lpthread
$cc -shared -I"$here/counters" -isystem "$cuda/include" "$here/counters/tally.c" "$here/counters/cupti_count.c" \
  -o "$out/lib/libcupti_count.so" -L"$cuda/lib64" -lcupti '-Wl,-rpath,$ORIGIN' -lpthread
cupti=$(readlink -f "$cuda/lib64/libcupti.so")
# The name by which programs load a library.
name_of() { objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'; }
if [ -e "$runtime" ]; then cp "$runtime" "$out/lib/"; cp "$runtime" "$out/lib/$(name_of "$runtime")"; else echo "no $runtime: plain programs only"; fi
cp "$cupti" "$out/lib/$(name_of "$cupti")"

# compile FLAVOUR COMPILER SOURCE OBJECT [flags...]
compile() {
  local flavour=$1 compiler=$2 source=$3 object=$4
  shift 4
  if [ "$compiler" = clang ]; then
    [ "$flavour" = plain ] || set -- "-fplugin=$plugin22" "$@"
    clang++-22 -O2 -std=c++17 -Wno-unknown-cuda-version --cuda-gpu-arch="$arch" --cuda-path="$cuda" "$@" \
      -c "$source" -o "$object"
  else
    [ "$flavour" = plain ] || set -- -Xcompiler "-fplugin=$plugin19" "$@"
    "$cuda/bin/nvcc" -ccbin clang++-19 -O2 -std=c++17 -arch="$arch" -cudart shared "$@" -c "$source" -o "$object"
  fi
}

# join FLAVOUR COMPILER PROGRAM OBJECTS...
join() {
  local flavour=$1 compiler=$2 program=$3
  shift 3
  local linker=clang++-22
  [ "$compiler" = clang ] || linker=clang++-19
  [ "$flavour" = plain ] || set -- "$@" -L"$out/lib" -lgpumemprof
  $linker -Wl,--as-needed "$@" -o "$program" -L"$cuda/lib64" -L"$cuda/lib64/stubs" -lcudart -lcuda -lpthread \
    '-Wl,-rpath,$ORIGIN/../../lib'
  [ "$flavour" = lines ] || strip "$program"
}

for compiler in ${COMPILERS:-clang nvcc}; do
  for flavour in plain prof lines; do
    [ "$flavour" = plain ] || [ -e "$runtime" ] || continue
    lines=
    [ "$flavour" != lines ] || { lines=-g1; [ "$compiler" = clang ] || lines="-Xcompiler -g1"; }
    bin=$out/bin/$flavour-$compiler
    obj=$out/obj/$flavour-$compiler
    mkdir -p "$bin" "$obj"
    for name in $programs; do
      # shellcheck disable=SC2086 # words
      compile $flavour $compiler "$here/programs/$name.cu" "$obj/$name.o" -I"$here/programs" $lines
      join $flavour $compiler "$bin/$name" "$obj/$name.o"
    done
    [ "$flavour" != lines ] || continue
    for name in pairs_of_threads launches; do
      compile $flavour $compiler "$here/programs/$name.cu" "$obj/$name.o"
      join $flavour $compiler "$bin/$name" "$obj/$name.o"
    done
    compile plain $compiler "$here/programs/pairs.cu" "$obj/pairs.o"
    compile plain $compiler "$here/programs/pairs_loop.cu" "$obj/first.o" -DLOOP=first
    compile $flavour $compiler "$here/programs/pairs_loop.cu" "$obj/second.o" -DLOOP=second
    join $flavour $compiler "$bin/pairs" "$obj/pairs.o" "$obj/first.o" "$obj/second.o"
  done
done
# closed.cu, for closed.py: plain, profiled, and with samples around calls into libraries.
if [ -e "$cuda/include/nccl.h" ] && [ -e "$runtime" ]; then
  for flavour in plain prof calls; do
    bin=$out/bin/$flavour-clang
    mkdir -p "$bin"
    case $flavour in
    plain) plugin= ;;
    prof) plugin=-fplugin=$plugin22 ;;
    calls) plugin="-fplugin=$plugin22 -fplugin-arg-gpumemprof-unaccounted=calls" ;;
    esac
    # shellcheck disable=SC2086 # words
    compile plain clang "$here/programs/closed.cu" "$out/obj/closed.o" -I"$here/programs" $plugin
    join $flavour clang "$bin/closed" "$out/obj/closed.o" -L"$cuda/lib64" -lcublas -lcufft -lcusolver -lcurand \
      -lnccl
  done
fi
rm -r "$out/obj"

# What not_rebuilt.py runs: by nvcc with gcc, with its static CUDA runtime, as most programs are built.
mkdir -p "$out/bin/gcc"
$cc -shared -isystem "$cuda/include" "$here/counters/cupti_stacks.c" -o "$out/lib/libcupti_stacks.so" \
  -L"$cuda/lib64" -lcupti '-Wl,-rpath,$ORIGIN' -lpthread
for name in direct pinned pitched pool threads deep; do
  "$cuda/bin/nvcc" -O2 -std=c++17 -arch="$arch" -Xcompiler -g -I"$here/programs" "$here/programs/$name.cu" -o "$out/bin/gcc/$name"
done
