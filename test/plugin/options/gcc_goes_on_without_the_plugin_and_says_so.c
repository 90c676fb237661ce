// REQUIRES: gcc
// RUN: gcc -fplugin=%plugin -O1 -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not={{.}} %s
// RUN: g++ -x c++ -fplugin=%plugin -fplugin-arg-gpumemprof-mode=every -c %s -o %t.cxx.o 2>&1 | FileCheck --implicit-check-not={{.}} %s
// CHECK: {{^}}cc1{{(plus)?}}: warning: gpumemprof does not instrument what gcc compiles, and this file is compiled as without -fplugin=; use clang (`gpumemprof flags clang`, for nvcc `gpumemprof flags nvcc`), or profile the program without it: gcc -g1 -fno-omit-frame-pointer, then `gpumemprof run -- ./app`{{$}}

// The object is the one that gcc makes without it.
// RUN: cp %t.o %t.with && gcc -O1 -c %s -o %t.o && cmp %t.with %t.o
int f(void) { return 0; }
