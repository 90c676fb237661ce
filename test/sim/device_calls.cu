// device_calls.cu - device code that uses something of each part of CUDA. It has to compile with
// our headers (test/e2e/compilers/without_toolkit.py) and with the toolkit's (toolkit.py), so that
// what we declare is CUDA.
#include <cassert>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <math_constants.h>
#ifdef WITH_CURAND // the toolkit may be without it
#include <curand_kernel.h>
#endif

namespace cg = cooperative_groups;

__constant__ float coefficients[16] = {1, 2};
__device__ int counter;
__device__ const int table[4] = {1, 2, 3, 4};

struct point {
  float x, y;
  __host__ __device__ point(float a, float b) : x(a), y(b) {}
  __device__ float product() const { return x * y * blockDim.x; }
  __host__ __device__ float length() const { return sqrtf(x * x + y * y) + fmaxf(x, y); }
};

__device__ __forceinline__ unsigned int lane() {
  unsigned int id;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(id));
  return id;
}

__global__ void __launch_bounds__(256, 2) threads(int *p, long long *time) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x + gridDim.y * warpSize + lane();
  assert(i >= 0);
  if (i == 7) printf("%d %s\n", i, "seven");
  fixed[threadIdx.x & 63] = dynamic[i & 63] = i;
  __syncthreads();
  if (__syncthreads_or(i > 3) && __syncthreads_count(i) && __syncthreads_and(i)) __syncwarp();
  unsigned int mask = __ballot_sync(__activemask(), i & 1);
  int all = __all_sync(mask, i) + __any_sync(mask, i);
  all += __shfl_sync(mask, i, 3) + __shfl_up_sync(mask, i, 1) + __shfl_down_sync(mask, i, 1, 16) +
         __shfl_xor_sync(mask, i, 1);
  double wide = __shfl_down_sync(mask, 2.0, 1) + __shfl_xor_sync(mask, 1.0f, 2);
  all += __match_any_sync(mask, i) + __reduce_add_sync(mask, i) + __reduce_or_sync(mask, 3u);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(100);
  time[i] = clock64() + clock() + (long long)wide;
  p[i] = all + fixed[3] + counter + table[i & 3];
}

__global__ void atomics(int *p, unsigned int *u, unsigned long long *l, float *f, double *d) {
  atomicAdd(p, 1), atomicAdd(u, 1u), atomicAdd(l, 1ull), atomicAdd(f, 1.0f), atomicAdd(d, 1.0);
  atomicSub(p, 1), atomicExch(f, 2.0f), atomicMin(p, 3), atomicMax(u, 3u), atomicInc(u, 5),
      atomicDec(u, 5);
  atomicAnd(u, 1u), atomicOr(p, 1), atomicXor(l, 1ull);
  unsigned long long old = *l;
  atomicCAS(l, old, __double_as_longlong(*d + __longlong_as_double((long long)old)));
  atomicCAS(p, 0, 1), atomicAdd_block(p, 1), atomicAdd_system(p, 1), atomicAdd(&counter, 1);
}

__global__ void numbers(float *f, double *d, int *p, unsigned int *u, unsigned long long *l) {
  float x = f[0], y = __expf(x) + __logf(x) + __sinf(x) + __cosf(x) + __powf(x, 2) +
                      __fdividef(x, 3) + __saturatef(x);
  y += sinf(x) + cosf(x) + expf(x) + sqrtf(x) + rsqrtf(x) + powf(x, 3) + fabsf(x) + fminf(x, y) +
       floorf(x) + erff(x) + cbrtf(x);
  y += std::sqrt(x) + std::exp(x) + std::abs(x) + std::pow(x, 2.0f) + exp(x) + pow(x, y) +
       fma(x, y, x) + abs(-x);
  y += isnan(x) + isinf(x) + isfinite(x) + signbit(x) + roundf(x) + truncf(x) + copysignf(x, y) +
       normcdff(x) + erfinvf(x) + sinpif(x);
  y += __fmaf_rn(x, y, x) + __fadd_rn(x, y) + __frcp_rn(x) + __fsqrt_rn(x) + __int2float_rn(3) +
       __int_as_float(5) + __uint_as_float(5);
  y += fdividef(x, y) + max(x, y) + min(x, y) + max(1, 2) + min(1u, 2u) + max(1ll, 2ll) +
       CUDART_PI_F + rhypotf(x, y) + norm3df(x, y, x);
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  __sincosf(x, &sine, &cosine);
  d[0] = sqrt(d[1]) + rsqrt(d[1]) + __dmul_rn(d[2], d[3]) + __hiloint2double(1, 2) +
         fmax(d[0], 2.0) + exp10(d[0]) + CUDART_PI + sine + cosine;
  p[0] = __popc(u[0]) + __clz(p[1]) + __ffs(p[1]) + __float2int_rn(x) + __float_as_int(x) +
         __mul24(1, 2) + __double2int_rz(d[0]) + __dp4a(1, 2, 3);
  u[0] = __brev(u[1]) + __umulhi(u[1], u[2]) + __byte_perm(u[1], u[2], 0x5410) +
         __vadd4(u[1], u[2]) + __funnelshift_l(u[1], u[2], 3) + __float_as_uint(x);
  l[0] = __popcll(l[1]) + __brevll(l[1]) + __umul64hi(l[1], l[2]) + __float2ull_rn(x);
  f[0] = y + __ldg(f + 1) + coefficients[3] + point(x, y).product() + point(x, y).length() +
         cuCabsf(cuCmulf(make_cuComplex(x, y), make_cuFloatComplex(y, x)));
  __stcs(f + 1, __ldcs(f + 2));
  float4 four = reinterpret_cast<float4 *>(f)[1], other = make_float4(four.x, four.y, 0, 1);
  reinterpret_cast<float4 *>(f)[2] = other;
  int *on_the_heap = new int[4];
  void *also = malloc(16);
  memset(also, 0, 16), memcpy(also, on_the_heap, 16);
  delete[] on_the_heap;
  free(also);
}

