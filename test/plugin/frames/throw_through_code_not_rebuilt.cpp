// An exception that passes frames of code without the plugin: the catcher's frame is current again. One
// that such code catches itself leaves frames behind, which the machine stack tells from live ones, until
// an instrumented function returns.
// RUN: %clangxx -O1 -DFOREIGN -c %s -o %t.o
// RUN: %clangxx %gmp -O0 %s %t.o %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %t.o %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"

void passes(void (*f)());
void catches(void (*f)());
#ifdef FOREIGN
struct Local {
  ~Local() { fake_depth(); }
};
void passes(void (*f)()) {
  Local l;
  f();
}
void catches(void (*f)()) {
  volatile char room[512]; // so that what it calls lies well below its caller
  for (volatile char &c : room) c = 0;
  try {
    f();
  } catch (int) {
  }
}
#else
static void throws() {
  void *p;
  cudaMalloc(&p, 1);
  throw 1;
}
static void calls_catcher() {
  catches(throws);
  void *p;
  cudaMalloc(&p, 3);
}
int main() {
  try {
    passes(throws);
  } catch (int) {
    fake_path("caught");
  }
  // CHECK: cudaMalloc 1: main:[[#@LINE-4]] > throws:[[#]]
  // CHECK-NEXT: caught: main:[[#@LINE-3]]{{$}}
  calls_catcher();
  // CHECK-NEXT: cudaMalloc 1: main:[[#@LINE-1]] > calls_catcher:[[#]] > throws:[[#]]
  // CHECK-NEXT: cudaMalloc 3: main:[[#@LINE-2]] > calls_catcher:[[#]] > stale throws:[[#]]{{$}}
  fake_path("end");
  // CHECK-NEXT: end: main:[[#@LINE-1]]{{$}}
}
#endif
