/* device.c - devices of the runtime API: which exist, which is current, limits and peers. */
#include "base/lock.h"
#include "base/options.h"
#include "runtime_api/cudart.h"

#include <stdio.h>
#include <string.h>

cudaError_t cudaGetDeviceCount(int *count) {
  GPM_CUDART_REQUIRE(count);
  GPM_CUDART_DRIVER;
  *count = gpm_sim_device_count();
  return gpm_cudart_end(*count ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
  GPM_CUDART_DRIVER;
  struct gpm_sim_context *primary = gpm_sim_context_primary(device);
  if (!primary && gpm_sim_device(device)) return gpm_cudart_end(cudaErrorMemoryAllocation);
  if (!primary)
    return gpm_cudart_end(gpm_sim_device_count() ? cudaErrorInvalidDevice : cudaErrorNoDevice);
  primary->in_use = true;
  gpm_sim_context_set(primary);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device) {
  GPM_CUDART_REQUIRE(device);
  if (!gpm_sim_device_count()) return gpm_cudart_end(cudaErrorNoDevice);
  *device = gpm_sim_current_device();
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  GPM_CUDART_DRIVER;
  struct gpm_sim_context *primary = gpm_sim_context_primary(device);
  if (!primary) return gpm_cudart_end(cudaErrorInvalidDevice);
  if (flags & cudaInitDeviceFlagsAreValid) primary->flags = deviceFlags;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaSetValidDevices(int *device_arr, int len) {
  for (int i = 0; i < len; i++)
    if (!gpm_sim_device(device_arr[i])) return gpm_cudart_end(cudaErrorInvalidDevice);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
  GPM_CUDART_REQUIRE(device && prop);
  if (!gpm_sim_device_count()) return gpm_cudart_end(cudaErrorNoDevice);
  *device = 0; /* all are alike */
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
  GPM_CUDART_REQUIRE(prop);
  GPM_CUDART_DRIVER;
  struct gpm_sim_device *d = gpm_sim_device(device);
  if (!d) return gpm_cudart_end(cudaErrorInvalidDevice);
  int value = 0;
  memset(prop, 0, sizeof *prop);
#define GPM_SIM_ATTRIBUTE(number, value)
#define GPM_SIM_PROPERTY(number, unused, field)                                                    \
  gpm_sim_attribute(device, number, &value);                                                       \
  prop->field = (__typeof__(prop->field))value;
#include "device/attributes.def"
  snprintf(prop->name, sizeof prop->name, "%s", gpm_sim_options()->name);
  gpm_sim_device_uuid(device, prop->uuid.bytes);
  prop->totalGlobalMem = d->space.capacity;
  prop->pciBusID = device + 1;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
  GPM_CUDART_REQUIRE(value);
  return gpm_cudart_end(gpm_sim_attribute(device, (int)attr, value));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
  GPM_CUDART_REQUIRE(device && pciBusId);
  int found = gpm_sim_device_by_bus(pciBusId);
  if (found < 0) return gpm_cudart_end(cudaErrorInvalidDevice);
  *device = found;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
  GPM_CUDART_REQUIRE(pciBusId && len > 0);
  if (!gpm_sim_device(device)) return gpm_cudart_end(cudaErrorInvalidDevice);
  gpm_sim_device_bus(device, pciBusId, (size_t)len);
  return gpm_cudart_end(cudaSuccess);
}

/* Memory of pools and of cuMemCreate stays, as on an H200. */
cudaError_t cudaDeviceReset(void) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end((int)gpm_sim_cuDevicePrimaryCtxReset_v2(gpm_sim_current_device()));
}

cudaError_t cudaDeviceSynchronize(void) {
  GPM_CUDART_BEGIN;
  gpm_sim_pool_synchronize();
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  GPM_CUDART_REQUIRE(!(flags & ~(unsigned)cudaDeviceMask));
  struct gpm_sim_context *context = gpm_sim_context_ensure();
  if (!context) return gpm_cudart_end(cudaErrorNoDevice);
  context->flags = flags;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  GPM_CUDART_REQUIRE(flags);
  struct gpm_sim_context *context = gpm_sim_context_ensure();
  if (!context) return gpm_cudart_end(cudaErrorNoDevice);
  *flags = context->flags | cudaDeviceMapHost;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_context_limit(gpm_sim_context_ensure(), (int)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit) {
  GPM_CUDART_REQUIRE(pValue);
  struct gpm_sim_context *context = gpm_sim_context_ensure();
  if (!context) return gpm_cudart_end(cudaErrorNoDevice);
  GPM_CUDART_REQUIRE(limit <= cudaLimitPersistingL2CacheSize);
  *pValue = context->limits[limit];
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
  GPM_CUDART_REQUIRE(pCacheConfig);
  struct gpm_sim_context *context = gpm_sim_context_ensure();
  if (!context) return gpm_cudart_end(cudaErrorNoDevice);
  *pCacheConfig = (enum cudaFuncCache)context->cache_config;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig) {
  struct gpm_sim_context *context = gpm_sim_context_ensure();
  if (!context) return gpm_cudart_end(cudaErrorNoDevice);
  context->cache_config = (int)cacheConfig;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  GPM_CUDART_BEGIN;
  if (leastPriority) *leastPriority = 0;
  if (greatestPriority) *greatestPriority = -5;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice) {
  GPM_CUDART_REQUIRE(canAccessPeer);
  if (!gpm_sim_device(device) || !gpm_sim_device(peerDevice))
    return gpm_cudart_end(cudaErrorInvalidDevice);
  *canAccessPeer = device != peerDevice;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice) {
  GPM_CUDART_REQUIRE(value && srcDevice != dstDevice);
  if (!gpm_sim_device(srcDevice) || !gpm_sim_device(dstDevice))
    return gpm_cudart_end(cudaErrorInvalidDevice);
  *value = attr == cudaDevP2PAttrPerformanceRank ? 0 : 1;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  GPM_CUDART_REQUIRE(flags == 0);
  struct gpm_sim_context *context = gpm_sim_context_ensure();
  if (!context || !gpm_sim_device(peerDevice) || peerDevice == context->device)
    return gpm_cudart_end(cudaErrorInvalidDevice);
  GPM_SIM_LOCKED;
  uint64_t bit = UINT64_C(1) << peerDevice;
  if (context->peers & bit) return gpm_cudart_end(cudaErrorPeerAccessAlreadyEnabled);
  context->peers |= bit;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  struct gpm_sim_context *context = gpm_sim_context_ensure();
  if (!context || !gpm_sim_device(peerDevice)) return gpm_cudart_end(cudaErrorInvalidDevice);
  GPM_SIM_LOCKED;
  uint64_t bit = UINT64_C(1) << peerDevice;
  if (!(context->peers & bit)) return gpm_cudart_end(cudaErrorPeerAccessNotEnabled);
  context->peers &= ~bit;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *driverVersion) {
  GPM_CUDART_REQUIRE(driverVersion);
  *driverVersion = GPM_SIM_VERSION;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) {
  GPM_CUDART_REQUIRE(runtimeVersion);
  *runtimeVersion = GPM_CUDART_VERSION;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaProfilerStart(void) {
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaProfilerStop(void) {
  return gpm_cudart_end(cudaSuccess);
}
