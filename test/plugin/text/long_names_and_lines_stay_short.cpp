// REQUIRES: lines-without-g
// What a template over pairs of itself is called doubles with each level: names of more than 4096 characters
// are shortened, with a number that distinguishes them. So is a source line that no person wrote. A #line that
// names a device, a pipe or a folder has no text.
// RUN: %python %inputs/long_line.py > %t.long.cpp
// RUN: %clangxx %gmp -O0 -c %s -o %t.o && wc -c < %t.o | %python -c "assert int(input()) < 400000"
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: sh -c 'ulimit -v 1000000; exec "$@"' sh %clangxx %gmp -O0 -I%inputs -c %t.long.cpp -o %t.o && wc -c < %t.o | %python -c "assert int(input()) < 4000000"
#include "../Inputs/cuda.h"

template <class A, class B> struct Pair {};
template <int N> struct Deep { using T = Pair<typename Deep<N - 1>::T, typename Deep<N - 1>::T>; };
template <> struct Deep<0> { using T = int; };
template <class T> __attribute__((noinline)) void make() {
  T *data;
  cudaMalloc((void **)&data, sizeof(T));
}
static void from_a_device() {
  void *p;
#line 1 "/dev/zero"
  cudaMalloc(&p, 3);
#line 1 "/proc"
  cudaMalloc(&p, 4);
}
#line 40 "long_names_and_lines_stay_short.cpp"
int main() {
  make<Deep<2>::T>();
  // CHECK: cudaMalloc 1: main:41 > make<Pair<Pair<int, int>, Pair<int, int>>>:
  make<Deep<21>::T>();
  // CHECK: cudaMalloc 1: main:43 > make<...>#{{[0-9a-f]+}}:
  make<Deep<22>::T>();
  from_a_device();
  // CHECK: cudaMalloc 3: main:46 > from_a_device:1
}
