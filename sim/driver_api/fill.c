/* fill.c - cuMemsetD8 and the other fills: patterns of one, two and four bytes, in a line or in
 * rows. */
#include "driver_api/cudrv.h"

static CUresult fill(CUdeviceptr to, size_t pitch, uint32_t pattern, unsigned size, size_t width,
                     size_t height, CUstream stream) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(!width || !height || gpm_sim_device_reaches(to));
  GPM_CU_REQUIRE(to % size == 0 && (height <= 1 || pitch >= width * size));
  struct gpm_sim_node operation = {.operation = GPM_SIM_OP_FILL,
                                   .box = {.to = to,
                                           .to_pitch = height <= 1 ? width * size : pitch,
                                           .width = width * size,
                                           .height = height,
                                           .depth = 1},
                                   .pattern = pattern,
                                   .pattern_size = size};
  return (CUresult)gpm_sim_submit(stream, &operation);
}

/* The four forms of one pattern size: a line or rows, at once or in a stream. */
#define FILL(bits, type)                                                                           \
  CUresult cuMemsetD##bits##Async(CUdeviceptr p, type value, size_t n, CUstream stream) {          \
    return fill(p, 0, value, bits / 8, n, 1, stream);                                              \
  }                                                                                                \
  GPM_CU_ALIAS(cuMemsetD##bits##Async, _ptsz);                                                     \
  CUresult cuMemsetD##bits##_v2(CUdeviceptr p, type value, size_t n) {                             \
    return fill(p, 0, value, bits / 8, n, 1, NULL);                                                \
  }                                                                                                \
  GPM_CU_ALIAS(cuMemsetD##bits##_v2, _ptds);                                                       \
  CUresult cuMemsetD2D##bits##Async(CUdeviceptr p, size_t pitch, type value, size_t width,         \
                                    size_t height, CUstream stream) {                              \
    return fill(p, pitch, value, bits / 8, width, height, stream);                                 \
  }                                                                                                \
  GPM_CU_ALIAS(cuMemsetD2D##bits##Async, _ptsz);                                                   \
  CUresult cuMemsetD2D##bits##_v2(CUdeviceptr p, size_t pitch, type value, size_t width,           \
                                  size_t height) {                                                 \
    return fill(p, pitch, value, bits / 8, width, height, NULL);                                   \
  }                                                                                                \
  GPM_CU_ALIAS(cuMemsetD2D##bits##_v2, _ptds)

FILL(8, unsigned char);
FILL(16, unsigned short);
FILL(32, unsigned int);
