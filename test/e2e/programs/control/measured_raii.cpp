// The C++ layer: scopes that end with their block, by end(), and by an exception.
#include <cstdio>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.hpp>

static void *take(std::size_t bytes) {
  void *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

static void throws(gpumemprof::result &into) {
  gpumemprof::scope scope("throws");
  scope.leave_in(into);
  void *p = take(4096);
  cudaFree(p);
  throw 1;
}

int main() {
  gpumemprof::result left;
  {
    gpumemprof::scope scope("block");
    scope.leave_in(left);
    cudaFree(take(8192));
  }
  std::printf("block %u %llu\n", left.left, (unsigned long long)left.own_peak);
  try {
    throws(left);
  } catch (int) {
  }
  std::printf("throws %u %llu\n", left.left, (unsigned long long)left.own_peak);
  gpumemprof::scope scope("ended", gpumemprof::current_device, GPUMEMPROF_ASK_PROCESS);
  void *p = take(1024);
  gpumemprof::result ended = scope.end();
  std::printf("ended %u %llu %d %d\n", ended.left, (unsigned long long)ended.own_peak, (bool)scope,
              ended.after.resident > 0);
  cudaFree(p);
  gpumemprof::snapshot now = gpumemprof::take_snapshot();
  std::printf("now %llu %llu\n", (unsigned long long)now.acquired, (unsigned long long)now.peak);
  return gpumemprof_is_enabled() ? 0 : left.left || ended.left || now.clock;
}
