/* mipmap.c - mipmapped arrays of the driver API, external memory, and arrays without memory, which
 * cuMemMapArrayAsync gives them.
 */
#include "base/lock.h"
#include "base/object.h"
#include "driver_api/cudrv.h"

static CUresult create(CUmipmappedArray *result, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels,
                       unsigned flags) {
  GPM_CU_CONTEXT;
  int channels[4];
  GPM_CU_REQUIRE(result && d && gpm_cudrv_channels(d, channels));
  return (CUresult)gpm_sim_mipmap_create(channels, (int)d->Format, d->Width, d->Height, d->Depth,
                                         levels, flags, (struct gpm_sim_mipmap **)result);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
  GPM_CU_REQUIRE(pMipmappedArrayDesc);
  return create(pHandle, pMipmappedArrayDesc, numMipmapLevels, pMipmappedArrayDesc->Flags);
}

CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                  unsigned int level) {
  GPM_CU_BEGIN;
  return (CUresult)gpm_sim_mipmap_level(hMipmappedArray, level,
                                        (struct gpm_sim_array **)pLevelArray);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  GPM_CU_BEGIN;
  return (CUresult)gpm_sim_mipmap_destroy(hMipmappedArray);
}

#define ARRAY(handle)                                                                              \
  GPM_CU_BEGIN;                                                                                    \
  struct gpm_sim_array *a = gpm_sim_object_get(handle, GPM_SIM_ARRAY);                             \
  if (!a) return CUDA_ERROR_INVALID_HANDLE
#define MIPMAP(handle)                                                                             \
  GPM_CU_BEGIN;                                                                                    \
  struct gpm_sim_mipmap *m = gpm_sim_object_get(handle, GPM_SIM_MIPMAP);                           \
  if (!m) return CUDA_ERROR_INVALID_HANDLE

static CUresult requirements(int error, uint64_t size, uint64_t alignment,
                             CUDA_ARRAY_MEMORY_REQUIREMENTS *result) {
  if (!error) *result = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = size, .alignment = alignment};
  return (CUresult)error;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                      CUarray array, CUdevice device) {
  ARRAY(array);
  uint64_t size = 0, alignment = 0;
  GPM_CU_REQUIRE(memoryRequirements);
  int error = gpm_sim_array_requirements(a, device, &size, &alignment);
  return requirements(error, size, alignment, memoryRequirements);
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device) {
  MIPMAP(mipmap);
  uint64_t size = 0, alignment = 0;
  GPM_CU_REQUIRE(memoryRequirements);
  int error = gpm_sim_mipmap_requirements(m, device, &size, &alignment);
  return requirements(error, size, alignment, memoryRequirements);
}

static CUresult sparse(int error, const struct gpm_sim_sparse *found,
                       CUDA_ARRAY_SPARSE_PROPERTIES *result) {
  if (!error)
    *result = (CUDA_ARRAY_SPARSE_PROPERTIES){
        .tileExtent = {found->tile[0], found->tile[1], found->tile[2]},
        .miptailFirstLevel = found->first_of_tail,
        .miptailSize = found->tail_bytes};
  return (CUresult)error;
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array) {
  ARRAY(array);
  struct gpm_sim_sparse found;
  GPM_CU_REQUIRE(sparseProperties);
  return sparse(gpm_sim_array_sparse(a, &found), &found, sparseProperties);
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                             CUmipmappedArray mipmap) {
  MIPMAP(mipmap);
  struct gpm_sim_sparse found;
  GPM_CU_REQUIRE(sparseProperties);
  return sparse(gpm_sim_mipmap_sparse(m, &found), &found, sparseProperties);
}

