// A library opened with RTLD_LOCAL, in a thread: it registers itself, pushes onto the same stack, and is
// gone again after dlclose.
// RUN: %clang -fPIC -shared %inc %inputs/fake_runtime.c %inputs/fake_cuda.c -o %t.runtime.so
// RUN: %clang %gmp -DLIBRARY -O2 -fPIC -shared %s %t.runtime.so -o %t.lib.so
// RUN: %clang %gmp -O2 %s %t.runtime.so -ldl -lpthread -o %t && env FAKE_RUNTIME_SITES=1 %t %t.lib.so | grep -v ^site | FileCheck %s
#include "../Inputs/cuda.h"
#ifdef LIBRARY
int allocates(int n) {
  void *p;
  int result = cudaMalloc(&p, n);
  cudaFree(p);
  return result;
}
#else
#include <dlfcn.h>
#include <pthread.h>
static int (*allocates)(int);
static void *thread(void *data) {
  (void)data;
  allocates(2);
  return NULL;
}
int main(int argc, char **argv) {
  // CHECK: module 1: abi 5, size ok
  void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  // CHECK: module 2: abi 5, size ok
  allocates = (int (*)(int))dlsym(library, "allocates");
  allocates(1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > allocates:[[#]]
  pthread_t id;
  pthread_create(&id, NULL, thread, NULL);
  pthread_join(id, NULL);
  // CHECK: cudaMalloc 2: thread:[[#]] > allocates:[[#]]
  dlclose(library);
  // CHECK: module gone
  return 0;
}
#endif
