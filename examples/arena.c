/* arena.c - an allocator that gives everything back at once, and reports it by calls: what it hands
 * out lies in one piece of memory from cudaMalloc, which counts once. `gpumemprof pools` shows how
 * much of that is used at most, and `report --kind custom` by which lines.
 */
#include <cuda_runtime.h>

#include <stdio.h>

#include "gpumemprof/gpumemprof.h"

#define KIB ((size_t)1 << 10)

struct arena {
  char *memory;
  size_t size, used;
  struct gpumemprof_pool *pool;
};

static int arena_make(struct arena *a, size_t size) {
  *a = (struct arena){.size = size, .pool = gpumemprof_pool_create("frame arena")};
  return cudaMalloc((void **)&a->memory, size) == cudaSuccess;
}

static void *arena_take(struct arena *a, size_t bytes) {
  size_t rounded = (bytes + 255) / 256 * 256;
  if (rounded > a->size - a->used) return NULL;
  void *p = a->memory + a->used;
  a->used += rounded;
  gpumemprof_pool_alloc(a->pool, p, bytes);
  return p;
}

static void arena_reset(struct arena *a) {
  gpumemprof_pool_reset(a->pool);
  a->used = 0;
}

static void arena_end(struct arena *a) {
  gpumemprof_pool_destroy(a->pool);
  cudaFree(a->memory);
}

static int frame(struct arena *a, int i) {
  float *vertices = arena_take(a, 100 * KIB);
  int *indices = arena_take(a, (size_t)(10 + i) * KIB);
  return vertices && indices;
}

int main(void) {
  struct arena arena;
  if (!arena_make(&arena, 1024 * KIB)) {
    fprintf(stderr, "arena: out of GPU memory\n");
    return 1;
  }
  for (int i = 0; i < 20; i++) {
    frame(&arena, i);
    frame(&arena, 0);
    arena_reset(&arena);
  }
  arena_end(&arena);
  return 0;
}
