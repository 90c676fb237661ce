// REQUIRES: gcc
// gcc and opt load plugins too; neither has what this one refers to.
// RUN: not gcc -fplugin=%plugin -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=error: --implicit-check-not=undefined %s
// RUN: not g++ -x c++ -fplugin=%plugin -fplugin-arg-gpumemprof-mode=every -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=error: --implicit-check-not=undefined %s
// CHECK: error: gpumemprof.so is a plugin of clang [[N:[0-9]+]], and cc1{{(plus)?}} is not clang; compile with clang-[[N]] or clang++-[[N]] (CMake: -DCMAKE_C_COMPILER=clang-[[N]] -DCMAKE_CXX_COMPILER=clang++-[[N]] in a new build folder; nvcc: as `gpumemprof flags nvcc` says){{$}}
// RUN: not %opt -load-pass-plugin=%plugin -passes=gpumemprof /dev/null 2>&1 | FileCheck --check-prefix=OPT --implicit-check-not=undefined %s
// OPT: error: gpumemprof.so is a plugin of clang {{[0-9]+}}, and opt is not clang; load gpumemprof-pass.so, which lies beside it{{$}}
int f(void) { return 0; }
