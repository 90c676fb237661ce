/* calls_closed.c - a rebuilt program and a library that is not (closed.c). closed_libraries.py says
 * what is charged where. */
#include "closed.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB ((size_t)1 << 10)

static void *ours(size_t n) {
  void *p = NULL;
  cudaMalloc(&p, n);
  return p;
}

static void begin(struct closed **c) {
  *c = closed_create(64 * KIB);
}

static void grow(struct closed *c) {
  closed_grow(c, 32 * KIB);
}

static void take(void *p) {
  closed_take(p);
}

static void give_back(void *p) {
  cudaFree(p);
}

static void called_back(void) {
  free(malloc(1));
  give_back(ours(2 * KIB));
}

static void use(void) {
  struct closed *c;
  begin(&c);
  grow(c);
  take(ours(128 * KIB));
  give_back(closed_give(16 * KIB));
  closed_call(called_back);
  closed_destroy(c);
}

static void stays(void) {
  closed_give(4 * KIB);
  closed_in_thread(8 * KIB);
}

static void unknown_pointer(void) {
  printf("%d\n", closed_take((void *)0x1000));
}

static void called_back_inside(void) {
  ours((size_t)16 << 20);
  closed_context((size_t)8 << 20); /* INSIDE */
}

/* Changes of free memory that no event tells of, and some that one does. */
static void sampled(void) {
  ours((size_t)4 << 20);
  for (int i = 0; i < 3; i++) closed_context((size_t)64 << 20); /* CONTEXT */
  closed_call(called_back_inside);
  closed_call(called_back);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "fork")) {
    pid_t child = fork();
    if (child) return waitpid(child, NULL, 0) < 0;
  }
  if (!strcmp(what, "sampled")) return sampled(), 0;
  if (!strcmp(what, "unknown")) unknown_pointer();
  cudaFree(NULL);
  use();
  stays();
  return 0;
}