/* One entry of the list: a tile of an array or of a level, or the tail of all small levels. */
static CUresult map_one(const CUarrayMapInfo *info) {
  struct gpm_sim_mipmap *m = NULL;
  struct gpm_sim_array *a = NULL;
  if (info->resourceType == CU_RESOURCE_TYPE_ARRAY)
    a = gpm_sim_object_get(info->resource.array, GPM_SIM_ARRAY);
  else if (info->resourceType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
    m = gpm_sim_object_get(info->resource.mipmap, GPM_SIM_MIPMAP);
  const struct gpm_sim_array *first = m ? m->levels[0] : a;
  GPM_CU_REQUIRE(first && first->store && info->deviceBitMask && !info->flags);
  GPM_CU_REQUIRE(info->memHandleType == CU_MEM_HANDLE_TYPE_GENERIC);
  struct gpm_sim_tile_key key = {.type = (unsigned)info->subresourceType};
  if (info->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL) {
    key.level = info->subresource.sparseLevel.level;
    key.layer = info->subresource.sparseLevel.layer;
    key.at[0] = info->subresource.sparseLevel.offsetX;
    key.at[1] = info->subresource.sparseLevel.offsetY;
    key.at[2] = info->subresource.sparseLevel.offsetZ;
    GPM_CU_REQUIRE(key.level < (m ? m->count : 1));
  } else {
    GPM_CU_REQUIRE(m && info->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL);
    key.layer = info->subresource.miptail.layer;
  }
  struct gpm_sim_store *store = NULL;
  if (info->memOperationType == CU_MEM_OPERATION_TYPE_MAP) {
    struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(info->memHandle.memHandle);
    GPM_CU_REQUIRE(p && info->offset < p->store->size);
    store = p->store;
  } else {
    GPM_CU_REQUIRE(info->memOperationType == CU_MEM_OPERATION_TYPE_UNMAP &&
                   !info->memHandle.memHandle);
  }
  struct gpm_sim_tile **tiles = m ? &m->tiles : &a->tiles;
  int error = gpm_sim_tiles_set(tiles, &key, store);
  for (unsigned i = 0; !error && i < (m ? m->count : 1); i++)
    gpm_sim_array_show(m ? m->levels[i] : a, *tiles != NULL);
  return (CUresult)error;
}

CUresult cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(mapInfoList && count);
  if (!gpm_sim_stream_get(hStream)) return CUDA_ERROR_INVALID_HANDLE;
  GPM_SIM_LOCKED;
  for (unsigned i = 0; i < count; i++) {
    CUresult error = map_one(&mapInfoList[i]);
    if (error) return error;
  }
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuMemMapArrayAsync, _ptsz);

static struct gpm_sim_external *external_get(CUexternalMemory handle) {
  return gpm_sim_object_get(handle, GPM_SIM_EXTERNAL);
}

CUresult cuImportExternalMemory(CUexternalMemory *extMem_out,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(extMem_out && memHandleDesc);
  if (memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
    return CUDA_ERROR_NOT_SUPPORTED;
  return (CUresult)gpm_sim_external_import(memHandleDesc->handle.fd, memHandleDesc->size,
                                           (struct gpm_sim_external **)extMem_out);
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
  GPM_CU_CONTEXT;
  struct gpm_sim_external *e = external_get(extMem);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(devPtr && bufferDesc);
  uint64_t address = 0;
  int error = gpm_sim_external_map(e, bufferDesc->offset, bufferDesc->size, &address);
  if (!error) *devPtr = address;
  return (CUresult)error;
}

CUresult cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc) {
  struct gpm_sim_external *e = external_get(extMem);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(mipmapDesc && mipmapDesc->offset < e->store->size);
  CUresult error = create(mipmap, &mipmapDesc->arrayDesc, mipmapDesc->numLevels,
                          mipmapDesc->arrayDesc.Flags | GPM_SIM_ARRAY_DEFERRED);
  if (error) return error;
  return (CUresult)gpm_sim_external_array(e, (struct gpm_sim_mipmap *)*mipmap);
}

CUresult cuDestroyExternalMemory(CUexternalMemory extMem) {
  GPM_CU_BEGIN;
  struct gpm_sim_external *e = external_get(extMem);
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_object_destroy(e);
  return CUDA_SUCCESS;
}
