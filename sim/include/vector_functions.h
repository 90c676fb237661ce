/* vector_functions.h - make_char1 to make_double4. */
#ifndef GPUMEMPROF_SIM_VECTOR_FUNCTIONS_H
#define GPUMEMPROF_SIM_VECTOR_FUNCTIONS_H

/* System headers: their small functions are the calling line, as those of the toolkit. */
#pragma GCC system_header

#include "vector_types.h"

#define GPM_SIM_MAKE(name, type)                                                                   \
  static inline __host__ __device__ name##1 make_##name##1(type x) {                               \
    name##1 v = {x};                                                                               \
    return v;                                                                                      \
  }                                                                                                \
  static inline __host__ __device__ name##2 make_##name##2(type x, type y) {                       \
    name##2 v = {x, y};                                                                            \
    return v;                                                                                      \
  }                                                                                                \
  static inline __host__ __device__ name##3 make_##name##3(type x, type y, type z) {               \
    name##3 v = {x, y, z};                                                                         \
    return v;                                                                                      \
  }                                                                                                \
  static inline __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) {       \
    name##4 v = {x, y, z, w};                                                                      \
    return v;                                                                                      \
  }

GPM_SIM_MAKE(char, signed char)
GPM_SIM_MAKE(uchar, unsigned char)
GPM_SIM_MAKE(short, short)
GPM_SIM_MAKE(ushort, unsigned short)
GPM_SIM_MAKE(int, int)
GPM_SIM_MAKE(uint, unsigned int)
GPM_SIM_MAKE(long, long)
GPM_SIM_MAKE(ulong, unsigned long)
GPM_SIM_MAKE(longlong, long long)
GPM_SIM_MAKE(ulonglong, unsigned long long)
GPM_SIM_MAKE(float, float)
GPM_SIM_MAKE(double, double)

#undef GPM_SIM_MAKE

#endif /* GPUMEMPROF_SIM_VECTOR_FUNCTIONS_H */
