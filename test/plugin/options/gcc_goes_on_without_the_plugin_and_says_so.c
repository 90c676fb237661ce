// REQUIRES: gcc
// RUN: gcc -fplugin=%plugin -O1 -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not={{.}} %s
// RUN: g++ -x c++ -fplugin=%plugin -fplugin-arg-gpumemprof-mode=every -c %s -o %t.cxx.o 2>&1 | FileCheck --implicit-check-not={{.}} %s
// CHECK: {{^}}cc1{{(plus)?}}: warning: gpumemprof does not instrument what gcc compiles, and -fplugin= has no effect on this file; use clang (`gpumemprof flags clang`, for nvcc `gpumemprof flags nvcc`), or profile the program without it: gcc -g1, then `gpumemprof run -- ./app`{{$}}

// The object is the one that gcc makes without it.
// RUN: cp %t.o %t.with && gcc -O1 -c %s -o %t.o && cmp %t.with %t.o
int f(void) { return 0; }
