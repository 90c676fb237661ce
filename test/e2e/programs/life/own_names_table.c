/* Names of CUDA functions that the program owns: function pointers of file scope, as cuew and drjit
 * define them, or with -DFUNCTIONS functions that nobody but the program may call. CUDA's headers
 * are left out, for they declare functions of these names. */
#define _GNU_SOURCE
#include "own_names.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LINKAGE
#define LINKAGE
#endif

#ifdef FUNCTIONS
#define OWN(name, parameters)                                                                      \
  int name parameters;                                                                             \
  int name parameters {                                                                            \
    puts("a function of the program was called: " #name);                                          \
    exit(7);                                                                                       \
  }
#else
#define OWN(name, parameters) LINKAGE int(*name) parameters;
#endif

OWN(cudaGetDevice, (int *device))
OWN(cudaGetDeviceCount, (int *count))
OWN(cudaMemGetInfo, (size_t *free_bytes, size_t *total))
OWN(cudaGetDeviceProperties, (void *properties, int device))
OWN(cuCtxGetDevice, (int *device))
OWN(cuDeviceGetCount, (int *count))
OWN(cuDeviceGetName, (char *name, int length, int device))
OWN(cuDriverGetVersion, (int *version))
OWN(cuMemAlloc_v2, (unsigned long long *p, size_t bytes))

#ifdef FUNCTIONS
void own_names_fill(void) {}
void own_names_use(void) {}
#else
#define FIND(library, name) *(void **)(void *)&name = dlsym(library, #name)

void own_names_fill(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *cudart = dlopen("libcudart.so.13", RTLD_NOW);
  if (!driver || !cudart) exit(6);
  FIND(cudart, cudaGetDevice);
  FIND(cudart, cudaGetDeviceCount);
  FIND(cudart, cudaMemGetInfo);
  FIND(cudart, cudaGetDeviceProperties);
  FIND(driver, cuCtxGetDevice);
  FIND(driver, cuDeviceGetCount);
  FIND(driver, cuDeviceGetName);
  FIND(driver, cuDriverGetVersion);
}

void own_names_use(void) {
  int device = -1, current = -1, count = -1, counted = -1, version = 0;
  static char name[100], properties[8192];
  size_t free_bytes = 0, total = 0;
  int failed = cudaGetDevice(&device) || cudaGetDeviceCount(&count) ||
               cudaMemGetInfo(&free_bytes, &total) || cudaGetDeviceProperties(properties, device) ||
               cuCtxGetDevice(&current) || cuDeviceGetCount(&counted) ||
               cuDeviceGetName(name, sizeof name, current) || cuDriverGetVersion(&version);
  void *slot = dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
  printf("device %d %d of %d %d, %s memory, %s name, %s\n", device, current, count, counted,
         total ? "some" : "no", properties[0] && name[0] ? "a" : "no",
         failed                           ? "failed"
         : slot == (void *)&cuMemAlloc_v2 ? "its own variable is found"
                                          : "another is found");
}
#endif
