/* solver.c - conjugate gradients as a C program would set it up: many named device arrays, each
 * allocation checked, everything freed again on every way out. */
#include "bench_cuda.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
  int rows, nonzeros;
  int *row_start, *column;
  float *value;
};

struct device_matrix {
  int *row_start, *column;
  float *value;
};

struct solver {
  struct device_matrix a;
  float *x, *r, *p, *ap, *diagonal, *z;
  float *partial;
  float *host_partial;
  int n, blocks;
};

void launch_spmv(const struct solver *s, const float *in, float *out, cudaStream_t stream);
void launch_dot(const struct solver *s, const float *a, const float *b, cudaStream_t stream);
void launch_axpy(const struct solver *s, float alpha, const float *x, float *y,
                 cudaStream_t stream);

static int failed(cudaError_t error, const char *what) {
  if (error == 0) return 0;
  fprintf(stderr, "solver: %s: %s\n", what, cudaGetErrorString(error));
  return 1;
}

static void matrix_poisson(struct matrix *m, int side) {
  int n = side * side;
  m->rows = n;
  m->row_start = malloc((size_t)(n + 1) * sizeof(int));
  m->column = malloc((size_t)n * 5 * sizeof(int));
  m->value = malloc((size_t)n * 5 * sizeof(float));
  int at = 0;
  for (int i = 0; i < n; i++) {
    int x = i % side, y = i / side;
    m->row_start[i] = at;
    if (y > 0) m->column[at] = i - side, m->value[at++] = -1.0f;
    if (x > 0) m->column[at] = i - 1, m->value[at++] = -1.0f;
    m->column[at] = i, m->value[at++] = 4.0f;
    if (x < side - 1) m->column[at] = i + 1, m->value[at++] = -1.0f;
    if (y < side - 1) m->column[at] = i + side, m->value[at++] = -1.0f;
  }
  m->row_start[n] = at;
  m->nonzeros = at;
}

static int upload_matrix(struct device_matrix *d, const struct matrix *m) {
  size_t rows = (size_t)m->rows, nonzeros = (size_t)m->nonzeros;
  if (failed(cudaMalloc((void **)&d->row_start, (rows + 1) * sizeof(int)), "row_start")) return 1;
  if (failed(cudaMalloc((void **)&d->column, nonzeros * sizeof(int)), "column")) return 1;
  if (failed(cudaMalloc((void **)&d->value, nonzeros * sizeof(float)), "value")) return 1;
  if (failed(
          cudaMemcpy(d->row_start, m->row_start, (rows + 1) * sizeof(int), cudaMemcpyHostToDevice),
          "copy"))
    return 1;
  if (failed(cudaMemcpy(d->column, m->column, nonzeros * sizeof(int), cudaMemcpyHostToDevice),
             "copy"))
    return 1;
  return failed(cudaMemcpy(d->value, m->value, nonzeros * sizeof(float), cudaMemcpyHostToDevice),
                "copy");
}

void solver_destroy(struct solver *s) {
  cudaFree(s->a.row_start);
  cudaFree(s->a.column);
  cudaFree(s->a.value);
  cudaFree(s->x);
  cudaFree(s->r);
  cudaFree(s->p);
  cudaFree(s->ap);
  cudaFree(s->diagonal);
  cudaFree(s->z);
  cudaFree(s->partial);
  cudaFreeHost(s->host_partial);
}

int solver_create(struct solver *s, const struct matrix *m) {
  size_t bytes = (size_t)m->rows * sizeof(float);
  s->n = m->rows;
  s->blocks = (m->rows + 255) / 256;
  if (upload_matrix(&s->a, m) || failed(cudaMalloc((void **)&s->x, bytes), "x") ||
      failed(cudaMalloc((void **)&s->r, bytes), "r") ||
      failed(cudaMalloc((void **)&s->p, bytes), "p") ||
      failed(cudaMalloc((void **)&s->ap, bytes), "ap") ||
      failed(cudaMalloc((void **)&s->diagonal, bytes), "diagonal") ||
      failed(cudaMalloc((void **)&s->z, bytes), "z") ||
      failed(cudaMalloc((void **)&s->partial, (size_t)s->blocks * sizeof(float)), "partial") ||
      failed(cudaMallocHost((void **)&s->host_partial, (size_t)s->blocks * sizeof(float)),
             "host partial")) {
    solver_destroy(s);
    return 1;
  }
  return 0;
}

static double dot(const struct solver *s, const float *a, const float *b) {
  launch_dot(s, a, b, NULL);
  cudaMemcpy(s->host_partial, s->partial, (size_t)s->blocks * sizeof(float),
             cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < s->blocks; i++) sum += s->host_partial[i];
  return sum;
}

static float *residual_history(int capacity) {
  float *history = NULL;
  if (failed(cudaMallocManaged((void **)&history, (size_t)capacity * sizeof(float), 1), "history"))
    return NULL;
  for (int i = 0; i < capacity; i++) history[i] = NAN;
  return history;
}

int solver_run(struct solver *s, int iterations, double tolerance) {
  float *history = residual_history(iterations);
  if (!history) return -1;
  double rr = dot(s, s->r, s->r);
  int i = 0;
  for (; i < iterations && rr > tolerance * tolerance; i++) {
    launch_spmv(s, s->p, s->ap, NULL);
    double pap = dot(s, s->p, s->ap);
    double alpha = rr / pap;
    launch_axpy(s, (float)alpha, s->p, s->x, NULL);
    launch_axpy(s, (float)-alpha, s->ap, s->r, NULL);
    double next = dot(s, s->r, s->r);
    launch_axpy(s, (float)(next / rr), s->p, s->p, NULL);
    history[i] = (float)sqrt(next);
    rr = next;
  }
  cudaDeviceSynchronize();
  for (int k = 0; k < i; k += 16) printf("%4d %g\n", k, (double)history[k]);
  cudaFree(history);
  return i;
}

int main(int argc, char **argv) {
  int side = argc > 1 ? atoi(argv[1]) : 512;
  struct matrix m;
  struct solver s = {0};
  matrix_poisson(&m, side);
  if (solver_create(&s, &m)) return 1;
  int iterations = solver_run(&s, 1000, 1e-6);
  printf("%d iterations\n", iterations);
  solver_destroy(&s);
  free(m.row_start);
  free(m.column);
  free(m.value);
  return iterations < 0;
}
