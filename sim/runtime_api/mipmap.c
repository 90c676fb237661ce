/* mipmap.c - mipmapped arrays of the runtime API, external memory, and the properties of arrays
 * without memory.
 */
#include "base/object.h"
#include "runtime_api/cudart.h"

static cudaError_t create(cudaMipmappedArray_t *result, const struct cudaChannelFormatDesc *desc,
                          struct cudaExtent extent, unsigned levels, unsigned flags) {
  GPM_CUDART_REQUIRE(result && desc);
  GPM_CUDART_BEGIN;
  const int channels[4] = {desc->x, desc->y, desc->z, desc->w};
  return gpm_cudart_end(gpm_sim_mipmap_create(channels, (int)desc->f, extent.width, extent.height,
                                              extent.depth, levels, flags,
                                              (struct gpm_sim_mipmap **)result));
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags) {
  return create(mipmappedArray, desc, extent, numLevels, flags);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                       cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level) {
  return gpm_cudart_end(
      gpm_sim_mipmap_level(mipmappedArray, level, (struct gpm_sim_array **)levelArray));
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  GPM_CUDART_BEGIN;
  if (!mipmappedArray) return gpm_cudart_end(cudaSuccess);
  return gpm_cudart_end(gpm_sim_mipmap_destroy(mipmappedArray));
}

#define ARRAY(handle)                                                                              \
  struct gpm_sim_array *a = gpm_sim_object_get(handle, GPM_SIM_ARRAY);                             \
  if (!a) return gpm_cudart_end(cudaErrorInvalidResourceHandle)
#define MIPMAP(handle)                                                                             \
  struct gpm_sim_mipmap *m = gpm_sim_object_get(handle, GPM_SIM_MIPMAP);                           \
  if (!m) return gpm_cudart_end(cudaErrorInvalidResourceHandle)

static cudaError_t requirements(int error, uint64_t size, uint64_t alignment,
                                struct cudaArrayMemoryRequirements *result) {
  if (!error) *result = (struct cudaArrayMemoryRequirements){.size = size, .alignment = alignment};
  return gpm_cudart_end(error);
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                           cudaArray_t array, int device) {
  ARRAY(array);
  uint64_t size = 0, alignment = 0;
  GPM_CUDART_REQUIRE(memoryRequirements);
  int error = gpm_sim_array_requirements(a, device, &size, &alignment);
  return requirements(error, size, alignment, memoryRequirements);
}

cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                        cudaMipmappedArray_t mipmap, int device) {
  MIPMAP(mipmap);
  uint64_t size = 0, alignment = 0;
  GPM_CUDART_REQUIRE(memoryRequirements);
  int error = gpm_sim_mipmap_requirements(m, device, &size, &alignment);
  return requirements(error, size, alignment, memoryRequirements);
}

static cudaError_t sparse(int error, const struct gpm_sim_sparse *found,
                          struct cudaArraySparseProperties *result) {
  if (!error)
    *result = (struct cudaArraySparseProperties){
        .tileExtent = {found->tile[0], found->tile[1], found->tile[2]},
        .miptailFirstLevel = found->first_of_tail,
        .miptailSize = found->tail_bytes};
  return gpm_cudart_end(error);
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                         cudaArray_t array) {
  ARRAY(array);
  struct gpm_sim_sparse found;
  GPM_CUDART_REQUIRE(sparseProperties);
  return sparse(gpm_sim_array_sparse(a, &found), &found, sparseProperties);
}

cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                      cudaMipmappedArray_t mipmap) {
  MIPMAP(mipmap);
  struct gpm_sim_sparse found;
  GPM_CUDART_REQUIRE(sparseProperties);
  return sparse(gpm_sim_mipmap_sparse(m, &found), &found, sparseProperties);
}

static struct gpm_sim_external *external_get(cudaExternalMemory_t handle) {
  return gpm_sim_object_get(handle, GPM_SIM_EXTERNAL);
}

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                                     const struct cudaExternalMemoryHandleDesc *memHandleDesc) {
  GPM_CUDART_REQUIRE(extMem_out && memHandleDesc);
  GPM_CUDART_BEGIN;
  if (memHandleDesc->type != cudaExternalMemoryHandleTypeOpaqueFd)
    return gpm_cudart_end(cudaErrorNotSupported);
  return gpm_cudart_end(gpm_sim_external_import(memHandleDesc->handle.fd, memHandleDesc->size,
                                                (struct gpm_sim_external **)extMem_out));
}

cudaError_t
cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                  const struct cudaExternalMemoryBufferDesc *bufferDesc) {
  struct gpm_sim_external *e = external_get(extMem);
  if (!e) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  GPM_CUDART_REQUIRE(devPtr && bufferDesc);
  GPM_CUDART_BEGIN;
  uint64_t address = 0;
  int error = gpm_sim_external_map(e, bufferDesc->offset, bufferDesc->size, &address);
  if (!error) *devPtr = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc) {
  struct gpm_sim_external *e = external_get(extMem);
  if (!e) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  GPM_CUDART_REQUIRE(mipmap && mipmapDesc && mipmapDesc->offset < e->store->size);
  cudaError_t error = create(mipmap, &mipmapDesc->formatDesc, mipmapDesc->extent,
                             mipmapDesc->numLevels, mipmapDesc->flags | GPM_SIM_ARRAY_DEFERRED);
  if (error) return error;
  return gpm_cudart_end(gpm_sim_external_array(e, (struct gpm_sim_mipmap *)*mipmap));
}

cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem) {
  struct gpm_sim_external *e = external_get(extMem);
  if (!e) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  gpm_sim_object_destroy(e);
  return gpm_cudart_end(cudaSuccess);
}
