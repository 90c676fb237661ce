/* closed.c - a library that is not rebuilt: it allocates, frees what others allocated, and has
 * threads, as cuBLAS does. */
#include "closed.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdlib.h>

struct closed {
  void *workspace, *staging, *pooled, *more;
};

struct closed *closed_create(size_t n) {
  struct closed *c = calloc(1, sizeof *c);
  cudaMalloc(&c->workspace, n);
  cudaMallocHost(&c->staging, n / 2);
  cudaMallocAsync(&c->pooled, n / 4, NULL);
  return c;
}

static inline __attribute__((always_inline)) void *innermost(size_t n) {
  void *p = NULL;
  cudaMalloc(&p, n); /* INNERMOST */
  return p;
}

static __attribute__((noinline)) void *reserve(size_t n) {
  void *p = innermost(n); /* RESERVE */
  __asm__ volatile("" : "+r"(p));
  return p;
}

void closed_grow(struct closed *c, size_t n) {
  c->more = reserve(n); /* GROW */
  __asm__ volatile("" : "+r"(c));
}

int closed_destroy(struct closed *c) {
  int error = cudaFree(c->workspace);
  error |= cudaFreeHost(c->staging) | cudaFreeAsync(c->pooled, NULL);
  if (c->more) error |= cudaFree(c->more);
  free(c);
  return error;
}

void *closed_give(size_t n) {
  CUdeviceptr p = 0;
  cuMemAlloc_v2(&p, n);
  return (void *)p;
}

int closed_take(void *p) {
  int error = cudaFree(p);
  __asm__ volatile("" : "+r"(error));
  return error;
}

__attribute__((weak)) void closed_extra(void); /* closed_extra.cpp */

static void *work(void *size) {
  void *p = NULL;
  cudaMalloc(&p, (size_t)size);
  if (closed_extra) closed_extra();
  return p;
}

/* A worker's block, which stays. */
void closed_in_thread(size_t n) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, (void *)n);
  pthread_join(thread, NULL);
}

/* Stands for what no call of the program tells of: a context, a module. */
void closed_context(size_t n) {
  void *p = NULL;
  cudaMalloc(&p, n);
}

void closed_call(void (*function)(void)) {
  function();
  __asm__ volatile("");
}
