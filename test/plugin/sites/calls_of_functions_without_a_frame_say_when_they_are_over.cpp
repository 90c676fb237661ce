// A call is an activation of its line where its callee has no frame and may allocate more than once: code behind it says
// that it is over. Not where it allocates once (a wrapper of cudaMalloc, one element), frees only, or has a frame; and not
// where the function returns next, for then its exit says so.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && env FAKE_RUNTIME_CALLS=1 %t > %t.0
// RUN: FileCheck %s < %t.0
// RUN: %clangxx %gmp -O2 %s %fake -o %t && env FAKE_RUNTIME_CALLS=1 %t | diff %t.0 -
// RUN: %clangxx %gmp -O2 -S -emit-llvm -Xclang -disable-llvm-passes %s -o - | FileCheck --check-prefix=WRAPPER %s
#include "../Inputs/cuda.h"
#include <memory>
#include <vector>
extern "C" void fake_path(const char *);

struct Buf {
  void *p;
  Buf() { cudaMalloc(&p, 10); }
  Buf(const Buf &) { cudaMalloc(&p, 11); }
  ~Buf() { cudaFree(p); }
};
struct Two {
  Buf a, b;
};

static void framed() {
  Buf a, b;
  fake_path("framed");
}
static void returns_next(std::vector<Buf> *v) { v->resize(2); }

int main() {
  {
    Two t;
    // CHECK: cudaMalloc 10: main:[[#@LINE-1]] > Buf::Buf
    // CHECK-NEXT: cudaMalloc 10: main:[[#@LINE-2]] > Buf::Buf
    // CHECK-NEXT: call ended: line [[#@LINE-3]]{{$}}
    std::vector<Buf> v(2);
    // CHECK-NEXT: cudaMalloc 10: main:[[#@LINE-1]] > Buf::Buf
    // CHECK-NEXT: cudaMalloc 10: main:[[#@LINE-2]] > Buf::Buf
    // CHECK-NEXT: call ended: line [[#@LINE-3]]{{$}}
    std::unique_ptr<Buf> one = std::make_unique<Buf>();
    // CHECK-NEXT: cudaMalloc 10: main:[[#@LINE-1]] > Buf::Buf
    // CHECK-NEXT: main: main
    fake_path("main");
  }
  // CHECK-COUNT-5: cudaFree
  // CHECK-NOT: call ended
  framed();
  // CHECK: framed: main
  std::vector<Buf> v;
  returns_next(&v);
  // CHECK: cudaMalloc 10: main:[[#@LINE-1]] > returns_next:[[#@LINE-23]] > Buf::Buf
  // CHECK-NEXT: cudaMalloc 10: main:[[#@LINE-2]] > returns_next
  // CHECK-NEXT: cudaFree
}
// WRAPPER: define {{.*}}main
// WRAPPER: call {{.*}}__gpumemprof_keep_call_ended