template <class T, class Pair> __device__ void sixteen_bits(T *p, Pair *q) {
  T a = p[0], b = a * p[1] + p[2] - a / p[3];
  a += b, a *= b, b = -a;
  if (a < b || a == b || __hgt(a, b) || __hisnan(a)) p[3] = __hadd(a, __hmul(a, b));
  p[4] = __hfma(a, b, a), p[5] = __hmax(a, b), p[6] = hexp(a),
  p[7] = __shfl_down_sync(0xffffffff, a, 1);
  q[0] = __hadd2(q[1], __hfma2(q[1], q[2], q[3])), q[4] = q[1] * q[2];
  p[8] = __float2half(1.0f), p[9] = 1.0f, p[10] = static_cast<float>(a);
  atomicAdd(p, a), atomicAdd(q, q[1]);
}

__global__ void halves(__half *h, __half2 *h2, float *f) {
  sixteen_bits(h, h2);
  f[0] = __half2float(h[0]) + __low2float(h2[0]) + __half22float2(h2[1]).y + __half2int_rn(h[1]);
  h2[2] = __floats2half2_rn(1, 2), h2[3] = __halves2half2(h[0], h[1]), h[2] = __low2half(h2[0]),
  h2[4] = __float2half2_rn(1);
}

__global__ void brains(__nv_bfloat16 *h, __nv_bfloat162 *h2, float *f) {
  h[0] = __hadd(h[1], __hmul(h[2], h[3])), h2[0] = __hfma2(h2[1], h2[2], h2[3]);
  f[0] = __bfloat162float(h[0]) + __low2float(h2[0]) + static_cast<float>(h[4]);
  h[1] = __float2bfloat16(f[1]), h2[2] = __floats2bfloat162_rn(1, 2), h[5] = __float2bfloat16_rn(2);
  atomicAdd(h, h[1]);
}

__global__ void groups(int *p) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  int sum = cg::reduce(tile, p[block.thread_rank()], cg::plus<int>());
  sum += cg::inclusive_scan(tile, sum, cg::plus<int>()) + tile.shfl_down(sum, 1) + tile.any(sum) +
         tile.meta_group_rank();
  cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0) p[block.group_index().x] = sum + active.size();
  block.sync();
  cg::sync(tile);
  cg::grid_group grid = cg::this_grid();
  if (grid.is_valid()) grid.sync();
  __pipeline_memcpy_async(p, p + 4, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

__global__ void textures(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float *f) {
  f[0] = tex1Dfetch<float>(texture, 1) + tex2D<float>(texture, 1, 2) +
         tex3D<float4>(texture, 1, 2, 3).x + tex2DLayered<float>(texture, 1, 2, 0);
  float value;
  surf2Dread(&value, surface, 4, 0);
  surf2Dwrite(value, surface, 0, 0, cudaBoundaryModeClamp);
}

#ifdef WITH_CURAND
__global__ void random(curandState *states, curandStatePhilox4_32_10_t *philox, float *f) {
  curand_init(1234, threadIdx.x, 0, &states[threadIdx.x]);
  f[0] = curand_uniform(states) + curand_normal(states) + curand(states) +
         (float)curand_uniform_double(states) + curand_uniform4(philox).w;
}
static_assert(sizeof(curandState) == 48 && sizeof(curandStatePhilox4_32_10_t) == 64 &&
                  sizeof(curandStateMRG32k3a) == 48,
              "");
static_assert(sizeof(curandStateSobol32) == 140 && sizeof(curandStateSobol64) == 536, "");
#endif

static_assert(sizeof(__half) == 2 && alignof(__half) == 2 && sizeof(__half2) == 4 &&
                  alignof(__half2) == 4,
              "");
static_assert(sizeof(__nv_bfloat16) == 2 && sizeof(__nv_bfloat162) == 4 &&
                  alignof(__nv_bfloat162) == 4,
              "");
static_assert(sizeof(cuComplex) == 8 && sizeof(cuDoubleComplex) == 16 &&
                  alignof(cuDoubleComplex) == 16,
              "");
