// pairs_of_threads.cu - what a pair of cudaMallocAsync and cudaFreeAsync of 1 MiB takes, in each of
// several threads with a stream of its own. Run by pairs_of_threads.py, not by measure.py.
//
//   pairs_of_threads THREADS COUNT ROUNDS
//
// THREADS: 0: only the main thread; otherwise so many new threads in each round. Thread i works on
// device i modulo the number of devices. Prints the nanoseconds of a pair in the fastest of ROUNDS
// rounds: the time from the moment all threads are ready until the last one is done, divided by
// COUNT.
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(cudaError_t error) {
  if (!error) return;
  fprintf(stderr, "pairs_of_threads: %s\n", cudaGetErrorString(error));
  exit(1);
}

static double now_ns() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static long count;
static int devices;
static pthread_barrier_t line;

static void loop(cudaStream_t stream) {
  for (long i = 0; i < count; i++) {
    void *block;
    check(cudaMallocAsync(&block, 1 << 20, stream));
    check(cudaFreeAsync(block, stream));
  }
}

struct worker {
  pthread_t thread;
  int device;
  double begin, end;
};

static void work(worker *w, bool waits) {
  cudaStream_t stream;
  check(cudaSetDevice(w->device));
  check(cudaStreamCreate(&stream));
  void *block; // the first event of a thread makes its record
  check(cudaMallocAsync(&block, 1 << 20, stream));
  check(cudaFreeAsync(block, stream));
  if (waits) pthread_barrier_wait(&line);
  w->begin = now_ns();
  loop(stream);
  w->end = now_ns();
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
}

static void *run(void *argument) {
  work(static_cast<worker *>(argument), true);
  return nullptr;
}

static double round_of(int threads) {
  worker workers[64] = {};
  if (!threads) {
    work(&workers[0], false);
    return workers[0].end - workers[0].begin;
  }
  pthread_barrier_init(&line, nullptr, static_cast<unsigned>(threads));
  for (int i = 0; i < threads; i++) {
    workers[i].device = i % devices;
    if (pthread_create(&workers[i].thread, nullptr, run, &workers[i])) exit(1);
  }
  double begin = 0, end = 0;
  for (int i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, nullptr);
    if (!i || workers[i].begin < begin) begin = workers[i].begin;
    if (workers[i].end > end) end = workers[i].end;
  }
  pthread_barrier_destroy(&line);
  return end - begin;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : -1, rounds = argc > 3 ? atoi(argv[3]) : 7;
  count = argc > 2 ? atol(argv[2]) : 0;
  if (threads < 0 || threads > 64 || count < 1 || rounds < 1) {
    fprintf(stderr, "usage: %s THREADS COUNT ROUNDS\n", argv[0]);
    return 2;
  }
  check(cudaGetDeviceCount(&devices));
  for (int device = 0; device < devices; device++) {
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX; // the pool keeps what was freed
    check(cudaDeviceGetDefaultMemPool(&pool, device));
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  }
  double best = 0;
  for (int i = 0; i < rounds; i++) {
    double ns = round_of(threads);
    if (!best || ns < best) best = ns;
  }
  printf("%.1f\n", best / static_cast<double>(count));
  return 0;
}
