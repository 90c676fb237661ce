/* injection_test.c - CUDA_INJECTION64_PATH: a library that the driver loads when it is initialised.
 */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>

#ifndef INJECTED /* the library of injected.c */
#define INJECTED "./injected.so"
#endif

/* The library's function of that name; null: it is not loaded. */
static int (*found(const char *name))(void) {
  void *library = dlopen(INJECTED, RTLD_NOW | RTLD_NOLOAD);
  return library ? (int (*)(void))dlsym(library, name) : NULL;
}

static int count(void) {
  int (*f)(void) = found("injected_count");
  return f ? f() : -1;
}

static void use(const char *path) {
  setenv("CUDA_INJECTION64_PATH", path, 1);
}

TEST(the_library_is_started_when_the_driver_is_initialised) {
  use(INJECTED);
  int version;
  OK(cuDriverGetVersion(&version));
  CHECK_EQ(count(), -1);
  OK(cuInit(0));
  CHECK_EQ(count(), 1);
  CHECK_EQ(found("injected_devices")(), 1); /* it could call the driver */
}

TEST(the_runtime_api_initialises_the_driver_too) {
  use(INJECTED);
  void *p;
  OK(cudaMalloc(&p, 1 << 20));
  CHECK_EQ(count(), 1);
  OK(cudaFree(p));
  CHECK_EQ(count(), 1);
}

TEST(choosing_a_device_initialises_the_driver) {
  use(INJECTED);
  OK(cudaSetDevice(0));
  CHECK_EQ(count(), 1);
  OK(cuInit(0));
  CHECK_EQ(count(), 1);
}

static void *allocate(void *unused) {
  (void)unused;
  void *p;
  OK(cudaMalloc(&p, 1024));
  CHECK_EQ(count(), 1);
  return NULL;
}

TEST(several_threads_start_it_once) {
  use(INJECTED);
  pthread_t threads[8];
  for (int i = 0; i < 8; i++) OK(pthread_create(&threads[i], NULL, allocate, NULL));
  for (int i = 0; i < 8; i++) OK(pthread_join(threads[i], NULL));
  CHECK_EQ(count(), 1);
}

TEST(a_library_that_cannot_be_loaded_changes_nothing) {
  use("/nowhere/libnothing.so");
  OK(cuInit(0));
  use(INJECTED); /* it looks once */
  OK(cuInit(0));
  CHECK_EQ(count(), -1);
}

TEST(neither_does_one_without_the_function) {
  use("libm.so.6");
  OK(cuInit(0));
}

TEST(an_empty_name_means_no_library) {
  use("");
  OK(cuInit(0));
}
