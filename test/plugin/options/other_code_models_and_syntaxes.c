// REQUIRES: x86_64
// What the exit says in assembler works in every way of compiling for x86-64.
// RUN: %clang %gmp -masm=intel -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -fno-integrated-as -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -fno-pic -no-pie -mcmodel=medium -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -fno-pic -no-pie -static -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -fstack-protector-all -fno-omit-frame-pointer -mno-red-zone -fcf-protection -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -g -Og -c %s -o %t.o && llvm-dwarfdump --verify --quiet %t.o
// RUN: %clang %t.o %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
static int leak(void *(*unused)(void), int n) {
  void *p;
  int r = cudaMalloc(&p, n);
  return unused ? 1 : r;
}
static void *(*volatile no_function)(void);
static int middle(int n) { return no_function ? no_function() != NULL : leak(no_function, n) + 1; }
int main(void) {
  for (int i = 1; i < 3; i++) middle(i);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > middle:[[#@LINE-3]] > leak:[[#@LINE-7]]{{$}}
  // CHECK: cudaMalloc 2: main:[[#@LINE-2]] > middle:[[#@LINE-4]] > leak:[[#@LINE-8]]{{$}}
  fake_path("end");
  // CHECK: end: main:[[#@LINE-1]]{{$}}
  return 0;
}
