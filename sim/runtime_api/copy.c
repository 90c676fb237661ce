/* copy.c - cudaMemcpy and the other copies: each becomes a box of bytes (memory/copy.c). */
#include "base/object.h"
#include "runtime_api/cudart.h"

/* One end of a copy. */
struct end {
  uint64_t address, pitch, slice;
};

static struct end rows(const void *p, size_t pitch) {
  return (struct end){(uintptr_t)p, pitch, 0};
}

static cudaError_t move(struct end to, struct end from, size_t width, size_t height, size_t depth,
                        enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return gpm_cudart_end(cudaErrorInvalidMemcpyDirection);
  GPM_CUDART_BEGIN;
  /* As in the real runtime, the end that must be device memory is checked and the host's is not. */
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  bool any = width && height && depth;
  GPM_CUDART_REQUIRE(!any || !to_device || gpm_sim_device_reaches(to.address));
  GPM_CUDART_REQUIRE(!any || !from_device || gpm_sim_device_reaches(from.address));
  struct gpm_sim_box box = {to.address, to.pitch, to.slice, from.address, from.pitch,
                            from.slice, width,    height,   depth};
  return gpm_cudart_end(gpm_sim_submit_box(stream, &box));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return move(rows(dst, count), rows(src, count), count, 1, 1, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpyAsync, _ptsz);

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
  return cudaMemcpyAsync(dst, src, count, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream) {
  if (!gpm_sim_device(dstDevice) || !gpm_sim_device(srcDevice))
    return gpm_cudart_end(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(dst, src, count, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
  return cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count, NULL);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (width > dpitch || width > spitch) return gpm_cudart_end(cudaErrorInvalidPitchValue);
  return move(rows(dst, dpitch), rows(src, spitch), width, height, 1, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpy2DAsync, _ptsz);

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpy2D, _ptds);

static struct gpm_sim_array *array_get(cudaArray_const_t handle) {
  return gpm_sim_object_get(handle, GPM_SIM_ARRAY);
}

/* The end of a box in an array, from byte x of row y on; false: it would leave the array. */
static bool array_end(cudaArray_const_t handle, size_t x, size_t y, size_t width, size_t height,
                      struct end *end) {
  struct gpm_sim_array *a = array_get(handle);
  if (!a) return false;
  size_t array_rows = a->height ? a->height : 1;
  if (x > a->width * a->element || width > a->width * a->element - x || y > array_rows ||
      height > array_rows - y)
    return false;
  end->address = gpm_sim_array_at(a, x, y, 0, &end->pitch, &end->slice);
  return true;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void *src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!array_get(dst)) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  struct end to;
  GPM_CUDART_REQUIRE(array_end(dst, wOffset, hOffset, width, height, &to));
  return move(to, rows(src, spitch), width, height, 1, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpy2DToArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
  return cudaMemcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpy2DToArray, _ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!array_get(src)) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  struct end from;
  GPM_CUDART_REQUIRE(array_end(src, wOffset, hOffset, width, height, &from));
  return move(rows(dst, dpitch), from, width, height, 1, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpy2DFromArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind) {
  return cudaMemcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpy2DFromArray, _ptds);

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
  if (!array_get(dst) || !array_get(src)) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  struct end to, from;
  GPM_CUDART_REQUIRE(array_end(dst, wOffsetDst, hOffsetDst, width, height, &to) &&
                     array_end(src, wOffsetSrc, hOffsetSrc, width, height, &from));
  return move(to, from, width, height, 1, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpy2DArrayToArray, _ptds);

/* The linear forms fill an array row by row from a starting position. */
static cudaError_t linear(cudaArray_const_t array, size_t x, size_t y, const void *memory,
                          size_t count, bool to_array, enum cudaMemcpyKind kind,
                          cudaStream_t stream) {
  struct gpm_sim_array *a = array_get(array);
  if (!a) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  size_t row = a->width * a->element;
  for (size_t done = 0; done < count;) {
    size_t piece = x < row ? row - x : 0;
    if (piece > count - done) piece = count - done;
    struct end in_array;
    struct end in_memory = rows((const char *)memory + done, piece);
    GPM_CUDART_REQUIRE(piece && array_end(array, x, y, piece, 1, &in_array));
    cudaError_t error = to_array ? move(in_array, in_memory, piece, 1, 1, kind, stream)
                                 : move(in_memory, in_array, piece, 1, 1, kind, stream);
    if (error) return error;
    done += piece;
    x = 0;
    y++;
  }
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return linear(dst, wOffset, hOffset, src, count, true, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpyToArrayAsync, _ptsz);

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t count, enum cudaMemcpyKind kind) {
  return linear(dst, wOffset, hOffset, src, count, true, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpyToArray, _ptds);

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return linear(src, wOffset, hOffset, dst, count, false, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpyFromArrayAsync, _ptsz);

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum cudaMemcpyKind kind) {
  return linear(src, wOffset, hOffset, dst, count, false, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpyFromArray, _ptds);

/* The end of a 3D copy: an array (its positions and the extent count elements) or pitched memory.
 */
static bool end_3d(cudaArray_t array, struct cudaPos pos, struct cudaPitchedPtr ptr,
                   struct cudaExtent bytes, struct end *end) {
  if (!array) {
    end->pitch = ptr.pitch;
    end->slice = ptr.pitch * ptr.ysize;
    end->address = (uintptr_t)ptr.ptr + pos.z * end->slice + pos.y * end->pitch + pos.x;
    return bytes.width <= ptr.pitch || (bytes.height == 1 && bytes.depth == 1);
  }
  struct gpm_sim_array *a = array_get(array);
  size_t slices = a && a->depth ? a->depth : 1;
  if (!a || pos.z > slices || bytes.depth > slices - pos.z) return false;
  if (!array_end(array, pos.x * a->element, pos.y, bytes.width, bytes.height, end)) return false;
  end->address += pos.z * end->slice;
  return true;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
  GPM_CUDART_REQUIRE(p);
  struct cudaExtent bytes = p->extent;
  cudaArray_t array = p->srcArray ? p->srcArray : p->dstArray;
  if (array) {
    struct gpm_sim_array *a = array_get(array);
    if (!a) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
    bytes.width *= a->element;
  }
  struct end to, from;
  GPM_CUDART_REQUIRE(end_3d(p->dstArray, p->dstPos, p->dstPtr, bytes, &to) &&
                     end_3d(p->srcArray, p->srcPos, p->srcPtr, bytes, &from));
  return move(to, from, bytes.width, bytes.height, bytes.depth, p->kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpy3DAsync, _ptsz);

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
  return cudaMemcpy3DAsync(p, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpy3D, _ptds);

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  GPM_CUDART_REQUIRE(p);
  if (!gpm_sim_device(p->srcDevice) || !gpm_sim_device(p->dstDevice))
    return gpm_cudart_end(cudaErrorInvalidDevice);
  struct cudaMemcpy3DParms q = {.srcArray = p->srcArray,
                                .srcPos = p->srcPos,
                                .srcPtr = p->srcPtr,
                                .dstArray = p->dstArray,
                                .dstPos = p->dstPos,
                                .dstPtr = p->dstPtr,
                                .extent = p->extent,
                                .kind = cudaMemcpyDefault};
  return cudaMemcpy3DAsync(&q, stream);
}
GPM_CUDART_ALIAS(cudaMemcpy3DPeerAsync, _ptsz);

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
  return cudaMemcpy3DPeerAsync(p, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpy3DPeer, _ptds);

/* The address of byte `offset` of a variable of which `count` bytes are wanted. */
static cudaError_t symbol_at(const void *symbol, size_t count, size_t offset, char **at) {
  GPM_CUDART_BEGIN;
  uint64_t address = 0, size = 0;
  int error = gpm_cudart_symbol(symbol, &address, &size);
  if (error) return gpm_cudart_end(error);
  GPM_CUDART_REQUIRE(offset <= size && count <= size - offset);
  *at = (char *)(uintptr_t)(address + offset);
  return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  char *at = NULL;
  cudaError_t error = symbol_at(symbol, count, offset, &at);
  return error ? error : cudaMemcpyAsync(at, src, count, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  char *at = NULL;
  cudaError_t error = symbol_at(symbol, count, offset, &at);
  return error ? error : cudaMemcpyAsync(dst, at, count, kind, stream);
}
GPM_CUDART_ALIAS(cudaMemcpyFromSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, NULL);
}
GPM_CUDART_ALIAS(cudaMemcpyFromSymbol, _ptds);
