/* cudrv.h - what the files of the driver API share: every function starts by asking whether cuInit
 * was called, and most whether the thread has a current context.
 */
#ifndef GPUMEMPROF_SIM_CUDRV_H
#define GPUMEMPROF_SIM_CUDRV_H

#include "arrays/arrays.h"
#include "base/object.h"
#include "cuda.h"
#include "driver_api/older.h"
#include "work/work.h"

#define GPM_CU_BEGIN                                                                               \
  if (!gpm_sim_initialized()) return CUDA_ERROR_NOT_INITIALIZED

#define GPM_CU_CONTEXT                                                                             \
  GPM_CU_BEGIN;                                                                                    \
  if (!gpm_sim_context_current()) return CUDA_ERROR_INVALID_CONTEXT

#define GPM_CU_REQUIRE(condition)                                                                  \
  if (!(condition)) return CUDA_ERROR_INVALID_VALUE

#define GPM_CU_DEVICE(ordinal)                                                                     \
  if (!gpm_sim_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE

/* Variants for the per-thread default stream. They are the same, because all work runs when it is
 * submitted. Those of functions in traced.def are made by traced.c. */
#define GPM_CU_ALIAS(name, suffix)                                                                 \
  extern __typeof__(name) name##suffix __attribute__((alias(#name)))

/* The functions of traced.def are wrapped by those of traced.c: here the names stand for what they
 * wrap. */
#define GPM_CU_TRACED(name, number, implementation, ...)                                           \
  extern __typeof__(implementation) implementation __asm__("gpm_cudrv_" #implementation);
#include "driver_api/traced.def"

/* vmm.c: what a handle of cuMemCreate, an import or cuMulticastCreate stands for */
struct gpm_cudrv_physical {
  struct gpm_sim_object object;
  struct gpm_sim_store *store;
  unsigned handles;  /* made and cuMemRetainAllocationHandle, less cuMemRelease */
  unsigned mappings; /* blocks, tiles of arrays and bindings made of it */
  CUmemAllocationProp properties;
  struct gpm_cudrv_team *team; /* cuMulticastCreate; null: memory */
};
struct gpm_cudrv_physical *gpm_cudrv_physical_get(CUmemGenericAllocationHandle handle);
/* Takes over one user of the store; null: the host is out of memory. */
struct gpm_cudrv_physical *gpm_cudrv_physical_make(struct gpm_sim_store *store,
                                                   const CUmemAllocationProp *properties);
void gpm_cudrv_physical_check(struct gpm_cudrv_physical *p); /* ends it where nothing needs it */

/* array.c: bits of each channel; false: no array has so many channels */
bool gpm_cudrv_channels(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, int channels[4]);

/* copy.c: the bytes that a copy moves; false: an array is invalid or too small */
bool gpm_cudrv_box(const CUDA_MEMCPY3D *copy, struct gpm_sim_box *box);

#endif /* GPUMEMPROF_SIM_CUDRV_H */
