/* threads.h - the thread that runs device code, and what it does together with others: barriers,
 * fences, votes, shuffles, reductions of a warp. Included by gpumemprof_host_only.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_THREADS_H
#define GPUMEMPROF_SIM_DEVICE_THREADS_H

#pragma GCC system_header

extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
static const __device__ int warpSize = 32;

__device__ void __syncthreads();
__device__ int __syncthreads_count(int predicate);
__device__ int __syncthreads_and(int predicate);
__device__ int __syncthreads_or(int predicate);
__device__ void __barrier_sync(unsigned int id);
__device__ void __barrier_sync_count(unsigned int id, unsigned int count);
__device__ void __syncwarp(unsigned int mask = 0xffffffff);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ void __threadfence_cluster();
__device__ void __cluster_barrier_arrive();
__device__ void __cluster_barrier_arrive_relaxed();
__device__ void __cluster_barrier_wait();
__device__ bool __clusterDimIsSpecified();
__device__ dim3 __clusterDim();
__device__ dim3 __clusterGridDimInClusters();
__device__ dim3 __clusterIdx();
__device__ dim3 __clusterRelativeBlockIdx();
__device__ unsigned int __clusterRelativeBlockRank();
__device__ unsigned int __clusterSizeInBlocks();
__device__ void *__cluster_map_shared_rank(const void *p, unsigned int rank);
__device__ unsigned int __cluster_query_shared_rank(const void *p);

__device__ void __nanosleep(unsigned int ns);
__device__ void __trap() __attribute__((noreturn));
__device__ void __brkpt();
__device__ void __prof_trigger(int counter);
__device__ unsigned int __pm0();
__device__ unsigned int __pm1();
__device__ unsigned int __pm2();
__device__ unsigned int __pm3();
__device__ void cudaGridDependencySynchronize();
__device__ void cudaTriggerProgrammaticLaunchCompletion();

__device__ unsigned int __activemask();
__device__ int __all_sync(unsigned int mask, int predicate);
__device__ int __any_sync(unsigned int mask, int predicate);
__device__ int __uni_sync(unsigned int mask, int predicate);
__device__ unsigned int __ballot_sync(unsigned int mask, int predicate);
__device__ unsigned int __fns(unsigned int mask, unsigned int base, int offset);

__device__ int __reduce_add_sync(unsigned int mask, int value);
__device__ int __reduce_min_sync(unsigned int mask, int value);
__device__ int __reduce_max_sync(unsigned int mask, int value);
__device__ unsigned int __reduce_add_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_min_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_max_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_and_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value);

/* The types of 16 bits have shuffles of their own in cuda_fp16.h and cuda_bf16.h. */
#define GPM_SIM_SHUFFLES(type)                                                                     \
  __device__ type __shfl_sync(unsigned int mask, type value, int lane, int width = 32);            \
  __device__ type __shfl_up_sync(unsigned int mask, type value, unsigned int delta,                \
                                 int width = 32);                                                  \
  __device__ type __shfl_down_sync(unsigned int mask, type value, unsigned int delta,              \
                                   int width = 32);                                                \
  __device__ type __shfl_xor_sync(unsigned int mask, type value, int lanes, int width = 32);
#define GPM_SIM_MATCHES(type)                                                                      \
  __device__ unsigned int __match_any_sync(unsigned int mask, type value);                         \
  __device__ unsigned int __match_all_sync(unsigned int mask, type value, int *predicate);
#define GPM_SIM_EACH_TYPE(type) GPM_SIM_SHUFFLES(type) GPM_SIM_MATCHES(type)
GPM_SIM_EACH_TYPE(int)
GPM_SIM_EACH_TYPE(unsigned int)
GPM_SIM_EACH_TYPE(long)
GPM_SIM_EACH_TYPE(unsigned long)
GPM_SIM_EACH_TYPE(long long)
GPM_SIM_EACH_TYPE(unsigned long long)
GPM_SIM_EACH_TYPE(float)
GPM_SIM_EACH_TYPE(double)
#undef GPM_SIM_EACH_TYPE
#undef GPM_SIM_MATCHES

#endif /* GPUMEMPROF_SIM_DEVICE_THREADS_H */
