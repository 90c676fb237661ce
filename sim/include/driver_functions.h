/* driver_functions.h - make_cudaPitchedPtr, make_cudaExtent, make_cudaPos. */
#ifndef GPUMEMPROF_SIM_DRIVER_FUNCTIONS_H
#define GPUMEMPROF_SIM_DRIVER_FUNCTIONS_H

/* System headers: their small functions are the calling line, as those of the toolkit. */
#pragma GCC system_header

#include "driver_types.h"

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize,
                                                        size_t ysize) {
  struct cudaPitchedPtr p = {ptr, pitch, xsize, ysize};
  return p;
}

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent e = {width, height, depth};
  return e;
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos p = {x, y, z};
  return p;
}

#endif /* GPUMEMPROF_SIM_DRIVER_FUNCTIONS_H */
