/* cudaProfiler.h - start and stop of an attached profiler, driver API. */
#ifndef GPUMEMPROF_SIM_CUDAPROFILER_H
#define GPUMEMPROF_SIM_CUDAPROFILER_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#ifdef __cplusplus
}
#endif

#endif /* GPUMEMPROF_SIM_CUDAPROFILER_H */
