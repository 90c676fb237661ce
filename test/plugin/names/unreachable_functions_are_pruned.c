// RUN: %clang %gmp %ir %s | FileCheck %s
// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every %ir %s | FileCheck --check-prefix=EVERY %s
#include "../Inputs/cuda.h"
#include <ctype.h>
#include <execinfo.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int helper(int n) { return n * 2; }
// CHECK-LABEL: define {{.*}} @calls_the_c_library(
// CHECK-NOT: %gpumemprof.frame
// CHECK: ret void
// EVERY-LABEL: define {{.*}} @calls_the_c_library(
// EVERY: %gpumemprof.frame
void calls_the_c_library(char *s) {
  struct timespec now;
  clock_gettime(0, &now);
  printf("%s %d\n", s, helper(atoi(s)));
  free(memcpy(malloc(strlen(s)), s, 1));
  pthread_mutex_lock((pthread_mutex_t *)s);
  if (!s) exit(1);
}
// CHECK-LABEL: define {{.*}} @calls_the_system(
// CHECK-NOT: %gpumemprof.frame
// CHECK: ret i64
long calls_the_system(int file, void **frames) {
  close(dup(file));
  recv(file, frames, 8, 0);
  backtrace_symbols_fd(frames, backtrace(frames, 4), file);
  return lround(sqrt(tolower(file)));
}
// CHECK-LABEL: define {{.*}} @calls_other_cuda(
// CHECK-NOT: %gpumemprof.frame
// CHECK: ret i32
int calls_other_cuda(void *to, void *from) { return cudaMemcpy(to, from, 4, 1); }
// What an attribute says of host memory is nothing about the GPU's; and the call stays behind the store of its line.
// CHECK-LABEL: define {{.*}} @calls_pure(
// CHECK: %gpumemprof.frame =
// CHECK-NOT: memory(read)
int pure_one(int) __attribute__((pure));
int calls_pure(int n) { return pure_one(n); }
// CHECK-LABEL: define {{.*}} @reports(
// CHECK-NOT: %gpumemprof.frame
// CHECK: ret void
_Noreturn void dies(const char *);
void reports(int bad) {
  if (bad) dies("bad");
}
// CHECK-LABEL: define {{.*}} @calls_a_pointer(
// CHECK: %gpumemprof.frame =
void calls_a_pointer(void (*f)(void)) { f(); }
// CHECK-LABEL: define {{.*}} @calls_the_unknown(
// CHECK: %gpumemprof.frame =
void unknown(void);
void calls_the_unknown(void) { unknown(); }
// CHECK-LABEL: define {{.*}} @sorts(
// CHECK: %gpumemprof.frame =
void sorts(int *a, int (*less)(const void *, const void *)) { qsort(a, 2, 4, less); }
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
// CHECK-LABEL: define {{.*}} @sorts_by_value(
// CHECK-NOT: %gpumemprof.frame
// CHECK: ret void
void sorts_by_value(int *a) { qsort(a, 2, 4, by_value); }
static int by_freeing(const void *a, const void *b) { return cudaFree((void *)a) + !b; }
// CHECK-LABEL: define {{.*}} @sorts_by_freeing(
// CHECK: %gpumemprof.frame =
void sorts_by_freeing(int *a) { qsort(a, 2, 4, by_freeing); }
// CHECK-LABEL: define {{.*}} @two_levels_up(
// CHECK: %gpumemprof.frame =
static void frees(void *p) { cudaFree(p); }
void two_levels_up(void *p) { frees(p); }
// CHECK-LABEL: define {{.*}} @frees(
// CHECK: %gpumemprof.frame =
