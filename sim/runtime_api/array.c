/* array.c - arrays, textures and surfaces of the runtime API. Textures and surfaces only keep what
 * they were made of, because only kernels would read through them.
 */
#include "base/object.h"
#include "runtime_api/cudart.h"

#include <string.h>

bool gpm_cudart_driver_array(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                             unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *d) {
  static const CUarray_format formats[3][3] = {
      {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
      {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
      {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT}};
  const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
  unsigned count = 0;
  while (count < 4 && bits[count]) count++;
  for (unsigned i = 0; i < 4; i++)
    if (bits[i] != (i < count ? bits[0] : 0)) return false;
  if ((bits[0] != 8 && bits[0] != 16 && bits[0] != 32) || count == 3) return false;
  bool plain = desc->f <= cudaChannelFormatKindFloat;
  *d = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
                                 .Height = extent.height,
                                 .Depth = extent.depth,
                                 .Format = formats[plain ? desc->f : 1][bits[0] / 16],
                                 .NumChannels = count,
                                 .Flags = flags};
  return true;
}

static cudaError_t create(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                          struct cudaExtent extent, unsigned flags) {
  GPM_CUDART_REQUIRE(array && desc);
  GPM_CUDART_BEGIN;
  CUDA_ARRAY3D_DESCRIPTOR d;
  if (!gpm_cudart_driver_array(desc, extent, flags, &d))
    return gpm_cudart_end(cudaErrorInvalidChannelDescriptor);
  CUarray made = NULL;
  int error = (int)gpm_sim_cuArray3DCreate_v2(&made, &d);
  if (error) return gpm_cudart_end(error);
  ((struct gpm_sim_array *)made)->format = (int)desc->f; /* it has more than the driver's */
  *array = (cudaArray_t)made;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags) {
  struct cudaExtent extent = {width, height, 0};
  return create(array, desc, extent, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags) {
  return create(array, desc, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  GPM_CUDART_BEGIN;
  if (!array) return gpm_cudart_end(cudaSuccess);
  return gpm_cudart_end((int)gpm_sim_cuArrayDestroy((CUarray)array));
}

static void describe(const struct gpm_sim_array *a, struct cudaChannelFormatDesc *desc) {
  desc->x = a->channels[0];
  desc->y = a->channels[1];
  desc->z = a->channels[2];
  desc->w = a->channels[3];
  desc->f = (enum cudaChannelFormatKind)a->format;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
  struct gpm_sim_array *a = gpm_sim_object_get(array, GPM_SIM_ARRAY);
  if (!a) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  if (desc) describe(a, desc);
  if (extent) *extent = (struct cudaExtent){a->width, a->height, a->depth};
  if (flags) *flags = a->flags;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  struct gpm_sim_array *a = gpm_sim_object_get(array, GPM_SIM_ARRAY);
  if (!a) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  GPM_CUDART_REQUIRE(desc);
  describe(a, desc);
  return gpm_cudart_end(cudaSuccess);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f) {
  struct cudaChannelFormatDesc desc = {x, y, z, w, f};
  return desc;
}

struct texture {
  struct gpm_sim_object object;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc texture;
  struct cudaResourceViewDesc view;
};

static cudaError_t texture_create(unsigned long long *handle, const struct cudaResourceDesc *r,
                                  const struct cudaTextureDesc *t,
                                  const struct cudaResourceViewDesc *v) {
  GPM_CUDART_REQUIRE(handle && r);
  GPM_CUDART_BEGIN;
  struct texture *made =
      gpm_sim_object_create(GPM_SIM_TEXTURE, sizeof *made, gpm_sim_context_current());
  if (!made) return gpm_cudart_end(cudaErrorMemoryAllocation);
  made->resource = *r;
  if (t) made->texture = *t;
  if (v) made->view = *v;
  *handle = (uintptr_t)made;
  return gpm_cudart_end(cudaSuccess);
}

static struct texture *texture_get(unsigned long long handle) {
  return gpm_sim_object_get((void *)(uintptr_t)handle, GPM_SIM_TEXTURE);
}

static cudaError_t texture_destroy(unsigned long long handle) {
  if (!handle) return gpm_cudart_end(cudaSuccess);
  struct texture *t = texture_get(handle);
  GPM_CUDART_REQUIRE(t);
  gpm_sim_object_destroy(t);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                    const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc) {
  GPM_CUDART_REQUIRE(pTexDesc);
  return texture_create(pTexObject, pResDesc, pTexDesc, pResViewDesc);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
  return texture_destroy(texObject);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                    const struct cudaResourceDesc *pResDesc) {
  return texture_create(pSurfObject, pResDesc, NULL, NULL);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
  return texture_destroy(surfObject);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaTextureObject_t texObject) {
  struct texture *t = texture_get(texObject);
  GPM_CUDART_REQUIRE(t && pResDesc);
  *pResDesc = t->resource;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                            cudaTextureObject_t texObject) {
  struct texture *t = texture_get(texObject);
  GPM_CUDART_REQUIRE(t && pTexDesc);
  *pTexDesc = t->texture;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                 cudaTextureObject_t texObject) {
  struct texture *t = texture_get(texObject);
  GPM_CUDART_REQUIRE(t && pResViewDesc);
  *pResViewDesc = t->view;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaSurfaceObject_t surfObject) {
  return cudaGetTextureObjectResourceDesc(pResDesc, surfObject);
}
