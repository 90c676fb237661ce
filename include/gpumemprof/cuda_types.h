/* cuda_types.h - the few CUDA types the entry points of cuda_api.def need, declared by ourselves.
 *
 * The runtime must build and run where no CUDA toolkit is installed, so it uses these
 * layout-compatible twins; test/unit compares each with the toolkit's header where there is one.
 */
#ifndef GPUMEMPROF_CUDA_TYPES_H
#define GPUMEMPROF_CUDA_TYPES_H

#include <stddef.h>

typedef struct CUstream_st *gpm_stream;      /* cudaStream_t, CUstream */
typedef struct CUmemPoolHandle_st *gpm_pool; /* cudaMemPool_t, CUmemoryPool */
typedef unsigned long long gpm_deviceptr;    /* CUdeviceptr */

struct gpm_pitched_ptr { /* cudaPitchedPtr; sizes in bytes */
  void *ptr;
  size_t pitch;
  size_t xsize;
  size_t ysize;
};

struct gpm_extent { /* cudaExtent; width in bytes for linear memory */
  size_t width;
  size_t height;
  size_t depth;
};

struct gpm_channel_desc { /* cudaChannelFormatDesc; bits of each channel */
  int x;
  int y;
  int z;
  int w;
  int f;
};

/* Bytes of a CUDA array's elements: a lower bound, the device may pad. */
static inline size_t gpm_array_bytes(const struct gpm_channel_desc *d, size_t width,
                                     size_t height) {
  size_t element = (size_t)(d->x + d->y + d->z + d->w) / 8;
  return element * width * (height ? height : 1);
}

#define GPM_CUDA_SUCCESS 0
#define GPM_CUDA_OUT_OF_MEMORY 2 /* cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY */

#endif /* GPUMEMPROF_CUDA_TYPES_H */
