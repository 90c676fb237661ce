// A handler that ends the program: what exit handlers allocate is not the thrower's.
#include <cuda_runtime.h>

#include <cstdlib>

struct Step {
  virtual void run() = 0;
};
struct Load : Step {
  void *p;
  void run() override { cudaMalloc(&p, 1000); }
};
void *r;
static void at_end() {
  cudaMalloc(&r, 3000);
}
__attribute__((noinline)) void work(Step &s) {
  s.run();
  throw 1;
}
int main() {
  Load load;
  atexit(at_end);
  try {
    work(load);
  } catch (int) {
    exit(0);
  }
}
