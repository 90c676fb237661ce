// A [[clang::nonblocking]] function is the first rebuilt function of a thread.
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

struct filter {
  virtual int next(int x) [[clang::nonblocking]] = 0;
};
struct add_one : filter {
  int next(int x) [[clang::nonblocking]] override { return x + 1; }
};
static filter *volatile chosen = new add_one;
static volatile int result;

static void *process(void *data) [[clang::nonblocking]] {
  result = chosen->next(3) + 1;
  return data;
}

int main() {
  pthread_t thread;
  void *p;
  pthread_create(&thread, nullptr, process, nullptr);
  pthread_join(thread, nullptr);
  std::printf("%d\n", result);
  cudaMalloc(&p, 10);
  cudaFree(p);
  return 0;
}
