/* vector_types.h - char1 to double4 and dim3, with the alignment device code expects. */
#ifndef GPUMEMPROF_SIM_VECTOR_TYPES_H
#define GPUMEMPROF_SIM_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* programs ask whether it is included by the toolkit's name */

#include "host_defines.h"

/* GPM_SIM_VECTORS(name, type, alignment of name2, alignment of name4) */
#define GPM_SIM_VECTORS(name, type, align2, align4)                                                \
  struct name##1 {                                                                                 \
    type x;                                                                                        \
  };                                                                                               \
  struct __align__(align2) name##2 {                                                               \
    type x, y;                                                                                     \
  };                                                                                               \
  struct name##3 {                                                                                 \
    type x, y, z;                                                                                  \
  };                                                                                               \
  struct __align__(align4) name##4 {                                                               \
    type x, y, z, w;                                                                               \
  };                                                                                               \
  typedef struct name##1 name##1;                                                                  \
  typedef struct name##2 name##2;                                                                  \
  typedef struct name##3 name##3;                                                                  \
  typedef struct name##4 name##4;

/* The 64-bit fours exist in two alignments since CUDA 13. */
#define GPM_SIM_ALIGNED_FOUR(name, type, align)                                                    \
  struct __align__(align) name##4_##align##a {                                                     \
    type x, y, z, w;                                                                               \
  };                                                                                               \
  typedef struct name##4_##align##a name##4_##align##a;

GPM_SIM_VECTORS(char, signed char, 2, 4)
GPM_SIM_VECTORS(uchar, unsigned char, 2, 4)
GPM_SIM_VECTORS(short, short, 4, 8)
GPM_SIM_VECTORS(ushort, unsigned short, 4, 8)
GPM_SIM_VECTORS(int, int, 8, 16)
GPM_SIM_VECTORS(uint, unsigned int, 8, 16)
GPM_SIM_VECTORS(long, long, 16, 16)
GPM_SIM_VECTORS(ulong, unsigned long, 16, 16)
GPM_SIM_VECTORS(longlong, long long, 16, 16)
GPM_SIM_VECTORS(ulonglong, unsigned long long, 16, 16)
GPM_SIM_VECTORS(float, float, 8, 16)
GPM_SIM_VECTORS(double, double, 16, 16)
GPM_SIM_ALIGNED_FOUR(long, long, 16)
GPM_SIM_ALIGNED_FOUR(long, long, 32)
GPM_SIM_ALIGNED_FOUR(ulong, unsigned long, 16)
GPM_SIM_ALIGNED_FOUR(ulong, unsigned long, 32)
GPM_SIM_ALIGNED_FOUR(longlong, long long, 16)
GPM_SIM_ALIGNED_FOUR(longlong, long long, 32)
GPM_SIM_ALIGNED_FOUR(ulonglong, unsigned long long, 16)
GPM_SIM_ALIGNED_FOUR(ulonglong, unsigned long long, 32)
GPM_SIM_ALIGNED_FOUR(double, double, 16)
GPM_SIM_ALIGNED_FOUR(double, double, 32)

#undef GPM_SIM_VECTORS
#undef GPM_SIM_ALIGNED_FOUR

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif /* GPUMEMPROF_SIM_VECTOR_TYPES_H */
