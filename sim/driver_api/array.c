/* array.c - arrays, textures and surfaces of the driver API. */
#include "base/object.h"
#include "driver_api/cudrv.h"

/* Bits of one channel; 0: a format the simulated device does not have. */
static int bits_of(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return 8;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 16;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 32;
  default:
    return 0;
  }
}

bool gpm_cudrv_channels(const CUDA_ARRAY3D_DESCRIPTOR *d, int channels[4]) {
  if (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4) return false;
  for (unsigned i = 0; i < 4; i++) channels[i] = i < d->NumChannels ? bits_of(d->Format) : 0;
  return channels[0] != 0;
}

CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
  GPM_CU_CONTEXT;
  const CUDA_ARRAY3D_DESCRIPTOR *d = pAllocateArray;
  int channels[4];
  GPM_CU_REQUIRE(pHandle && d && gpm_cudrv_channels(d, channels));
  return (CUresult)gpm_sim_array_create(channels, (int)d->Format, d->Width, d->Height, d->Depth,
                                        d->Flags, (struct gpm_sim_array **)pHandle);
}

CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
  GPM_CU_REQUIRE(pAllocateArray);
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = pAllocateArray->Width,
                               .Height = pAllocateArray->Height,
                               .Format = pAllocateArray->Format,
                               .NumChannels = pAllocateArray->NumChannels};
  return cuArray3DCreate_v2(pHandle, &d);
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
  GPM_CU_BEGIN;
  struct gpm_sim_array *a = gpm_sim_object_get(hArray, GPM_SIM_ARRAY);
  if (!a) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(pArrayDescriptor);
  unsigned channels = 0;
  while (channels < 4 && a->channels[channels]) channels++;
  *pArrayDescriptor = (CUDA_ARRAY3D_DESCRIPTOR){
      a->width, a->height, a->depth, (CUarray_format)a->format, channels, a->flags};
  return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
  CUDA_ARRAY3D_DESCRIPTOR d;
  CUresult error = cuArray3DGetDescriptor_v2(&d, hArray);
  if (error) return error;
  GPM_CU_REQUIRE(pArrayDescriptor);
  *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray hArray) {
  GPM_CU_BEGIN;
  struct gpm_sim_array *a = gpm_sim_object_get(hArray, GPM_SIM_ARRAY);
  if (!a) return CUDA_ERROR_INVALID_HANDLE;
  if (a->is_level) return CUDA_SUCCESS; /* its mipmapped array destroys it */
  if (gpm_sim_free_fails()) return CUDA_ERROR_INVALID_VALUE;
  gpm_sim_array_destroy(a);
  return CUDA_SUCCESS;
}

struct texture {
  struct gpm_sim_object object;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  CUDA_RESOURCE_VIEW_DESC view;
};

static struct texture *texture_get(unsigned long long handle) {
  return gpm_sim_object_get((void *)(uintptr_t)handle, GPM_SIM_TEXTURE);
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC *pResViewDesc) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(pTexObject && pResDesc);
  struct texture *made =
      gpm_sim_object_create(GPM_SIM_TEXTURE, sizeof *made, gpm_sim_context_current());
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  made->resource = *pResDesc;
  if (pTexDesc) made->texture = *pTexDesc;
  if (pResViewDesc) made->view = *pResViewDesc;
  *pTexObject = (uintptr_t)made;
  return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
  GPM_CU_BEGIN;
  struct texture *t = texture_get(texObject);
  if (!t) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_object_destroy(t);
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject) {
  struct texture *t = texture_get(texObject);
  GPM_CU_REQUIRE(t && pResDesc);
  *pResDesc = t->resource;
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject) {
  struct texture *t = texture_get(texObject);
  GPM_CU_REQUIRE(t && pTexDesc);
  *pTexDesc = t->texture;
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                                        CUtexObject texObject) {
  struct texture *t = texture_get(texObject);
  GPM_CU_REQUIRE(t && pResViewDesc);
  *pResViewDesc = t->view;
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc) {
  return cuTexObjectCreate(pSurfObject, pResDesc, NULL, NULL);
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) {
  return cuTexObjectDestroy(surfObject);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject) {
  return cuTexObjectGetResourceDesc(pResDesc, surfObject);
}
