// Each call gives memory to a variable in another way.
#include <cuda_runtime.h>

#include <cstdlib>
#include <utility>

enum class Result { done, failed };
struct Context {
  int calls = 0;
};
struct Buffer {
  void *data = nullptr;
  size_t bytes = 0;
  Buffer() = default;
  explicit Buffer(size_t n) : bytes(n) { cudaMalloc(&data, n); }
  Buffer(const Buffer &other) : Buffer(other.bytes) {}
  Buffer &operator=(const Buffer &other) {
    resize(other.bytes);
    return *this;
  }
  ~Buffer() { cudaFree(data); }
  void resize(size_t n) {
    cudaFree(data);
    cudaMalloc(&data, bytes = n);
  }
};

static Result by_pointer(Context *context, float **p, size_t n) {
  ++context->calls;
  return cudaMalloc(p, n) ? Result::failed : Result::done;
}
static int by_reference(float *&p, size_t n) {
  return cudaMalloc(&p, n);
}
static void grow(Buffer &buffer, size_t n) {
  buffer.resize(n);
}
static void grow_in(Context &context, Buffer &buffer, size_t n) {
  ++context.calls;
  buffer.resize(n);
}
static float sum(const Buffer &of, size_t n) {
  Buffer scratch(n);
  return of.data && scratch.data ? 1.0f : 0.0f;
}

static size_t with_size(float **p, size_t n) {
  return cudaMalloc(p, n) ? 0 : n;
}
static float *logged(Context &context, size_t n) {
  float *p = nullptr;
  ++context.calls;
  cudaMalloc(&p, n);
  return p;
}
static int second_of_two(float **, float **second, size_t n) {
  return cudaMalloc(second, n);
}
static Buffer made(Context &context, size_t n) {
  ++context.calls;
  return Buffer(n);
}
struct Device {
  int allocations = 0;
  int allocate(float *&p, size_t n) {
    ++allocations;
    return cudaMalloc(&p, n);
  }
};
static void keep(float *p) {
  cudaFree(p);
}

int main() {
  Context context;
  float *p, *q;
  Result result = by_pointer(&context, &p, 1 << 10);
  int code = by_reference(q, 2 << 10);
  Buffer built(4 << 10);
  Buffer copied = built;
  Buffer assigned;
  assigned = built;
  Buffer grown;
  grow(grown, 8 << 10);
  Buffer either;
  grow_in(context, either, 16 << 10);
  float *r, *s, *t;
  size_t got = with_size(&r, 64 << 10);
  keep(logged(context, 128 << 10));
  code |= second_of_two(&t, &s, 256 << 10);
  Device device;
  code |= device.allocate(t, 512 << 10);
  float *listed{logged(context, 1 << 20)};
  Buffer remade;
  remade = made(context, 2 << 20);
  float total = sum(built, 32 << 10);
  cudaFree(p);
  for (float *p : {q, r, s, t, listed}) cudaFree(p);
  return got == 64 << 10 && result == Result::done && !code && total > 0 ? 0 : 1;
}
