// Threads that collide: on two devices at the same time, in the same lines, and in work of one
// scope. Nobody takes turns. Each leaves one block.
#include <cuda_runtime_api.h>
#include <gpumemprof/gpumemprof.h>

#include <cstdlib>
#include <thread>
#include <vector>

static int rounds;

static void *get(size_t bytes) {
  void *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

static void on_device(int device) {
  cudaSetDevice(device);
  for (int i = 0; i < rounds; i++) {
    void *first = get(1000), *second = get(2000);
    cudaFree(first);
    cudaFree(second);
  }
  get(5000); // never freed
}

static void part(int device) {
  cudaSetDevice(device);
  for (int i = 0; i < rounds; i++) cudaFree(get(3000));
  get(7000);
}

static void shared(int threads) {
  gpumemprof_context *context = gpumemprof_context_capture();
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++)
    all.emplace_back([=] {
      GPUMEMPROF_ATTACH(context);
      part(i % 2);
    });
  for (std::thread &t : all) t.join();
  gpumemprof_context_release(context);
}

int main(int, char **arguments) {
  int threads = atoi(arguments[1]);
  rounds = atoi(arguments[2]);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) all.emplace_back(on_device, i % 2);
  shared(threads);
  for (std::thread &t : all) t.join();
}
