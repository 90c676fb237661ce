// many_names labels|nested|scopes|streams|pools|cuda_pools COUNT, or labels_of_paths|
// streams_of_paths|scopes_of_paths COUNT, where each name is used on 64 call paths: names and
// handles that are new each time, and blocks that stay. Prints what it allocated, how much is live
// and in how many blocks, as JSON.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.hpp>
#include <string>
#include <vector>

static unsigned long long allocated, live, blocks;
static std::vector<void *> kept;

static void count(size_t bytes) {
  allocated += bytes;
  live += bytes;
  blocks++;
}

__attribute__((noinline)) static void *take(size_t bytes) {
  void *p = nullptr;
  if (cudaMalloc(&p, bytes)) std::_Exit(3);
  count(bytes);
  return p;
}

__attribute__((noinline)) static void give(void *p, size_t bytes) {
  cudaFree(p);
  live -= bytes;
}

// One block in a hundred stays, so that live memory has its names, too.
__attribute__((noinline)) static void work(unsigned long i) {
  void *p = take(512);
  if (i % 100 == 99) kept.push_back(p);
  else give(p, 512);
}

// Allocates on so many call paths.
__attribute__((noinline)) static void dive(unsigned long depth, cudaStream_t stream) {
  if (depth > 1) dive(depth - 1, stream);
  if (!stream) {
    work(0);
    return;
  }
  void *p = nullptr;
  if (cudaMallocAsync(&p, 512, stream)) std::_Exit(3);
  count(512);
  cudaFreeAsync(p, stream);
  live -= 512;
}

enum { PATHS = 64 };

static void labels_of_paths(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    gpumemprof_label_push(("iteration " + std::to_string(i)).c_str());
    dive(PATHS, nullptr);
    gpumemprof_label_pop();
  }
}

static void streams_of_paths(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    cudaStream_t stream;
    if (cudaStreamCreate(&stream)) std::_Exit(3);
    dive(PATHS, stream);
  }
}

static void scopes_of_paths(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    uint64_t scope = gpumemprof_scope_begin(("iteration " + std::to_string(i)).c_str());
    dive(PATHS, nullptr);
    gpumemprof_result r;
    if (!gpumemprof_scope_end(scope, &r) || r.allocated != PATHS * 512) std::_Exit(6);
  }
}

static void cuda_pools(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool;
    void *p = nullptr;
    if (cudaMemPoolCreate(&pool, &properties) || cudaMallocFromPoolAsync(&p, 512, pool, nullptr))
      std::_Exit(3);
    count(512);
    cudaFreeAsync(p, nullptr);
    live -= 512;
    cudaStreamSynchronize(nullptr);
    if (cudaMemPoolDestroy(pool)) std::_Exit(3);
  }
}

static void labels(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    gpumemprof_label_push(("iteration " + std::to_string(i)).c_str());
    work(i);
    gpumemprof_label_pop();
  }
  gpumemprof_label_push("iteration 7"); // a name that it has had
  work(0);
  gpumemprof_label_pop();
}

static void nested(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    gpumemprof_label_push(("iteration " + std::to_string(i)).c_str());
    gpumemprof_label_push("forward");
    work(i);
    if (gpumemprof_label_pop() != 1 || gpumemprof_label_pop() != 0) std::_Exit(4);
  }
}

static void scopes(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    uint64_t scope = gpumemprof_scope_begin(("iteration " + std::to_string(i)).c_str());
    work(i);
    gpumemprof_result r;
    if (!gpumemprof_scope_end(scope, &r)) std::_Exit(5);
    if (r.allocated != 512 || r.own_peak != 512) std::_Exit(6);
  }
}

// Scopes that nobody ends: their results wait.
__attribute__((noinline)) static uint64_t leave(unsigned long i) {
  uint64_t scope = gpumemprof_scope_begin("left");
  work(i);
  return scope;
}

static void unended(unsigned long n) {
  uint64_t first = leave(0), latest = 0;
  for (unsigned long i = 1; i < n; i++) latest = leave(i);
  gpumemprof_result r;
  std::printf("{\"first\": %d, \"latest\": %d}\n", gpumemprof_scope_end(first, &r),
              gpumemprof_scope_end(latest, &r));
  std::fflush(stdout);
  std::exit(0);
}

static void streams(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    cudaStream_t stream; // never destroyed: its handle does not come back
    void *p = nullptr;
    if (cudaStreamCreate(&stream) || cudaMallocAsync(&p, 512, stream)) std::_Exit(3);
    count(512);
    if (i % 100 == 99) kept.push_back(p);
    else cudaFreeAsync(p, stream), live -= 512;
  }
}

static void pools(unsigned long n) {
  static char memory[1 << 12];
  for (unsigned long i = 0; i < n; i++) {
    gpumemprof_pool *pool = gpumemprof_pool_create(("arena " + std::to_string(i)).c_str());
    char *at = memory + i % 16 * 64;
    gpumemprof_pool_alloc(pool, at, 48);
    count(48);
    gpumemprof_pool_alloc(pool, memory + 2048, 16); // not given back before the end of the pool
    count(16);
    gpumemprof_pool_free(pool, at);
    gpumemprof_pool_destroy(pool);
    live -= 64;
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  unsigned long n = std::strtoul(argv[2], nullptr, 10);
  const std::string mode = argv[1];
  if (mode == "labels") labels(n);
  else if (mode == "nested") nested(n);
  else if (mode == "scopes") scopes(n);
  else if (mode == "unended") unended(n);
  else if (mode == "streams") streams(n);
  else if (mode == "pools") pools(n);
  else if (mode == "cuda_pools") cuda_pools(n);
  else if (mode == "labels_of_paths") labels_of_paths(n);
  else if (mode == "streams_of_paths") streams_of_paths(n);
  else if (mode == "scopes_of_paths") scopes_of_paths(n);
  else return 2;
  std::printf("{\"allocated\": %llu, \"live\": %llu, \"blocks\": %llu}\n", allocated, live, blocks);
  std::fflush(stdout);
  if (argc > 3) std::raise(SIGKILL);
  return 0;
}
