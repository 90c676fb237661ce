// control.cpp - a program's own calls on a real device: what they take, and that they tell what
// CUDA tells.
//
//   control        prints nanoseconds of each; status 1 and a sentence where a figure is wrong
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.hpp>

static void *take(size_t bytes) {
  void *p = nullptr;
  if (cudaMalloc(&p, bytes)) std::exit(3);
  return p;
}

static void expect(const char *what, unsigned long long is, unsigned long long should) {
  if (is == should) return;
  std::printf("WRONG: %s is %llu, not %llu\n", what, is, should);
  std::exit(1);
}

template <class F> static void time(const char *name, int count, F &&f) {
  for (int i = 0; i < 100; i++) f();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; i++) f();
  std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("%-40s %9.0f ns\n", name, took.count() / count);
}

int main() {
  gpumemprof::scope all("all");
  void *a = take(10 << 20), *b = take(30 << 20);
  size_t bytes_free, total;
  auto now = gpumemprof::take_snapshot(gpumemprof::current_device, GPUMEMPROF_ASK_DEVICE);
  cudaMemGetInfo(&bytes_free, &total);
  expect("free", now.device_free, bytes_free);
  expect("total", now.device_total, total);
  expect("acquired", now.acquired, 40 << 20);
  void *pool;
  cudaMallocAsync(&pool, 50 << 20, nullptr);
  now = gpumemprof::take_snapshot(gpumemprof::current_device, GPUMEMPROF_ASK_DEVICE);
  cudaMemPool_t handle;
  cudaDeviceGetDefaultMemPool(&handle, 0);
  unsigned long long used, reserved;
  cudaMemPoolGetAttribute(handle, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(handle, cudaMemPoolAttrReservedMemCurrent, &reserved);
  expect("pool used", now.pool_used, used);
  expect("pool reserved", now.pool_reserved, reserved);
  cudaFreeAsync(pool, nullptr);
  cudaFree(a);
  cudaDeviceSynchronize();

  time("snapshot", 100000, [] { gpumemprof::take_snapshot(); });
  time("snapshot, device asked", 2000,
       [] { gpumemprof::take_snapshot(gpumemprof::current_device, GPUMEMPROF_ASK_DEVICE); });
  time("snapshot, process asked", 2000,
       [] { gpumemprof::take_snapshot(gpumemprof::current_device, GPUMEMPROF_ASK_PROCESS); });
  time("scope with its result", 100000, [] { gpumemprof::scope("s").end(); });
  time("label", 100000, [] { gpumemprof::label l("forward"); });
  time("step", 100000, [] { gpumemprof_step(); });
  time("cudaMalloc + cudaFree, 4 KiB", 20000, [] { cudaFree(take(4096)); });
  {
    gpumemprof::scope s("measured");
    time("the same in a measured scope", 20000, [] { cudaFree(take(4096)); });
  }
  {
    gpumemprof::label l("forward");
    time("the same under a label", 20000, [] { cudaFree(take(4096)); });
  }
  cudaFree(b);
  gpumemprof::result r = all.end();
  expect("own peak", r.own_peak, 90 << 20);
  expect("net", (unsigned long long)r.net, 0);
  gpumemprof_reset();
  expect("peak after a reset", gpumemprof::take_snapshot().peak, 0);
  std::puts("every figure is CUDA's");
}
