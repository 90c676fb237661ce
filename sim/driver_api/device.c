/* device.c - cuInit, errors and devices of the driver API. */
#include "base/errors.h"
#include "base/options.h"
#include "driver_api/cudrv.h"

#include "cudaProfiler.h"

#include <stdio.h>
#include <string.h>

CUresult cuInit(unsigned int Flags) {
  GPM_CU_REQUIRE(Flags == 0);
  if (!gpm_sim_device_count()) return CUDA_ERROR_NO_DEVICE;
  gpm_sim_initialize();
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *driverVersion) {
  GPM_CU_REQUIRE(driverVersion);
  *driverVersion = GPM_SIM_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **pStr) {
  GPM_CU_REQUIRE(pStr);
  *pStr = gpm_sim_error_name((int)error, false);
  return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr) {
  GPM_CU_REQUIRE(pStr);
  *pStr = gpm_sim_error_text((int)error, false);
  return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(count);
  *count = gpm_sim_device_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(device);
  GPM_CU_DEVICE(ordinal);
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(name && len > 0);
  GPM_CU_DEVICE(dev);
  snprintf(name, (size_t)len, "%s", gpm_sim_options()->name);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(bytes);
  GPM_CU_DEVICE(dev);
  *bytes = gpm_sim_device(dev)->space.capacity;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(uuid);
  GPM_CU_DEVICE(dev);
  gpm_sim_device_uuid(dev, uuid->bytes);
  return CUDA_SUCCESS;
}
#undef cuDeviceGetUuid /* the older name is exported, too */
extern __typeof__(cuDeviceGetUuid_v2) cuDeviceGetUuid __attribute__((alias("cuDeviceGetUuid_v2")));

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pi);
  return (CUresult)gpm_sim_attribute(dev, (int)attrib, pi);
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(prop);
  GPM_CU_DEVICE(dev);
  int *const fields[] = {
      &prop->maxThreadsPerBlock, &prop->maxThreadsDim[0],  &prop->maxThreadsDim[1],
      &prop->maxThreadsDim[2],   &prop->maxGridSize[0],    &prop->maxGridSize[1],
      &prop->maxGridSize[2],     &prop->sharedMemPerBlock, &prop->totalConstantMemory,
      &prop->SIMDWidth,          &prop->memPitch,          &prop->regsPerBlock,
      &prop->clockRate,          &prop->textureAlign};
  /* Attributes 1 to 14 are these fields in this order. */
  for (int i = 0; i < 14; i++) gpm_sim_attribute(dev, i + 1, fields[i]);
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(major && minor);
  GPM_CU_DEVICE(dev);
  gpm_sim_attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major);
  gpm_sim_attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(dev && pciBusId);
  int found = gpm_sim_device_by_bus(pciBusId);
  if (found < 0) return CUDA_ERROR_INVALID_DEVICE;
  *dev = found;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pciBusId && len > 0);
  GPM_CU_DEVICE(dev);
  gpm_sim_device_bus(dev, pciBusId, (size_t)len);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(canAccessPeer);
  GPM_CU_DEVICE(dev);
  GPM_CU_DEVICE(peerDev);
  *canAccessPeer = dev != peerDev;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(value && srcDevice != dstDevice);
  GPM_CU_DEVICE(srcDevice);
  GPM_CU_DEVICE(dstDevice);
  *value = attrib == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? 0 : 1;
  return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void) {
  return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void) {
  return CUDA_SUCCESS;
}
