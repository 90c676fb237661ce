// An exception whose destructor, of another file, frees when the handler is left by another one.
#include "held.h"

#include <cuda_runtime.h>

void *q, *z;
__attribute__((noinline)) void one() {
  cudaMalloc(&z, 77);
  throw Held(1000);
}
__attribute__((noinline)) void two() {
  cudaMalloc(&q, 500);
  throw 2;
}
__attribute__((noinline)) void both() {
  try {
    one();
  } catch (Held &) {
    two();
  }
}
int main() {
  try {
    both();
  } catch (int) {
  }
}
