/* gpumemprof_host_only.h - lets clang compile CUDA sources without the CUDA toolkit, for the host
 * only.
 *
 * `gpumemprof flags sim` includes it before everything else, as nvcc includes cuda_runtime.h.
 * Kernels and device functions are parsed and checked like any other code, and no code is made for
 * them; so they need declarations of what CUDA has on the device, and no definitions. What host
 * code may call too is defined. The parts are in gpumemprof_sim/device/:
 *
 *   library.h    what C's library has on the device: printf, malloc, memcpy, assert
 *   math.h       mathematical functions, min and max
 *   threads.h    threadIdx, barriers, votes, shuffles, clocks
 *   atomics.h    atomicAdd and its kind
 *   integers.h   bits, products and words of several numbers
 *   floats.h     rounding, conversions, fast approximations
 *   memory.h     loads and stores with a cache hint, address spaces
 *   textures.h   fetches from textures, loads and stores of surfaces
 */
#ifndef GPUMEMPROF_HOST_ONLY_H
#define GPUMEMPROF_HOST_ONLY_H

#ifdef __CUDA__

/* System headers: their small functions are the calling line, as those of the toolkit. */
#pragma GCC system_header

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

#include "host_defines.h"

#include "gpumemprof_sim/device/library.h"
#include "gpumemprof_sim/device/math.h"

#include "cuda_runtime.h"

/* What `kernel<<<grid, block, shared, stream>>>(...)` calls before the kernel's stub. */
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                    void *stream = 0);

#include "gpumemprof_sim/device/threads.h"

#include "gpumemprof_sim/device/atomics.h"
#include "gpumemprof_sim/device/floats.h"
#include "gpumemprof_sim/device/integers.h"
#include "gpumemprof_sim/device/memory.h"
#include "gpumemprof_sim/device/textures.h"

#endif /* __CUDA__ */

#endif /* GPUMEMPROF_HOST_ONLY_H */
