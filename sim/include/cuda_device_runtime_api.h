/* cuda_device_runtime_api.h - kept by name for programs that include it; host code finds all it
 * needs in cuda_runtime_api.h. */
#ifndef GPUMEMPROF_SIM_CUDA_DEVICE_RUNTIME_API_H
#define GPUMEMPROF_SIM_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime_api.h"

#endif /* GPUMEMPROF_SIM_CUDA_DEVICE_RUNTIME_API_H */
