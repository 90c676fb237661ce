// Memory that wrappers allocate for their callers. Each line that calls one has a size of its own.
#include <cuda_runtime.h>

#include <cstdlib>

static float *zeros(size_t count) {
  float *p = nullptr;
  if (cudaMalloc(&p, count * sizeof(float))) exit(1);
  return p;
}

struct Vector {
  float *data = nullptr;
  explicit Vector(size_t count) { cudaMalloc(&data, count * sizeof(float)); }
  Vector(Vector &&other) noexcept : data(other.data) { other.data = nullptr; }
  ~Vector() { cudaFree(data); }
};

static Vector make_vector(size_t count) {
  Vector v(count);
  return v;
}

static float *down(int levels, size_t count) { // a wrapper that calls itself
  if (levels) return down(levels - 1, count);
  return zeros(count);
}

static float *cache; // kept, so it is no wrapper
static float *cached(size_t count) {
  if (!cache) cudaMalloc(&cache, count * sizeof(float));
  return cache;
}

static void train(size_t count) {
  float *a = zeros(count);
  float *b = zeros(2 * count);
  cudaFree(a);
  cudaFree(b);
}

int main(int argc, char **) {
  float *one = zeros(1024);
  float *two = zeros(2048);
  Vector v = make_vector(4096);
  float *deep = down(3, 512);
  cached(256);
  cached(256);
  train(argc > 1 ? 9000 : 8192);
  cudaFree(one);
  cudaFree(deep);
  return two ? 0 : 1; // two and the cache are never freed
}
