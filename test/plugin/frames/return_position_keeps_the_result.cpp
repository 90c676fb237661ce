// After a recursive call the way on depends on local variables: on one field while another was stored
// last, on a byte of a wider store, on a store through a pointer, on a member of a union. The pass must not
// follow a way that the program does not take: output and result are those of the plain program.
// RUN: %clangxx -O0 %s %fake -o %t && %t > %t.plain
// RUN: FileCheck %s < %t.plain
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t | grep -v cuda | diff %t.plain -
// RUN: %clangxx %gmp -O1 %s %fake -o %t && %t | grep -v cuda | diff %t.plain -
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | grep -v cuda | diff %t.plain -
// RUN: %clangxx %gmp -O3 %s %fake -o %t && %t | grep -v cuda | diff %t.plain -
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-mode=every -O2 %s %fake -o %t && %t | grep -v cuda | diff %t.plain -
#include "../Inputs/cuda.h"
#include <cstdio>
#include <cstring>

#define NOINLINE __attribute__((noinline))

static void touch() {
  void *p = nullptr;
  cudaMalloc(&p, 1 << 20);
  cudaFree(p);
}

struct Status {
  int state, retries;
};
struct Result {
  int value, cost;
};
NOINLINE Result by_field(int n) {
  if (n == 0) return touch(), Result{1, 2};
  Result r = by_field(n - 1);
  Status s;
  s.state = 1;
  s.retries = 0;
  switch (s.state) {
  case 1:
    return r;
  default: {
    Result none;
    none.value = r.value;
    none.cost = 0;
    return none;
  }
  }
}

NOINLINE int by_byte_of_a_word(int n) {
  if (n == 0) return touch(), 7;
  int r = by_byte_of_a_word(n - 1);
  int word = 0x0100;
  reinterpret_cast<unsigned char *>(&word)[1] = 0;
  if (word) return -1;
  return r;
}

NOINLINE int through_a_pointer(int n) {
  if (n == 0) return touch(), 8;
  int r = through_a_pointer(n - 1);
  int way = 0;
  int *alias = &way;
  *alias = 1;
  if (way == 0) return -1;
  return r;
}

union Both {
  int whole;
  unsigned char first;
};
NOINLINE int by_member_of_a_union(int n) {
  if (n == 0) return touch(), 9;
  int r = by_member_of_a_union(n - 1);
  Both b;
  b.whole = 0x0200;
  b.first = 1;
  switch (b.whole) {
  case 1:
    return -1;
  default:
    return r;
  }
}

NOINLINE int by_array(int n) {
  if (n == 0) return touch(), 10;
  int r = by_array(n - 1);
  int a[2];
  a[0] = 1;
  a[1] = 0;
  if (a[0]) return r;
  return -1;
}

/* One field is the call's, the other one the function's own. */
NOINLINE Result half_of_it(int n) {
  if (n == 0) return touch(), Result{1, 2};
  Result r;
  r.value = half_of_it(n - 1).value;
  r.cost = 0;
  return r;
}

/* The result is stored and then written over. */
NOINLINE int written_over(int n) {
  if (n == 0) return touch(), 11;
  int r = written_over(n - 1);
  r = 5;
  return r;
}

NOINLINE int in_a_loop(int n) {
  for (int i = 0;; ++i) {
    Status s;
    if (n == 0) return touch(), 12;
    int r = in_a_loop(n - 1);
    s.state = i;
    s.retries = 1;
    if (s.state == 1) return r + i;
  }
}

int main() {
  Result r = by_field(1);
  printf("by field %d,%d\n", r.value, r.cost);
  // CHECK: by field 1,2
  printf("by byte %d\n", by_byte_of_a_word(3));
  // CHECK: by byte 7
  printf("pointer %d\n", through_a_pointer(3));
  // CHECK: pointer 8
  printf("union %d\n", by_member_of_a_union(3));
  // CHECK: union 9
  printf("array %d\n", by_array(3));
  // CHECK: array 10
  r = half_of_it(3);
  printf("half %d,%d\n", r.value, r.cost);
  // CHECK: half 1,0
  printf("over %d\n", written_over(3));
  // CHECK: over 5
  printf("loop %d\n", in_a_loop(3));
  // CHECK: loop 15
}
