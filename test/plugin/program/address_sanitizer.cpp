// REQUIRES: asan
// Site tables get no red zones, our loads and stores no checks, and the program finds its own bugs.
// RUN: %clangxx %gmp -fsanitize=address,undefined -O1 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 ASAN_OPTIONS=detect_leaks=0 %t | FileCheck %s
// RUN: not env ASAN_OPTIONS=detect_leaks=0 %t overflow 2>&1 | FileCheck --check-prefix=BUG %s
#include "../Inputs/cuda.h"
#include <cstdlib>
int main(int argc, char **) {
  void *p;
  // CHECK: site kind=1 flags=0 address_sanitizer.cpp:[[#@LINE-2]]:0 in main
  cudaMalloc(&p, 1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]]
  if (argc == 1) return 0;
  char *text = static_cast<char *>(malloc(4));
  // BUG: heap-buffer-overflow
  return text[argc + 2];
}
