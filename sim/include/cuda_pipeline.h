/* cuda_pipeline.h - copies to shared memory that run while the thread goes on, as device code
 * starts and awaits them. The classes of <cuda/pipeline> belong to the toolkit's C++ library. */
#ifndef GPUMEMPROF_SIM_CUDA_PIPELINE_H
#define GPUMEMPROF_SIM_CUDA_PIPELINE_H

#pragma GCC system_header

#include "cuda_runtime.h"

#ifdef __CUDA__

__device__ void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0);
__device__ void __pipeline_commit();
__device__ void __pipeline_wait_prior(size_t younger);

#endif /* __CUDA__ */

#endif /* GPUMEMPROF_SIM_CUDA_PIPELINE_H */
