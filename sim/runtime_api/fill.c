/* fill.c - cudaMemset and the other fills. */
#include "runtime_api/cudart.h"

static cudaError_t fill(uint64_t to, size_t pitch, size_t slice, int value, struct cudaExtent e,
                        cudaStream_t stream) {
  GPM_CUDART_BEGIN;
  bool any = e.width && e.height && e.depth;
  GPM_CUDART_REQUIRE(!any || gpm_sim_device_reaches(to));
  struct gpm_sim_node fill = {.operation = GPM_SIM_OP_FILL,
                              .box = {.to = to,
                                      .to_pitch = pitch,
                                      .to_slice = slice,
                                      .width = e.width,
                                      .height = e.height,
                                      .depth = e.depth},
                              .pattern = (uint32_t)value & 0xff,
                              .pattern_size = 1};
  return gpm_cudart_end(gpm_sim_submit(stream, &fill));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
  struct cudaExtent extent = {count, 1, 1};
  return fill((uintptr_t)devPtr, count, 0, value, extent, stream);
}
GPM_CUDART_ALIAS(cudaMemsetAsync, _ptsz);

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
  return cudaMemsetAsync(devPtr, value, count, NULL);
}
GPM_CUDART_ALIAS(cudaMemset, _ptds);

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  GPM_CUDART_REQUIRE(width <= pitch || height <= 1);
  struct cudaExtent extent = {width, height, 1};
  return fill((uintptr_t)devPtr, pitch, 0, value, extent, stream);
}
GPM_CUDART_ALIAS(cudaMemset2DAsync, _ptsz);

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(devPtr, pitch, value, width, height, NULL);
}
GPM_CUDART_ALIAS(cudaMemset2D, _ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream) {
  GPM_CUDART_REQUIRE(extent.width <= pitchedDevPtr.pitch || extent.height * extent.depth <= 1);
  return fill((uintptr_t)pitchedDevPtr.ptr, pitchedDevPtr.pitch,
              pitchedDevPtr.pitch * pitchedDevPtr.ysize, value, extent, stream);
}
GPM_CUDART_ALIAS(cudaMemset3DAsync, _ptsz);

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
  return cudaMemset3DAsync(pitchedDevPtr, value, extent, NULL);
}
GPM_CUDART_ALIAS(cudaMemset3D, _ptds);
