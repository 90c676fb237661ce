// A virtual function with other arguments than can be handed on and another type as its result:
// clang copies it whole into the thunk.
#include <cuda_runtime.h>

struct A {
  virtual A *a();
  long x;
};
A *A::a() {
  return this;
}
struct B {
  virtual B *make(const char *format, ...);
  long y;
};
B *B::make(const char *, ...) {
  return this;
}
struct D : A, B {
  D *make(const char *format, ...) override;
  void *p;
};
D *D::make(const char *, ...) {
  cudaMalloc(&p, 1000);
  return this;
}
__attribute__((noinline)) B *call(B *b) {
  return b->make("x", 1);
}
int main() {
  D d;
  call(&d);
}
