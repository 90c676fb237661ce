/* cuda.h - the driver API of CUDA 13.0 as far as the simulated device has it. */
#ifndef GPUMEMPROF_SIM_CUDA_H
#define GPUMEMPROF_SIM_CUDA_H
#define __cuda_cuda_h__ /* programs ask whether it is included by the toolkit's name */

#define CUDA_VERSION 13000

#include "gpumemprof_sim/driver_arrays.h"
#include "gpumemprof_sim/driver_attributes.h"
#include "gpumemprof_sim/driver_graph_types.h"
#include "gpumemprof_sim/driver_handles.h"
#include "gpumemprof_sim/driver_launch.h"
#include "gpumemprof_sim/driver_memory_types.h"
#include "gpumemprof_sim/driver_share_types.h"
#include "gpumemprof_sim/driver_versions.h"
#include "gpumemprof_sim/uuid.h"
#include "host_defines.h"

typedef enum cudaError_enum {
#define GPM_SIM_ERROR(value, runtime, driver, text) driver = value,
#define GPM_SIM_DRIVER_ERROR(value, driver, text) driver = value,
#include "gpumemprof_sim/errors.def"
} CUresult;

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define CU_DEVICE_CPU ((CUdevice) - 1)
#define CU_DEVICE_INVALID ((CUdevice) - 2)
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08

typedef struct CUdevprop_st {
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int sharedMemPerBlock;
  int totalConstantMemory;
  int SIMDWidth;
  int memPitch;
  int regsPerBlock;
  int clockRate;
  int textureAlign;
} CUdevprop;

typedef struct CUipcMemHandle_st {
  char reserved[64];
} CUipcMemHandle;

typedef enum CUfunctionLoadingState_enum {
  CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
  CU_FUNCTION_LOADING_STATE_LOADED = 1,
  CU_FUNCTION_LOADING_STATE_MAX
} CUfunctionLoadingState;

typedef struct CUgraphEdgeData_st {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
} CUgraphEdgeData;

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *userData);

#include "gpumemprof_sim/driver_device.h"
#include "gpumemprof_sim/driver_execution.h"
#include "gpumemprof_sim/driver_graph.h"
#include "gpumemprof_sim/driver_memory.h"
#include "gpumemprof_sim/driver_share.h"

#ifdef __cplusplus
}
#endif

#endif /* GPUMEMPROF_SIM_CUDA_H */
