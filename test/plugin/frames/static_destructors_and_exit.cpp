// What runs in exit() is on the line of exit(); what runs after main has no caller.
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t x | FileCheck --check-prefix=EXIT %s
// RUN: %t | FileCheck --check-prefix=RETURN %s
#include "../Inputs/cuda.h"
#include <cstdlib>
struct Owner {
  void *p;
  Owner() { cudaMalloc(&p, 1); }
  ~Owner() { cudaFree(p); }
};
static Owner owner;
int main(int argc, char **) {
  cudaDeviceReset();
  // EXIT: cudaMalloc 1: __cxx_global_var_init:[[#@LINE-3]] > Owner::Owner
  if (argc > 1) exit(0);
  // EXIT: cudaFree 0: main:[[#@LINE-1]] > Owner::~Owner
  // RETURN: {{^}}cudaFree 0: Owner::~Owner
}
