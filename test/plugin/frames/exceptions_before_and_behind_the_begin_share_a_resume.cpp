// A frame begins where it is needed. Clean-ups of an exception that was thrown before that end in the same resume as those
// behind, where the frame ends; so it begins before both. This was IR that is not valid.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
#include <cstdio>
#include <stdexcept>

static void check(int value) {
  if (value < 0) throw std::runtime_error("negative");
}
struct Matrix {
  void *data = nullptr;
  explicit Matrix(int n) { cudaMalloc(&data, n); }
  ~Matrix() { cudaFree(data); }
};
static Matrix add(int a, int b) {
  if (a != b) throw std::runtime_error("shapes differ");
  Matrix result(a);
  check(b);
  return result;
}

static void attempt(int a, int b) {
  try {
    add(a, b);
    puts("added");
  } catch (const std::runtime_error &error) {
    puts(error.what());
  }
}

int main() {
  attempt(1, 2);
  // CHECK: shapes differ
  attempt(3, 3);
  // CHECK: added
  attempt(-1, -1);
  // CHECK: negative
  attempt(4, 4);
  // CHECK: added
}
