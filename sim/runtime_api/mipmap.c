/* mipmap.c - mipmapped arrays of the runtime API, external memory, and the properties of arrays
 * without memory.
 */
#include "base/object.h"
#include "runtime_api/cudart.h"

/* Ends a call of the driver that made a mipmapped array of these channels. */
static cudaError_t made(cudaMipmappedArray_t *result, const struct cudaChannelFormatDesc *desc,
                        CUmipmappedArray array, CUresult error) {
  if (error) return gpm_cudart_end((int)error);
  struct gpm_sim_mipmap *m = (struct gpm_sim_mipmap *)array;
  for (unsigned i = 0; i < m->count; i++) m->levels[i]->format = (int)desc->f;
  *result = (cudaMipmappedArray_t)array;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags) {
  GPM_CUDART_REQUIRE(mipmappedArray && desc);
  GPM_CUDART_BEGIN;
  CUDA_ARRAY3D_DESCRIPTOR d;
  if (!gpm_cudart_driver_array(desc, extent, flags, &d))
    return gpm_cudart_end(cudaErrorInvalidChannelDescriptor);
  CUmipmappedArray array = NULL;
  CUresult error = gpm_sim_cuMipmappedArrayCreate(&array, &d, numLevels);
  return made(mipmappedArray, desc, array, error);
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
  return gpm_cudart_end((int)gpm_sim_cuMipmappedArrayDestroy((CUmipmappedArray)mipmappedArray));
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

_Static_assert(sizeof(struct cudaExternalMemoryHandleDesc) ==
                       sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) &&
                   sizeof(struct cudaExternalMemoryBufferDesc) ==
                       sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC),
               "same");

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                                     const struct cudaExternalMemoryHandleDesc *memHandleDesc) {
  GPM_CUDART_REQUIRE(extMem_out && memHandleDesc);
  GPM_CUDART_BEGIN;
  return gpm_cudart_end((int)gpm_sim_cuImportExternalMemory(
      (CUexternalMemory *)extMem_out,
      (const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *)(const void *)memHandleDesc));
}

cudaError_t
cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                  const struct cudaExternalMemoryBufferDesc *bufferDesc) {
  GPM_CUDART_REQUIRE(devPtr && bufferDesc);
  GPM_CUDART_BEGIN;
  CUdeviceptr address = 0;
  int error = (int)gpm_sim_cuExternalMemoryGetMappedBuffer(
      &address, (CUexternalMemory)extMem,
      (const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *)(const void *)bufferDesc);
  if (!error) *devPtr = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc) {
  GPM_CUDART_REQUIRE(mipmap && mipmapDesc);
  GPM_CUDART_BEGIN;
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC d = {.offset = mipmapDesc->offset,
                                                 .numLevels = mipmapDesc->numLevels};
  if (!gpm_cudart_driver_array(&mipmapDesc->formatDesc, mipmapDesc->extent, mipmapDesc->flags,
                               &d.arrayDesc))
    return gpm_cudart_end(cudaErrorInvalidChannelDescriptor);
  CUmipmappedArray array = NULL;
  CUresult error =
      gpm_sim_cuExternalMemoryGetMappedMipmappedArray(&array, (CUexternalMemory)extMem, &d);
  return made(mipmap, &mipmapDesc->formatDesc, array, error);
}

cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuDestroyExternalMemory((CUexternalMemory)extMem));
}
