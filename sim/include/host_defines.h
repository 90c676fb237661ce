/* host_defines.h - what CUDA's decorations mean: nothing to a C or C++ compiler, attributes to
 * clang where it compiles CUDA.
 *
 * These headers are gpumemprof's own. They hold what a program needs of the CUDA 13.0 API, so that
 * its host code compiles on a machine without the CUDA toolkit. Device code is only checked there
 * (gpumemprof_host_only.h); to be compiled it needs the toolkit.
 */
#ifndef GPUMEMPROF_SIM_HOST_DEFINES_H
#define GPUMEMPROF_SIM_HOST_DEFINES_H

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#endif
#define __managed__ /* clang has it for HIP only: a variable of the host, as managed memory is     \
                       here */
#define __grid_constant__
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#endif /* GPUMEMPROF_SIM_HOST_DEFINES_H */
