/* threads_test.c - many threads on few devices: nothing is lost, nothing handed out twice. Under a
 * sanitizer (GPUMEMPROF_SANITIZE) also: no race, no leak.
 */
#include "check.h"

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>

#define THREADS 8
#define ROUNDS 2000
#define KEPT 16

/* Every block carries its owner's mark from its allocation to its free. */
static void *work(void *argument) {
  unsigned char mark = (unsigned char)(uintptr_t)argument, back[64];
  unsigned random = mark * 2654435761u + 1;
  unsigned char *kept[KEPT] = {0};
  cudaStream_t stream;
  OK(cudaSetDevice(mark % 2));
  OK(cudaStreamCreate(&stream));
  for (int round = 0; round < ROUNDS; round++) {
    random = random * 1664525u + 1013904223u;
    unsigned char **p = &kept[random >> 16 & (KEPT - 1)];
    if (*p) {
      OK(cudaMemcpy(back, *p, sizeof back, cudaMemcpyDeviceToHost));
      for (size_t i = 0; i < sizeof back; i++) CHECK_EQ(back[i], mark);
      OK(random >> 8 & 1 ? cudaFree(*p) : cudaFreeAsync(*p, stream));
      *p = NULL;
      continue;
    }
    size_t size = 64 + (random >> 4 & 0xfffff);
    OK(random & 2 ? cudaMalloc((void **)p, size) : cudaMallocAsync((void **)p, size, stream));
    OK(cudaMemsetAsync(*p, mark, 64, stream));
    if (round % 64 == 0) OK(cudaStreamSynchronize(stream));
  }
  for (int i = 0; i < KEPT; i++) OK(cudaFree(kept[i]));
  OK(cudaStreamDestroy(stream));
  return NULL;
}

TEST_WITH(threads_share_devices_without_sharing_blocks, "devices=2:memory=4GiB") {
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; i++) {
    size_t left, total;
    OK(cudaSetDevice(i));
    OK(cudaDeviceSynchronize());
    OK(cudaMemGetInfo(&left, &total));
    CHECK_EQ(left, total);
  }
}

static void *only_allocates(void *stop) {
  while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
    void *p;
    cudaMalloc(&p, 100);
    cudaFree(p);
  }
  return NULL;
}

/* A fork in the middle of another thread's call leaves the child a free lock. */
TEST_WITH(a_forked_child_can_go_on, "devices=1") {
  pthread_t thread;
  int stop = 0;
  pthread_create(&thread, NULL, only_allocates, &stop);
  for (int i = 0; i < 50; i++) {
    pid_t child = fork();
    if (!child) {
      void *p;
      alarm(10);
      _exit(cudaMalloc(&p, 100) || cudaFree(p));
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
}
