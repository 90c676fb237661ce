/* cuda_bf16.h - the upper 16 bits of a float: __nv_bfloat16, and __nv_bfloat162, two of them. */
#ifndef GPUMEMPROF_SIM_CUDA_BF16_H
#define GPUMEMPROF_SIM_CUDA_BF16_H
#define __CUDA_BF16_H__ /* programs ask whether it is included by the toolkit's name */

#pragma GCC system_header

#include "cuda_runtime.h"

#ifdef __cplusplus

#ifdef __CUDA__
#include "gpumemprof_host_only.h"
#endif

namespace gpm_sim {

static inline __host__ __device__ float bfloat16_value(unsigned short bits) {
  union {
    unsigned int bits;
    float value;
  } result = {static_cast<unsigned int>(bits) << 16};
  return result.value;
}

/* Rounds to the nearest, to even if two are equally near. */
static inline __host__ __device__ unsigned short bfloat16_bits(float value) {
  union {
    float value;
    unsigned int bits;
  } from = {value};
  if ((from.bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff; /* not a number */
  return static_cast<unsigned short>((from.bits + 0x7fff + (from.bits >> 16 & 1)) >> 16);
}

} // namespace gpm_sim

struct __align__(2) __nv_bfloat16_raw {
  unsigned short x;
};
struct __align__(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __align__(2) __nv_bfloat16 {
protected:
  unsigned short __x;

public:
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  template <class T, class = decltype(T() % 2)> /* an integer */
  __host__ __device__ __nv_bfloat16(T value) : __nv_bfloat16(static_cast<float>(value)) {}
  __host__ __device__ __nv_bfloat16(double value) : __nv_bfloat16(static_cast<float>(value)) {}
  __host__ __device__ __nv_bfloat16(float value) : __x(gpm_sim::bfloat16_bits(value)) {}
  __host__ __device__ operator float() const { return gpm_sim::bfloat16_value(__x); }
  __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &low, const __nv_bfloat16 &high)
      : x(low), y(high) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  __host__ __device__ operator __nv_bfloat162_raw() const {
    return __nv_bfloat162_raw{static_cast<__nv_bfloat16_raw>(x).x,
                              static_cast<__nv_bfloat16_raw>(y).x};
  }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define GPM_SIM_NUMBER __nv_bfloat16
#define GPM_SIM_PAIR __nv_bfloat162
#include "gpumemprof_sim/device/half_operations.h"

#define GPM_SIM_BOTH static inline __host__ __device__

/* On the host, conversions round to the nearest, also those that should round otherwise. */
#define GPM_SIM_CONVERSIONS(name, type)                                                            \
  GPM_SIM_BOTH __nv_bfloat16 __##name##2bfloat16_rn(type a) {                                      \
    return __nv_bfloat16((float)a);                                                                \
  }                                                                                                \
  GPM_SIM_BOTH __nv_bfloat16 __##name##2bfloat16_rz(type a) {                                      \
    return __nv_bfloat16((float)a);                                                                \
  }                                                                                                \
  GPM_SIM_BOTH __nv_bfloat16 __##name##2bfloat16_ru(type a) {                                      \
    return __nv_bfloat16((float)a);                                                                \
  }                                                                                                \
  GPM_SIM_BOTH __nv_bfloat16 __##name##2bfloat16_rd(type a) {                                      \
    return __nv_bfloat16((float)a);                                                                \
  }                                                                                                \
  GPM_SIM_BOTH type __bfloat162##name##_rn(__nv_bfloat16 a) {                                      \
    return (type)(float)a;                                                                         \
  }                                                                                                \
  GPM_SIM_BOTH type __bfloat162##name##_rz(__nv_bfloat16 a) {                                      \
    return (type)(float)a;                                                                         \
  }                                                                                                \
  GPM_SIM_BOTH type __bfloat162##name##_ru(__nv_bfloat16 a) {                                      \
    return (type)(float)a;                                                                         \
  }                                                                                                \
  GPM_SIM_BOTH type __bfloat162##name##_rd(__nv_bfloat16 a) {                                      \
    return (type)(float)a;                                                                         \
  }
GPM_SIM_CONVERSIONS(float, float)
GPM_SIM_CONVERSIONS(double, double)
GPM_SIM_CONVERSIONS(int, int)
GPM_SIM_CONVERSIONS(uint, unsigned int)
GPM_SIM_CONVERSIONS(short, short)
GPM_SIM_CONVERSIONS(ushort, unsigned short)
GPM_SIM_CONVERSIONS(ll, long long)
GPM_SIM_CONVERSIONS(ull, unsigned long long)
#undef GPM_SIM_CONVERSIONS
GPM_SIM_BOTH float __bfloat162float(__nv_bfloat16 a) {
  return a;
}
__device__ signed char __bfloat162char_rz(__nv_bfloat16 a);
__device__ unsigned char __bfloat162uchar_rz(__nv_bfloat16 a);
GPM_SIM_BOTH __nv_bfloat16 __float2bfloat16(float a) {
  return __nv_bfloat16(a);
}
GPM_SIM_BOTH __nv_bfloat16 __double2bfloat16(double a) {
  return __nv_bfloat16(a);
}

GPM_SIM_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
GPM_SIM_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return __nv_bfloat162(a, a);
}
GPM_SIM_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
GPM_SIM_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __nv_bfloat162(a, a);
}
GPM_SIM_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(a, b);
}
GPM_SIM_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return __nv_bfloat162(a.x, a.y);
}
GPM_SIM_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) {
  return make_float2(a.x, a.y);
}
GPM_SIM_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
  return a.x;
}
GPM_SIM_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
  return a.y;
}
GPM_SIM_BOTH float __low2float(__nv_bfloat162 a) {
  return a.x;
}
GPM_SIM_BOTH float __high2float(__nv_bfloat162 a) {
  return a.y;
}
GPM_SIM_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
  return __nv_bfloat162(a.x, a.x);
}
GPM_SIM_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
  return __nv_bfloat162(a.y, a.y);
}
GPM_SIM_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
GPM_SIM_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}
GPM_SIM_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) {
  return __nv_bfloat162(a.y, a.x);
}
GPM_SIM_BOTH short __bfloat16_as_short(__nv_bfloat16 a) {
  return static_cast<short>(static_cast<__nv_bfloat16_raw>(a).x);
}
GPM_SIM_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
  return static_cast<__nv_bfloat16_raw>(a).x;
}
GPM_SIM_BOTH __nv_bfloat16 __short_as_bfloat16(short a) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(a)};
}
GPM_SIM_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16_raw{a};
}

#undef GPM_SIM_BOTH

#endif /* __cplusplus */

#endif /* GPUMEMPROF_SIM_CUDA_BF16_H */
