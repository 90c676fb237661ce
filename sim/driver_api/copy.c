/* copy.c - copies of the driver API: each becomes a box of bytes (memory/copy.c). */
#include "base/object.h"
#include "driver_api/cudrv.h"

#include <string.h>

static CUresult line(uint64_t to, uint64_t from, size_t size, CUstream stream) {
  GPM_CU_CONTEXT;
  struct gpm_sim_box box = {.to = to,
                            .to_pitch = size,
                            .from = from,
                            .from_pitch = size,
                            .width = size,
                            .height = 1,
                            .depth = 1};
  return (CUresult)gpm_sim_submit_box(stream, &box);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return line(dst, src, ByteCount, hStream);
}
GPM_CU_ALIAS(cuMemcpyAsync, _ptsz);

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return line(dst, src, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpy, _ptds);

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  if (!gpm_sim_context_get(dstContext) || !gpm_sim_context_get(srcContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  return line(dstDevice, srcDevice, ByteCount, hStream);
}
GPM_CU_ALIAS(cuMemcpyPeerAsync, _ptsz);

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount) {
  return cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyPeer, _ptds);

/* The same, where one end must be device memory. */
static CUresult device_line(uint64_t device, uint64_t to, uint64_t from, size_t size,
                            CUstream stream) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(!size || gpm_sim_device_reaches(device));
  return line(to, from, size, stream);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                              CUstream hStream) {
  return device_line(dstDevice, dstDevice, (uintptr_t)srcHost, ByteCount, hStream);
}
GPM_CU_ALIAS(cuMemcpyHtoDAsync_v2, _ptsz);

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  return device_line(dstDevice, dstDevice, (uintptr_t)srcHost, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyHtoD_v2, _ptds);

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return device_line(srcDevice, (uintptr_t)dstHost, srcDevice, ByteCount, hStream);
}
GPM_CU_ALIAS(cuMemcpyDtoHAsync_v2, _ptsz);

CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return device_line(srcDevice, (uintptr_t)dstHost, srcDevice, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyDtoH_v2, _ptds);

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return line(dstDevice, srcDevice, ByteCount, hStream);
}
GPM_CU_ALIAS(cuMemcpyDtoDAsync_v2, _ptsz);

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return line(dstDevice, srcDevice, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyDtoD_v2, _ptds);

/* Byte `offset` of an array's first row of which `size` bytes are wanted; 0: not in the array. */
static uint64_t in_array(CUarray handle, size_t offset, size_t size) {
  struct gpm_sim_array *a = gpm_sim_object_get(handle, GPM_SIM_ARRAY);
  uint64_t pitch, slice, row = a ? a->width * a->element : 0;
  if (offset > row || size > row - offset) return 0;
  return gpm_sim_array_at(a, offset, 0, 0, &pitch, &slice);
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                         size_t ByteCount) {
  return line(in_array(dstArray, dstOffset, ByteCount), srcDevice, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyDtoA_v2, _ptds);

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return line(dstDevice, in_array(srcArray, srcOffset, ByteCount), ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyAtoD_v2, _ptds);

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, CUstream hStream) {
  return line(in_array(dstArray, dstOffset, ByteCount), (uintptr_t)srcHost, ByteCount, hStream);
}
GPM_CU_ALIAS(cuMemcpyHtoAAsync_v2, _ptsz);

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                         size_t ByteCount) {
  return cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyHtoA_v2, _ptds);

CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream hStream) {
  return line((uintptr_t)dstHost, in_array(srcArray, srcOffset, ByteCount), ByteCount, hStream);
}
GPM_CU_ALIAS(cuMemcpyAtoHAsync_v2, _ptsz);

CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyAtoH_v2, _ptds);

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return line(in_array(dstArray, dstOffset, ByteCount), in_array(srcArray, srcOffset, ByteCount),
              ByteCount, NULL);
}
GPM_CU_ALIAS(cuMemcpyAtoA_v2, _ptds);

/* One end of a box: start, and the distance of rows and slices. */
struct end {
  uint64_t address, pitch, slice;
};

