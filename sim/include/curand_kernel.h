/* curand_kernel.h - generators of random numbers in device code: states of the size that NVIDIA's
 * have, so that arrays of them take as much memory; the functions are declared. The calls of the
 * host's library (curand.h) are not here: nothing simulates it. */
#ifndef GPUMEMPROF_SIM_CURAND_KERNEL_H
#define GPUMEMPROF_SIM_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* programs ask whether it is included by the toolkit's name */

#pragma GCC system_header

#include "cuda_runtime.h"

#ifdef __CUDA__

#include "gpumemprof_host_only.h"

#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStateSobol32 {
  unsigned int i, x, c, direction_vectors[32];
};
struct curandStateSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define GPM_SIM_PSEUDO_RANDOM(state)                                                               \
  __device__ void curand_init(unsigned long long seed, unsigned long long subsequence,             \
                              unsigned long long offset, state *s);                                \
  __device__ void skipahead_sequence(unsigned long long n, state *s);                              \
  GPM_SIM_RANDOM(state)
#define GPM_SIM_RANDOM(state)                                                                      \
  __device__ unsigned int curand(state *s);                                                        \
  __device__ void skipahead(unsigned long long n, state *s);                                       \
  __device__ float curand_uniform(state *s);                                                       \
  __device__ double curand_uniform_double(state *s);                                               \
  __device__ float curand_normal(state *s);                                                        \
  __device__ double curand_normal_double(state *s);                                                \
  __device__ float2 curand_normal2(state *s);                                                      \
  __device__ double2 curand_normal2_double(state *s);                                              \
  __device__ float curand_log_normal(state *s, float mean, float deviation);                       \
  __device__ double curand_log_normal_double(state *s, double mean, double deviation);             \
  __device__ float2 curand_log_normal2(state *s, float mean, float deviation);                     \
  __device__ double2 curand_log_normal2_double(state *s, double mean, double deviation);           \
  __device__ unsigned int curand_poisson(state *s, double lambda);
GPM_SIM_PSEUDO_RANDOM(curandStateXORWOW)
GPM_SIM_PSEUDO_RANDOM(curandStateMRG32k3a)
GPM_SIM_PSEUDO_RANDOM(curandStatePhilox4_32_10)
GPM_SIM_RANDOM(curandStateSobol32)
GPM_SIM_RANDOM(curandStateSobol64)
#undef GPM_SIM_RANDOM
#undef GPM_SIM_PSEUDO_RANDOM

__device__ void curand_init(unsigned int *vectors, unsigned int offset, curandStateSobol32 *s);
__device__ void curand_init(unsigned int *vectors, unsigned int scramble, unsigned int offset,
                            curandStateSobol32 *s);
__device__ void curand_init(unsigned long long *vectors, unsigned long long offset,
                            curandStateSobol64 *s);
__device__ void curand_init(unsigned long long *vectors, unsigned long long scramble,
                            unsigned long long offset, curandStateSobol64 *s);
__device__ uint4 curand4(curandStatePhilox4_32_10 *s);
__device__ float4 curand_uniform4(curandStatePhilox4_32_10 *s);
__device__ double2 curand_uniform2_double(curandStatePhilox4_32_10 *s);
__device__ double4 curand_uniform4_double(curandStatePhilox4_32_10 *s);
__device__ float4 curand_normal4(curandStatePhilox4_32_10 *s);
__device__ double4 curand_normal4_double(curandStatePhilox4_32_10 *s);
__device__ float4 curand_log_normal4(curandStatePhilox4_32_10 *s, float mean, float deviation);
__device__ uint4 curand_poisson4(curandStatePhilox4_32_10 *s, double lambda);

#endif /* __CUDA__ */

#endif /* GPUMEMPROF_SIM_CURAND_KERNEL_H */
