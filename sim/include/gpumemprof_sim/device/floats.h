/* floats.h - intrinsics of floating-point numbers: fast approximations, arithmetic with a given
 * rounding, conversions and bits. Included by gpumemprof_host_only.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_FLOATS_H
#define GPUMEMPROF_SIM_DEVICE_FLOATS_H

#pragma GCC system_header

/* The fast approximations are as exact as the library's functions here. The names are glibc's, too,
 * which math.h has made functions of both sides; so these are its declarations again. */
extern "C" {
inline __host__ __device__ float __cosf(float x) noexcept {
  return ::cosf(x);
}
inline __host__ __device__ float __exp10f(float x) noexcept {
  return ::exp10f(x);
}
inline __host__ __device__ float __expf(float x) noexcept {
  return ::expf(x);
}
inline __host__ __device__ float __log10f(float x) noexcept {
  return ::log10f(x);
}
inline __host__ __device__ float __log2f(float x) noexcept {
  return ::log2f(x);
}
inline __host__ __device__ float __logf(float x) noexcept {
  return ::logf(x);
}
inline __host__ __device__ float __sinf(float x) noexcept {
  return ::sinf(x);
}
inline __host__ __device__ float __tanf(float x) noexcept {
  return ::tanf(x);
}
inline __host__ __device__ float __tanhf(float x) noexcept {
  return ::tanhf(x);
}
inline __host__ __device__ float __powf(float x, float y) noexcept {
  return ::powf(x, y);
}
inline __host__ __device__ void __sincosf(float x, float *sine, float *cosine) noexcept {
  ::sincosf(x, sine, cosine);
}
}
__device__ float __fdividef(float x, float y);
__device__ float __frsqrt_rn(float x);
__device__ float __saturatef(float x);
__device__ double fdivide(double x, double y);
__device__ float fdividef(float x, float y);

/* GPM_SIM_ROUNDED(result, name, parameters): to the nearest, to zero, up and down */
#define GPM_SIM_ROUNDED(type, name, ...)                                                           \
  __device__ type name##_rn(__VA_ARGS__);                                                          \
  __device__ type name##_rz(__VA_ARGS__);                                                          \
  __device__ type name##_ru(__VA_ARGS__);                                                          \
  __device__ type name##_rd(__VA_ARGS__);
GPM_SIM_ROUNDED(float, __fadd, float x, float y)
GPM_SIM_ROUNDED(float, __fsub, float x, float y)
GPM_SIM_ROUNDED(float, __fmul, float x, float y)
GPM_SIM_ROUNDED(float, __fdiv, float x, float y)
GPM_SIM_ROUNDED(float, __fmaf, float x, float y, float z)
GPM_SIM_ROUNDED(float, __fmaf_ieee, float x, float y, float z)
GPM_SIM_ROUNDED(float, __frcp, float x)
GPM_SIM_ROUNDED(float, __fsqrt, float x)
GPM_SIM_ROUNDED(double, __dadd, double x, double y)
GPM_SIM_ROUNDED(double, __dsub, double x, double y)
GPM_SIM_ROUNDED(double, __dmul, double x, double y)
GPM_SIM_ROUNDED(double, __ddiv, double x, double y)
GPM_SIM_ROUNDED(double, __fma, double x, double y, double z)
GPM_SIM_ROUNDED(double, __drcp, double x)
GPM_SIM_ROUNDED(double, __dsqrt, double x)

GPM_SIM_ROUNDED(float, __double2float, double x)
GPM_SIM_ROUNDED(int, __double2int, double x)
GPM_SIM_ROUNDED(unsigned int, __double2uint, double x)
GPM_SIM_ROUNDED(long long, __double2ll, double x)
GPM_SIM_ROUNDED(unsigned long long, __double2ull, double x)
GPM_SIM_ROUNDED(int, __float2int, float x)
GPM_SIM_ROUNDED(unsigned int, __float2uint, float x)
GPM_SIM_ROUNDED(long long, __float2ll, float x)
GPM_SIM_ROUNDED(unsigned long long, __float2ull, float x)
GPM_SIM_ROUNDED(float, __int2float, int x)
GPM_SIM_ROUNDED(float, __uint2float, unsigned int x)
GPM_SIM_ROUNDED(float, __ll2float, long long x)
GPM_SIM_ROUNDED(float, __ull2float, unsigned long long x)
GPM_SIM_ROUNDED(double, __ll2double, long long x)
GPM_SIM_ROUNDED(double, __ull2double, unsigned long long x)
#undef GPM_SIM_ROUNDED
__device__ double __int2double_rn(int x);
__device__ double __uint2double_rn(unsigned int x);

__device__ int __float_as_int(float x);
__device__ unsigned int __float_as_uint(float x);
__device__ float __int_as_float(int x);
__device__ float __uint_as_float(unsigned int x);
__device__ long long __double_as_longlong(double x);
__device__ double __longlong_as_double(long long x);
__device__ int __double2hiint(double x);
__device__ int __double2loint(double x);
__device__ double __hiloint2double(int high, int low);

#endif /* GPUMEMPROF_SIM_DEVICE_FLOATS_H */
