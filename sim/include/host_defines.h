/* host_defines.h - what CUDA's decorations mean to a host compiler: nothing.
 *
 * These headers are gpumemprof's own. They hold what host code needs of the CUDA 13.0 API, so that
 * it compiles on a machine without the CUDA toolkit; device code needs the toolkit.
 */
#ifndef GPUMEMPROF_SIM_HOST_DEFINES_H
#define GPUMEMPROF_SIM_HOST_DEFINES_H

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __launch_bounds__(...)
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#endif /* GPUMEMPROF_SIM_HOST_DEFINES_H */
