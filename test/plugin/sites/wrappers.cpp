// Calls that allocate for the caller of their function, at each level of optimisation.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep "kind=3" | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep "kind=3" | FileCheck %s
// RUN: env FAKE_RUNTIME_SITES=1 %t | grep -c "for the caller" | FileCheck --check-prefix=COUNT %s
// COUNT: {{^}}16{{$}}
#include "../Inputs/cuda.h"
#include <stdlib.h>

static float *zeros(size_t count) {
  void *p;
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  if (cudaMalloc(&p, count * sizeof(float))) exit(1);
  return static_cast<float *>(p);
}

struct Matrix {
  int rows, columns;
  void *data;
};
static Matrix *matrix_new(int rows, int columns) {
  Matrix *m = static_cast<Matrix *>(malloc(sizeof *m));
  m->rows = rows;
  m->columns = columns;
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  if (cudaMalloc(&m->data, rows * columns)) exit(1);
  return m;
}

// CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
static cudaError_t allocate(void **out, size_t bytes) { return cudaMalloc(out, bytes); }

struct Vector {
  void *data = nullptr;
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  explicit Vector(size_t bytes) { cudaMalloc(&data, bytes); }
  void resize(size_t bytes, bool twice) {
    cudaFree(data);
    // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
    if (twice) cudaMalloc(&data, 2 * bytes);
    // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
    else cudaMalloc(&data, bytes);
  }
};
static Vector make_vector(size_t bytes) {
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  Vector v(bytes);
  return v;
}
template <typename T> static T *array(size_t count) {
  void *p = nullptr;
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  cudaMalloc(&p, count * sizeof(T));
  return static_cast<T *>(p);
}
static void *second_level(size_t count) {
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  void *p = array<double>(count);
  return p;
}

// The pointer moves in a loop, and back into an object that the caller gave.
struct Parts {
  float *a, *b, *c;
};
static float *carve(Parts *parts, const size_t *sizes) {
  size_t sum = 0;
  for (int i = 0; i < 3; i++) sum += sizes[i];
  void *memory;
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  cudaMalloc(&memory, sum * sizeof(float));
  float **pointers[] = {&parts->a, &parts->b, &parts->c};
  float *next = static_cast<float *>(memory);
  for (int i = 0; i < 3; i++) {
    *pointers[i] = next;
    next += sizes[i];
  }
  return static_cast<float *>(memory);
}
// The size is that of the object, whose constructor was given it; the caller has the buffer of new.
struct Buffer {
  size_t bytes;
  void *data = nullptr;
  explicit Buffer(size_t bytes) : bytes(bytes) {
    // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
    allocate();
  }
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  void allocate() { cudaMalloc(&data, bytes); }
};
// CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
static Buffer *new_buffer(size_t bytes) { return new Buffer(bytes); }
// What it frees is no way out of it.
static void *grow(void *old, size_t bytes) {
  void *p;
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  cudaMalloc(&p, bytes);
  cudaFree(old);
  return p;
}

// None of these is a wrapper: what they allocate is kept, freed, of a size of their own, or several things.
static void *cached(size_t bytes) {
  static void *cache;
  if (!cache) cudaMalloc(&cache, bytes);
  return cache;
}
struct Pool {
  void *blocks[8];
  int count = 0;
  void *get(size_t bytes) {
    void *p;
    cudaMalloc(&p, bytes);
    blocks[count++] = p;
    return p;
  }
};
static void *workspace() {
  void *p;
  cudaMalloc(&p, 1024);
  return p;
}
static void temporary(size_t count) { cudaFree(zeros(count)); }
struct Layer {
  float *weight, *gradient;
};
static Layer make_layer(int n) {
  Layer layer;
  layer.weight = zeros(n);
  layer.gradient = zeros(n);
  return layer;
}
// The one ends before the other begins, and the caller sees neither.
static void scale(float *out, const float *in) { out[0] = in[0]; }
static void normalize(float *x, size_t count) {
  float *scratch = zeros(count);
  if (!count) scale(x, scratch);
  cudaFree(scratch);
}
struct Own {
  size_t bytes = 64;
  void *raw = nullptr;
  Buffer *buffer = nullptr;
  void fixed() { cudaMalloc(&raw, 1024); }
  void prepare() { buffer = new Buffer(bytes * 2); }
};
struct Cache {
  void *latest = nullptr;
  void *get(size_t bytes) {
    if (latest) return latest;
    void *p;
    cudaMalloc(&p, bytes);
    return p;
  }
};
__attribute__((gpumemprof_not_wrapper)) static void *kept_by_request(size_t bytes) {
  void *p;
  cudaMalloc(&p, bytes);
  return p;
}
static void each(void **table, int i, size_t bytes) { cudaMalloc(&table[i], bytes); }
// Moving a pointer through what it points to has no end.
static void *advanced(size_t bytes) {
  char *p;
  // CHECK-DAG: :[[#@LINE+1]]:{{.*}}(for the caller)
  cudaMalloc(reinterpret_cast<void **>(&p), bytes);
  p += 64;
  return p;
}
static void filled(size_t bytes) {
  float *p;
  cudaMalloc(reinterpret_cast<void **>(&p), bytes);
  if (!bytes)
    for (int i = 0; i < 100; i++) *p++ = 1;
}
static void forward(Layer **layers, int n) { layers[0]->weight = zeros(n); }

int main(int argc, char **) {
  void *p;
  Pool pool;
  zeros(argc);
  matrix_new(argc, 2);
  allocate(&p, argc);
  Vector v(argc);
  v.resize(argc, argc > 1);
  make_vector(argc);
  second_level(argc);
  array<char>(argc);
  cached(argc);
  pool.get(argc);
  workspace();
  temporary(argc);
  Layer layer = make_layer(argc), *one = &layer;
  forward(&one, argc);
  Parts parts;
  size_t sizes[] = {1, 2, size_t(argc)};
  carve(&parts, sizes);
  grow(new_buffer(argc)->data, argc);
  float x;
  normalize(&x, argc);
  Own own;
  own.fixed();
  own.prepare();
  Cache().get(argc);
  kept_by_request(argc);
  void *table[2];
  each(table, argc - 1, argc);
  advanced(argc);
  filled(argc);
}
