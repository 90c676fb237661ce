/* library.h - the functions of C's library that device code may call. They are declared beside
 * those of the host, which clang selects in host code. Included by gpumemprof_host_only.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_LIBRARY_H
#define GPUMEMPROF_SIM_DEVICE_LIBRARY_H

#pragma GCC system_header

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t size);
__device__ void free(void *p);
__device__ void *memcpy(void *to, const void *from, size_t size);
__device__ void *memmove(void *to, const void *from, size_t size);
__device__ void *memset(void *to, int value, size_t size);
__device__ int memcmp(const void *a, const void *b, size_t size);
__device__ clock_t clock();
__device__ long long clock64();
__device__ unsigned long long __globaltimer();
__device__ int abs(int x);
__device__ long labs(long x);
__device__ long long llabs(long long x);

/* What assert() calls. */
__device__ void __assert_fail(const char *condition, const char *file, unsigned int line,
                              const char *function) __attribute__((noreturn));

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#endif /* GPUMEMPROF_SIM_DEVICE_LIBRARY_H */
