// Variants of constructors and destructors, thunks of virtual functions, implicit members: levels that
// depend on -O are none.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t > %t.0
// RUN: FileCheck %s < %t.0
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | diff %t.0 -
#include "../Inputs/cuda.h"
struct Base1 {
  virtual ~Base1() {}
  virtual void f() {}
};
struct Base2 {
  virtual ~Base2() {}
  virtual void g() = 0;
};
struct Both : virtual Base1, Base2 {
  void *p;
  Both() { cudaMalloc(&p, 1); }
  ~Both() override { cudaFree(p); }
  void g() override { cudaMalloc(&p, 2); }
};
struct More : Both {
  ~More() override {}
};
int main() {
  Base2 *b = new More;
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > Both::Both:[[#]]{{$}}
  b->g();
  // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-1]] > Both::g:[[#]]{{$}}
  delete b;
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-1]] > {{(More::~More:[0-9]+ > )?}}Both::~Both:[[#]]{{$}}
}
