/* cuda_query.c - what the runtime asks CUDA: which device is current, what it is called, how large
 * it is.
 *
 * cuda_hooks.c asks for the device at each allocation: libraries may switch it without the
 * program's knowledge, so it is known without asking only if there is a single one. devices.c asks
 * for the rest when a device is first seen. All questions come after a successful CUDA call, so
 * that the runtime never causes a context to be created.
 */
#include "cuda/cuda_query.h"
#include "base/compiler.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "cuda/driver.h"
#include "cuda/samples.h"
#include "records/devices.h"

#include <errno.h>
#include <string.h>

_Atomic unsigned gpm_pool_calls_differ;

static int ask(int (*function)(int *value)) {
  int value = -1;
  return GPM_LIKELY(function != NULL) && function(&value) == GPM_CUDA_SUCCESS ? value : -1;
}

GPM_NOINLINE int gpm_cuda_ask_device(void) {
  static _Atomic bool counted;
  int saved = errno;
  const struct gpm_driver *driver = gpm_driver();
  int device = ask(driver->cuCtxGetDevice);
  if (GPM_UNLIKELY(device < 0)) {
    gpm_capture_count(GPUMEMPROF_COUNTER_unknown_device);
    device = 0;
  } else if (device == 0 && !atomic_exchange(&counted, true)) {
    if (ask(driver->cuDeviceGetCount) == 1) atomic_store(&gpm_cuda_one_device, true);
  }
  errno = saved;
  return device;
}

uint64_t gpm_cuda_range(uint64_t address) {
  const struct gpm_driver *driver = gpm_driver();
  gpm_deviceptr start;
  size_t bytes = 0;
  if (!driver->cuMemGetAddressRange_v2 || driver->cuMemGetAddressRange_v2(&start, &bytes, address))
    return 0;
  return bytes;
}

/* Whether the driver has to be asked for the device of a pool's block: not before several devices
 * are known to exist. */
static inline bool pools_differ(void) {
  static _Atomic bool several;
  if (GPM_LIKELY(atomic_load_explicit(&several, memory_order_relaxed))) return true;
  int current = gpm_cuda_ask_device(); /* finds out whether there are several */
  if (gpm_cuda_pools_are_simple()) return false;
  if (current >= 0) atomic_store(&several, true);
  return true;
}

static int device_of_pointer(const struct gpm_driver *driver, uint64_t address) {
  int type = 0, ordinal = -1;
  if (!driver->cuPointerGetAttribute ||
      driver->cuPointerGetAttribute(&ordinal, GPM_POINTER_DEVICE_ORDINAL, address) || ordinal < 0)
    return gpm_cuda_ask_device();
  bool asks_host = atomic_load(&gpm_pool_calls_differ) & GPM_HOST_POOLS;
  bool host = asks_host &&
              !driver->cuPointerGetAttribute(&type, GPM_POINTER_MEMORY_TYPE, address) && type == 1;
  return host ? GPUMEMPROF_HOST : ordinal;
}

/* The current pool of a device is on that device (cuDeviceSetMemPool refuses any other), so the
 * stream says where its blocks are: 24 ns, or 17 ns for the default stream, where the question
 * about a pointer takes 96 ns. A pool of the program's choice, and any pool once one of the host
 * was seen, may be elsewhere. */
int gpm_cuda_ask_pool_device(uint64_t address, const void *stream, const void *pool) {
  if (!pools_differ()) return 0;
  const struct gpm_driver *driver = gpm_driver();
  if (GPM_UNLIKELY(pool || atomic_load(&gpm_pool_calls_differ) & GPM_HOST_POOLS))
    return device_of_pointer(driver, address);
  if (!stream) return gpm_cuda_ask_device();
  int ordinal = -1;
  bool known = driver->cuStreamGetDevice &&
               !driver->cuStreamGetDevice((gpm_stream)(uintptr_t)stream, &ordinal);
  return GPM_LIKELY(known && ordinal >= 0) ? ordinal : device_of_pointer(driver, address);
}

bool gpm_cuda_free_memory(int *ordinal, uint64_t *bytes) {
  const struct gpm_driver *driver = gpm_driver();
  int saved = errno;
  size_t free_bytes = 0, total = 0;
  *ordinal = -1;
  bool ok = driver->cuCtxGetDevice && driver->cuMemGetInfo_v2 && !driver->cuCtxGetDevice(ordinal) &&
            !driver->cuMemGetInfo_v2(&free_bytes, &total);
  *bytes = free_bytes;
  errno = saved;
  return ok;
}

bool gpm_cuda_uuid(int ordinal, uint8_t uuid[16]) {
  const struct gpm_driver *driver = gpm_driver();
  if (driver->cuDeviceGetUuid_v2 && !driver->cuDeviceGetUuid_v2(uuid, ordinal)) return true;
  memset(uuid, 0, 16);
  return false;
}

/* Asks the driver, because the CUDA runtime would create a context on device 0 if none is
 * current. */
int gpm_cuda_current_or(int fallback) {
  int saved = errno;
  int device = ask(gpm_driver()->cuCtxGetDevice);
  errno = saved;
  return device >= 0 ? device : fallback;
}

int gpm_cuda_count_devices(void) {
  int saved = errno;
  int count = ask(gpm_driver_begin()->cuDeviceGetCount);
  errno = saved;
  return count;
}

void gpm_cuda_describe(int ordinal, struct gpumemprof_capture_device *record) {
  int saved = errno;
  const struct gpm_driver *driver = gpm_driver();
  if (!driver->cuDeviceGetName ||
      driver->cuDeviceGetName(record->name, sizeof record->name, ordinal) != GPM_CUDA_SUCCESS)
    record->name[0] = 0;
  record->name[sizeof record->name - 1] = 0;
  gpm_cuda_uuid(ordinal, record->uuid);
  gpm_samples_ask(ordinal, &record->memory_free, &record->memory_total);
  errno = saved;
}
