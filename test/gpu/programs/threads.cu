// Four threads, each with blocks of its own; a block allocated by one thread and freed by another;
// all blocks live at once between two barriers, so that the peak has one value.
#include "expect.h"
#include <cuda_runtime.h>
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 50 };
static pthread_barrier_t barrier;
static char *handed[THREADS];

static void churn(int number) {
  for (int i = 0; i < ROUNDS; i++) {
    char *p = nullptr;
    CHECK(cudaMalloc(&p, 1024 * (size_t)(number + 1)));
    CHECK(cudaFree(p));
  }
}

static void *work(void *argument) {
  const int number = (int)(size_t)argument;
  CHECK(cudaSetDevice(0));
  churn(number);
  pthread_barrier_wait(&barrier);
  CHECK(cudaMalloc(&handed[number], MIB * (size_t)(number + 1)));
  pthread_barrier_wait(&barrier);
  CHECK(cudaFree(handed[(number + 1) % THREADS]));
  churn(number);
  return nullptr;
}

int main() {
  expect e;
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, nullptr, THREADS);
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], nullptr, work, (void *)i)) return 3;
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], nullptr);
  const unsigned long long allocated = 10 * MIB + 2ull * ROUNDS * 10 * 1024;
  e.device(0, allocated, allocated, 10 * MIB);
  return 0;
}
