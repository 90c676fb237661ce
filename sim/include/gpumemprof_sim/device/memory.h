/* memory.h - loads and stores with a cache hint, and the address spaces of a pointer. Included by
 * gpumemprof_host_only.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_MEMORY_H
#define GPUMEMPROF_SIM_DEVICE_MEMORY_H

#pragma GCC system_header

/* CUDA has them for its vectors and the types of which they consist; a template takes others, too.
 */
#define GPM_SIM_LOAD(name) template <class T> __device__ T name(const T *p);
#define GPM_SIM_STORE(name) template <class T> __device__ void name(T *p, T value);
GPM_SIM_LOAD(__ldg)
GPM_SIM_LOAD(__ldca)
GPM_SIM_LOAD(__ldcg)
GPM_SIM_LOAD(__ldcs)
GPM_SIM_LOAD(__ldcv)
GPM_SIM_LOAD(__ldlu)
GPM_SIM_STORE(__stcg)
GPM_SIM_STORE(__stcs)
GPM_SIM_STORE(__stwb)
GPM_SIM_STORE(__stwt)
#undef GPM_SIM_STORE
#undef GPM_SIM_LOAD

__device__ unsigned int __isGlobal(const void *p);
__device__ unsigned int __isShared(const void *p);
__device__ unsigned int __isConstant(const void *p);
__device__ unsigned int __isLocal(const void *p);
__device__ unsigned int __isGridConstant(const void *p);
__device__ unsigned int __isClusterShared(const void *p);
__device__ unsigned int __isCtaShared(const void *p);
__device__ size_t __cvta_generic_to_global(const void *p);
__device__ size_t __cvta_generic_to_shared(const void *p);
__device__ size_t __cvta_generic_to_constant(const void *p);
__device__ size_t __cvta_generic_to_local(const void *p);
__device__ size_t __cvta_generic_to_grid_constant(const void *p);
__device__ void *__cvta_global_to_generic(size_t address);
__device__ void *__cvta_shared_to_generic(size_t address);
__device__ void *__cvta_constant_to_generic(size_t address);
__device__ void *__cvta_local_to_generic(size_t address);
__device__ void *__cvta_grid_constant_to_generic(size_t address);
__device__ void *__nv_aligned_device_malloc(size_t size, size_t alignment);

#endif /* GPUMEMPROF_SIM_DEVICE_MEMORY_H */
