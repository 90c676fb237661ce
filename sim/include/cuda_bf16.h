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
#define GPM_SIM_WORD bfloat16
#include "gpumemprof_sim/device/half_conversions.h"
#include "gpumemprof_sim/device/half_operations.h"
#undef GPM_SIM_NUMBER
#undef GPM_SIM_PAIR
#undef GPM_SIM_WORD

#endif /* __cplusplus */

#endif /* GPUMEMPROF_SIM_CUDA_BF16_H */
