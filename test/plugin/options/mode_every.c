// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every -O1 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
#include <stdlib.h>
static int less(const void *a, const void *b) {
  fake_path("less");
  return *(const int *)a - *(const int *)b;
}
static void sorts(int *a) { qsort(a, 2, sizeof *a, less); }
int main(void) {
  int a[] = {2, 1};
  sorts(a);
  // CHECK: less: main:[[#@LINE-1]] > sorts:[[#@LINE-4]] > less:[[#@LINE-7]]
  return 0;
}
