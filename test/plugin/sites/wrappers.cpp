// Calls that allocate for the caller of their function, at each level of optimisation.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep "kind=3" | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep "kind=3" | FileCheck %s
// RUN: env FAKE_RUNTIME_SITES=1 %t | grep -c "for the caller" | FileCheck --check-prefix=COUNT %s
// COUNT: {{^}}10{{$}}
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
}
