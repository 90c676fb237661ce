/* cuda_profiler_api.h - start and stop of an attached profiler. */
#ifndef GPUMEMPROF_SIM_CUDA_PROFILER_API_H
#define GPUMEMPROF_SIM_CUDA_PROFILER_API_H

#include "driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#ifdef __cplusplus
}
#endif

#endif /* GPUMEMPROF_SIM_CUDA_PROFILER_API_H */
