/* The filter file promises that the functions of stale_lines_other.c are harmless, and they are
 * not: no site is stored before they are called, so that the frame still names the call before. */
#include <cuda_runtime.h>

void other_make(void **p, unsigned long n);    /* rebuilt, has a frame */
void other_ignored(void **p, unsigned long n); /* rebuilt, ignored: no frame */
void other_free(void *p);                      /* rebuilt, has a frame */
void other_first(void **p);                    /* rebuilt, promised nothing */
void other_back(void (*f)(void *), void *data);
void plain_back(void (*f)(void *), void *data); /* not rebuilt */

static void *a[8];

static __attribute__((noinline)) void init(void) {
  cudaMalloc(&a[0], 1000);
}

static __attribute__((noinline)) void one(void) {
  init();
  other_make(&a[1], 2000);
  init();
}

static __attribute__((noinline)) void two(void) {
  init();
  other_ignored(&a[2], 4000);
}

static __attribute__((noinline)) void three(void) {
  init();
  other_free(a[1]);
}

static __attribute__((noinline)) void four(void) {
  other_first(&a[4]);
  other_make(&a[5], 8000);
}

static void called_back(void *data) {
  cudaMalloc((void **)data, 16000);
}

/* Here the frame above is another function's, and the line is right. */
static __attribute__((noinline)) void right(void) {
  other_back(called_back, &a[6]);
  plain_back(called_back, &a[7]);
}

int main(void) {
  one();
  two();
  three();
  four();
  right();
  return 0;
}
