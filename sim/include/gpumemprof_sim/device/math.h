/* math.h - mathematical functions that host and device code have in common. Included by
 * gpumemprof_host_only.h.
 *
 * Those of the C and C++ library become functions of both sides by clang's pragma, with all their
 * overloads. Those that only CUDA has are defined where a host has what they need; the rest are
 * declared for the device. */
#ifndef GPUMEMPROF_SIM_DEVICE_MATH_H
#define GPUMEMPROF_SIM_DEVICE_MATH_H

#pragma GCC system_header

/* What <cmath> includes besides the functions remains the host's. <algorithm> would bring more
 * names than programs expect, which may have functions such as count and the line `using namespace
 * std`. */
#include <limits>
#include <type_traits>
#include <utility>
#if __has_include(<bits/stl_algobase.h>) /* libstdc++ */
#include <bits/stl_algobase.h>
#endif

#pragma clang force_cuda_host_device begin
#include <cmath>
#include <math.h>
#pragma clang force_cuda_host_device end

#define GPM_SIM_BOTH static inline __host__ __device__

/* GPM_SIM_MIN_MAX(type of the result, type of a, type of b) */
#define GPM_SIM_MIN_MAX(type, type_a, type_b)                                                      \
  GPM_SIM_BOTH type min(type_a a, type_b b) {                                                      \
    return (type)a < (type)b ? (type)a : (type)b;                                                  \
  }                                                                                                \
  GPM_SIM_BOTH type max(type_a a, type_b b) {                                                      \
    return (type)a > (type)b ? (type)a : (type)b;                                                  \
  }
GPM_SIM_MIN_MAX(int, int, int)
GPM_SIM_MIN_MAX(unsigned int, unsigned int, unsigned int)
GPM_SIM_MIN_MAX(unsigned int, int, unsigned int)
GPM_SIM_MIN_MAX(unsigned int, unsigned int, int)
GPM_SIM_MIN_MAX(long, long, long)
GPM_SIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
GPM_SIM_MIN_MAX(unsigned long, long, unsigned long)
GPM_SIM_MIN_MAX(unsigned long, unsigned long, long)
GPM_SIM_MIN_MAX(long long, long long, long long)
GPM_SIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
GPM_SIM_MIN_MAX(unsigned long long, long long, unsigned long long)
GPM_SIM_MIN_MAX(unsigned long long, unsigned long long, long long)
GPM_SIM_MIN_MAX(float, float, float)
GPM_SIM_MIN_MAX(double, double, double)
GPM_SIM_MIN_MAX(double, float, double)
GPM_SIM_MIN_MAX(double, double, float)
#undef GPM_SIM_MIN_MAX

GPM_SIM_BOTH unsigned int umin(unsigned int a, unsigned int b) {
  return a < b ? a : b;
}
GPM_SIM_BOTH unsigned int umax(unsigned int a, unsigned int b) {
  return a > b ? a : b;
}
GPM_SIM_BOTH long long llmin(long long a, long long b) {
  return a < b ? a : b;
}
GPM_SIM_BOTH long long llmax(long long a, long long b) {
  return a > b ? a : b;
}
GPM_SIM_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
GPM_SIM_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

GPM_SIM_BOTH double rsqrt(double x) {
  return 1 / ::sqrt(x);
}
GPM_SIM_BOTH float rsqrtf(float x) {
  return 1 / ::sqrtf(x);
}
GPM_SIM_BOTH double rcbrt(double x) {
  return 1 / ::cbrt(x);
}
GPM_SIM_BOTH float rcbrtf(float x) {
  return 1 / ::cbrtf(x);
}
GPM_SIM_BOTH double rhypot(double x, double y) {
  return 1 / ::hypot(x, y);
}
GPM_SIM_BOTH float rhypotf(float x, float y) {
  return 1 / ::hypotf(x, y);
}
GPM_SIM_BOTH double sinpi(double x) {
  return ::sin(x * M_PI);
}
GPM_SIM_BOTH float sinpif(float x) {
  return (float)::sin(x * M_PI);
}
GPM_SIM_BOTH double cospi(double x) {
  return ::cos(x * M_PI);
}
GPM_SIM_BOTH float cospif(float x) {
  return (float)::cos(x * M_PI);
}
GPM_SIM_BOTH void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
GPM_SIM_BOTH void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
GPM_SIM_BOTH double normcdf(double x) {
  return 0.5 * ::erfc(-x * M_SQRT1_2);
}
GPM_SIM_BOTH float normcdff(float x) {
  return (float)normcdf(x);
}
GPM_SIM_BOTH double norm3d(double a, double b, double c) {
  return ::sqrt(a * a + b * b + c * c);
}
GPM_SIM_BOTH float norm3df(float a, float b, float c) {
  return (float)norm3d(a, b, c);
}
GPM_SIM_BOTH double norm4d(double a, double b, double c, double d) {
  return ::sqrt(a * a + b * b + c * c + d * d);
}
GPM_SIM_BOTH float norm4df(float a, float b, float c, float d) {
  return (float)norm4d(a, b, c, d);
}
GPM_SIM_BOTH double rnorm3d(double a, double b, double c) {
  return 1 / norm3d(a, b, c);
}
GPM_SIM_BOTH float rnorm3df(float a, float b, float c) {
  return 1 / norm3df(a, b, c);
}
GPM_SIM_BOTH double rnorm4d(double a, double b, double c, double d) {
  return 1 / norm4d(a, b, c, d);
}
GPM_SIM_BOTH float rnorm4df(float a, float b, float c, float d) {
  return 1 / norm4df(a, b, c, d);
}

/* Overloads of CUDA for float beside those of the C++ library. */
GPM_SIM_BOTH float rsqrt(float x) {
  return rsqrtf(x);
}
GPM_SIM_BOTH float rcbrt(float x) {
  return rcbrtf(x);
}
GPM_SIM_BOTH float sinpi(float x) {
  return sinpif(x);
}
GPM_SIM_BOTH float cospi(float x) {
  return cospif(x);
}
GPM_SIM_BOTH void sincospi(float x, float *sine, float *cosine) {
  sincospif(x, sine, cosine);
}
GPM_SIM_BOTH void sincos(float x, float *sine, float *cosine) {
  ::sincosf(x, sine, cosine);
}
GPM_SIM_BOTH float normcdf(float x) {
  return normcdff(x);
}

/* The host has none of these. */
__device__ double norm(int dimension, const double *p);
__device__ float normf(int dimension, const float *p);
__device__ double rnorm(int dimension, const double *p);
__device__ float rnormf(int dimension, const float *p);
#define GPM_SIM_DEVICE_MATH(name)                                                                  \
  __device__ double name(double x);                                                                \
  __device__ float name(float x);                                                                  \
  __device__ float name##f(float x);
GPM_SIM_DEVICE_MATH(cyl_bessel_i0)
GPM_SIM_DEVICE_MATH(cyl_bessel_i1)
GPM_SIM_DEVICE_MATH(erfcinv)
GPM_SIM_DEVICE_MATH(erfcx)
GPM_SIM_DEVICE_MATH(erfinv)
GPM_SIM_DEVICE_MATH(normcdfinv)
#undef GPM_SIM_DEVICE_MATH

#undef GPM_SIM_BOTH

#endif /* GPUMEMPROF_SIM_DEVICE_MATH_H */