static bool end_of(CUmemorytype type, const void *host, CUdeviceptr device, CUarray handle,
                   size_t pitch, size_t height, size_t x, size_t y, size_t z,
                   const CUDA_MEMCPY3D *copy, struct end *end) {
  if (type == CU_MEMORYTYPE_ARRAY) {
    struct gpm_sim_array *a = gpm_sim_object_get(handle, GPM_SIM_ARRAY);
    if (!a) return false;
    uint64_t row = a->width * a->element, rows = a->height ? a->height : 1;
    uint64_t slices = a->depth ? a->depth : 1;
    if (x > row || copy->WidthInBytes > row - x || y > rows || copy->Height > rows - y ||
        z > slices || copy->Depth > slices - z)
      return false;
    end->address = gpm_sim_array_at(a, x, y, z, &end->pitch, &end->slice);
    return true;
  }
  if (type < CU_MEMORYTYPE_HOST || type > CU_MEMORYTYPE_UNIFIED) return false;
  uint64_t base = type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : device;
  end->pitch = pitch ? pitch : copy->WidthInBytes;
  end->slice = end->pitch * (height ? height : copy->Height);
  end->address = base + z * end->slice + y * end->pitch + x;
  return end->pitch >= copy->WidthInBytes;
}

bool gpm_cudrv_box(const CUDA_MEMCPY3D *c, struct gpm_sim_box *box) {
  struct end to, from;
  if (!end_of(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstPitch, c->dstHeight,
              c->dstXInBytes, c->dstY, c->dstZ, c, &to) ||
      !end_of(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcPitch, c->srcHeight,
              c->srcXInBytes, c->srcY, c->srcZ, c, &from))
    return false;
  *box = (struct gpm_sim_box){to.address, to.pitch,        to.slice,  from.address, from.pitch,
                              from.slice, c->WidthInBytes, c->Height, c->Depth};
  return true;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
  GPM_CU_CONTEXT;
  struct gpm_sim_box box;
  GPM_CU_REQUIRE(pCopy && gpm_cudrv_box(pCopy, &box));
  return (CUresult)gpm_sim_submit_box(hStream, &box);
}
GPM_CU_ALIAS(cuMemcpy3DAsync_v2, _ptsz);

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) {
  return cuMemcpy3DAsync_v2(pCopy, NULL);
}
GPM_CU_ALIAS(cuMemcpy3D_v2, _ptds);

/* The structures have the same layout, with contexts where the other has reserved fields. */
_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D), "one layout");

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
  GPM_CU_REQUIRE(pCopy);
  CUDA_MEMCPY3D copy;
  memcpy(&copy, pCopy, sizeof copy);
  return cuMemcpy3DAsync_v2(&copy, hStream);
}
GPM_CU_ALIAS(cuMemcpy3DPeerAsync, _ptsz);

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) {
  return cuMemcpy3DPeerAsync(pCopy, NULL);
}
GPM_CU_ALIAS(cuMemcpy3DPeer, _ptds);

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
  GPM_CU_REQUIRE(pCopy);
  const CUDA_MEMCPY2D *c = pCopy;
  CUDA_MEMCPY3D copy = {.srcXInBytes = c->srcXInBytes,
                        .srcY = c->srcY,
                        .srcMemoryType = c->srcMemoryType,
                        .srcHost = c->srcHost,
                        .srcDevice = c->srcDevice,
                        .srcArray = c->srcArray,
                        .srcPitch = c->srcPitch,
                        .dstXInBytes = c->dstXInBytes,
                        .dstY = c->dstY,
                        .dstMemoryType = c->dstMemoryType,
                        .dstHost = c->dstHost,
                        .dstDevice = c->dstDevice,
                        .dstArray = c->dstArray,
                        .dstPitch = c->dstPitch,
                        .WidthInBytes = c->WidthInBytes,
                        .Height = c->Height,
                        .Depth = 1};
  return cuMemcpy3DAsync_v2(&copy, hStream);
}
GPM_CU_ALIAS(cuMemcpy2DAsync_v2, _ptsz);

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) {
  return cuMemcpy2DAsync_v2(pCopy, NULL);
}
GPM_CU_ALIAS(cuMemcpy2D_v2, _ptds);

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) {
  return cuMemcpy2D_v2(pCopy);
}
GPM_CU_ALIAS(cuMemcpy2DUnaligned_v2, _ptds);
