/* driver_types.h - types and constants of the runtime API, layout-compatible with CUDA 13.0. */
#ifndef GPUMEMPROF_SIM_DRIVER_TYPES_H
#define GPUMEMPROF_SIM_DRIVER_TYPES_H
#define __DRIVER_TYPES_H__ /* programs ask whether it is included by the toolkit's name */

#include "host_defines.h"
#include "vector_types.h"

#include <limits.h>
#include <stddef.h>

enum cudaError {
#define GPM_SIM_ERROR(value, runtime, driver, text) runtime = value,
#define GPM_SIM_RUNTIME_ERROR(value, runtime, text) runtime = value,
#include "gpumemprof_sim/errors.def"
  cudaErrorApiFailureBase = 10000
};
typedef enum cudaError cudaError_t;

#include "gpumemprof_sim/array_types.h"
#include "gpumemprof_sim/device_attributes.h"
#include "gpumemprof_sim/device_properties.h"
#include "gpumemprof_sim/graph_types.h"
#include "gpumemprof_sim/launch_types.h"
#include "gpumemprof_sim/memory_types.h"
#include "gpumemprof_sim/share_types.h"

#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04

#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08

#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04

#define cudaPeerAccessDefault 0x00
#define cudaIpcMemLazyEnablePeerAccess 0x01

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01
#define cudaEventWaitDefault 0x00
#define cudaEventWaitExternal 0x01

#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceScheduleMask 0x07
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaDeviceSyncMemops 0x80
#define cudaDeviceMask 0xff

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaArraySparse 0x40
#define cudaArrayDeferredMapping 0x80

#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01

#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaInitDeviceFlagsAreValid 0x01

#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributePriority cudaLaunchAttributePriority

#endif /* GPUMEMPROF_SIM_DRIVER_TYPES_H */
