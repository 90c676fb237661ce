/* cuda_runtime_api.h - the runtime API of CUDA 13.0 as far as the simulated device has it. */
#ifndef GPUMEMPROF_SIM_CUDA_RUNTIME_API_H
#define GPUMEMPROF_SIM_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__ /* programs ask whether it is included by the toolkit's name */

#define CUDART_VERSION 13000
#define GPUMEMPROF_SIM_CUDA 1

#include "driver_types.h"

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#include "gpumemprof_sim/runtime_per_thread.h"
#endif

#ifdef __cplusplus
#define GPM_SIM_DEFAULT(value) = value
extern "C" {
#else
#define GPM_SIM_DEFAULT(value)
#endif

typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);

#include "gpumemprof_sim/runtime_array.h"
#include "gpumemprof_sim/runtime_copy.h"
#include "gpumemprof_sim/runtime_device.h"
#include "gpumemprof_sim/runtime_graph.h"
#include "gpumemprof_sim/runtime_memory.h"
#include "gpumemprof_sim/runtime_share.h"
#include "gpumemprof_sim/runtime_stream.h"

#ifdef __cplusplus
}
#endif

#endif /* GPUMEMPROF_SIM_CUDA_RUNTIME_API_H */
