/* cuda_fp16.h - numbers of 16 bits as IEEE 754 has them: __half, and __half2, two of them. */
#ifndef GPUMEMPROF_SIM_CUDA_FP16_H
#define GPUMEMPROF_SIM_CUDA_FP16_H
#define __CUDA_FP16_H__ /* programs ask whether it is included by the toolkit's name */

#pragma GCC system_header

#include "cuda_runtime.h"

#ifdef __cplusplus

#ifdef __CUDA__
#include "gpumemprof_host_only.h"
#endif

namespace gpm_sim {

static inline __host__ __device__ float half_value(unsigned short bits) {
  unsigned int sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  union {
    unsigned int bits;
    float value;
  } result;
  if (!exponent) {
    result.value = static_cast<float>(fraction) / 16777216; /* 2^24: subnormal */
    result.bits |= sign;
  } else if (exponent == 31) result.bits = sign | 0x7f800000u | fraction << 13;
  else result.bits = sign | (exponent + 112) << 23 | fraction << 13;
  return result.value;
}

/* Rounds to the nearest, to even if two are equally near. */
static inline __host__ __device__ unsigned short half_bits(float value) {
  union {
    float value;
    unsigned int bits;
  } from = {value};
  unsigned int sign = from.bits >> 16 & 0x8000u, rest = from.bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return 0x7fff;                                      /* not a number */
  if (rest >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00); /* infinite */
  if (rest < 0x38800000u) { /* subnormal: multiples of 2^-24, which this addition leaves */
    union {
      unsigned int bits;
      float value;
    } small = {rest};
    small.value += 0.5f;
    return static_cast<unsigned short>(sign | (small.bits - 0x3f000000u));
  }
  unsigned int last = rest >> 13 & 1;
  return static_cast<unsigned short>(sign | ((rest - 0x38000000u + 0xfff + last) >> 13));
}

} // namespace gpm_sim

struct __align__(2) __half_raw {
  unsigned short x;
};
struct __align__(4) __half2_raw {
  unsigned short x, y;
};

struct __align__(2) __half {
protected:
  unsigned short __x;

public:
  __half() = default;
  __host__ __device__ __half(const __half_raw &raw) : __x(raw.x) {}
  template <class T, class = decltype(T() % 2)> /* an integer */
  __host__ __device__ __half(T value) : __half(static_cast<float>(value)) {}
  __host__ __device__ __half(double value) : __half(static_cast<float>(value)) {}
  __host__ __device__ __half(float value) : __x(gpm_sim::half_bits(value)) {}
  __host__ __device__ operator float() const { return gpm_sim::half_value(__x); }
  __host__ __device__ operator __half_raw() const { return __half_raw{__x}; }
};

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(const __half &low, const __half &high) : x(low), y(high) {}
  __host__ __device__ __half2(const __half2_raw &raw)
      : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __host__ __device__ operator __half2_raw() const {
    return __half2_raw{static_cast<__half_raw>(x).x, static_cast<__half_raw>(y).x};
  }
};

typedef __half half, __nv_half, nv_half;
typedef __half2 half2, __nv_half2, nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define GPM_SIM_NUMBER __half
#define GPM_SIM_PAIR __half2
#define GPM_SIM_WORD half
#include "gpumemprof_sim/device/half_conversions.h"
#include "gpumemprof_sim/device/half_operations.h"
#undef GPM_SIM_NUMBER
#undef GPM_SIM_PAIR
#undef GPM_SIM_WORD

#endif /* __cplusplus */

#endif /* GPUMEMPROF_SIM_CUDA_FP16_H */
