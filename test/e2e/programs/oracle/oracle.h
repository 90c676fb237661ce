/* oracle.h - a second count, kept by the test programs, to check the profiler's figures against.
 *
 * The programs report every allocation, free and scope by these macros; oracle.cpp keeps them in
 * the most direct way (lists, whole-history scans) and prints its own figures as JSON at the end.
 * It is compiled without the plugin. With ORACLE_OFF the scopes vanish, so that functions stay
 * without clean-ups of their own, and nothing is printed. */
#ifndef ORACLE_H
#define ORACLE_H

#include <cuda_runtime.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void oracle_allocated(const char *file, int line, const void *block, size_t bytes, int pinned);
void oracle_freed(const char *file, int line, const void *block);
int oracle_enter(const char *function);
void oracle_leave(const int *scope);
void oracle_back(const int *scope);
void *oracle_leave_stack(void); /* the program switches to another stack ... */
void oracle_back_on_stack(void *left);
void oracle_print(void);
#ifdef __cplusplus
}
#endif

#define KIB ((size_t)1 << 10)

/* After setjmp returned again: the scopes that were jumped over have ended. */
#ifdef ORACLE_OFF
#define BACK_IN_SCOPE() ((void)0)
#else
#define BACK_IN_SCOPE() oracle_back(&oracle_scope_)
#endif

/* These stay one source line each, the line the profiler has to name. */
#define ALLOC(p, n)                                                                                \
  (cudaMalloc((void **)&(p), (n)), oracle_allocated(__FILE__, __LINE__, (p), (n), 0))
#define ALLOC_MANAGED(p, n)                                                                        \
  (cudaMallocManaged((void **)&(p), (n), 1), oracle_allocated(__FILE__, __LINE__, (p), (n), 0))
#define ALLOC_ASYNC(p, n, s)                                                                       \
  (cudaMallocAsync((void **)&(p), (n), (s)), oracle_allocated(__FILE__, __LINE__, (p), (n), 0))
#define ALLOC_PINNED(p, n)                                                                         \
  (cudaMallocHost((void **)&(p), (n)), oracle_allocated(__FILE__, __LINE__, (p), (n), 1))
#define ALLOC_BY(function, p, n)                                                                   \
  ((function)((void **)&(p), (n)), oracle_allocated(__FILE__, __LINE__, (p), (n), 0))
#define FREE(p) (oracle_freed(__FILE__, __LINE__, (p)), cudaFree(p))
#define FREE_BY(function, p) (oracle_freed(__FILE__, __LINE__, (p)), (function)(p))
#define FREE_ASYNC(p, s) (oracle_freed(__FILE__, __LINE__, (p)), cudaFreeAsync((p), (s)))
#define FREE_PINNED(p) (oracle_freed(__FILE__, __LINE__, (p)), cudaFreeHost(p))

#ifdef ORACLE_OFF
#define SCOPE(name)
#define SUMMARY() ((void)0)
#else
#define SCOPE(name)                                                                                \
  __attribute__((cleanup(oracle_leave), unused)) const int oracle_scope_ = oracle_enter(name)
#define SUMMARY() oracle_print()
#endif

#endif /* ORACLE_H */
