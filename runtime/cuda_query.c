/* cuda_query.c - what the runtime asks CUDA: which device is current, what it is called, how large
 * it is.
 *
 * cuda_hooks.c asks for the device at each allocation (libraries may switch it behind the program's
 * back, so nothing is cached), devices.c for the rest at first sight. Only after a successful CUDA
 * call, so that no context is ever created for our sake.
 */
#include "runtime.h"

#include <string.h>

typedef int (*get_device)(int *device);
typedef int (*get_mem_info)(size_t *free, size_t *total);
typedef int (*get_properties)(void *properties, int device);
typedef int (*get_name)(char *name, int length, int device);

static int ask_device(enum gpumemprof_query query) {
  get_device ask = (get_device)gpm_modules_query(query);
  int device = -1;
  return ask && ask(&device) == GPM_CUDA_SUCCESS ? device : -1;
}

int gpm_cuda_current_device(enum gpm_library library) {
  bool driver = library == GPM_LIB_CUDA;
  int device =
      ask_device(driver ? GPUMEMPROF_QUERY_cuCtxGetDevice : GPUMEMPROF_QUERY_cudaGetDevice);
  if (GPM_UNLIKELY(device < 0))
    device = ask_device(driver ? GPUMEMPROF_QUERY_cudaGetDevice : GPUMEMPROF_QUERY_cuCtxGetDevice);
  if (GPM_UNLIKELY(device < 0)) {
    gpm_capture_count(GPUMEMPROF_COUNTER_unknown_device);
    device = 0;
  }
  return device;
}

void gpm_cuda_describe(int ordinal, struct gpumemprof_capture_device *record) {
  get_name name = (get_name)gpm_modules_query(GPUMEMPROF_QUERY_cuDeviceGetName);
  if (!name || name(record->name, sizeof record->name, ordinal) != GPM_CUDA_SUCCESS) {
    static char
        properties[8192]; /* cudaDeviceProp begins with the name; larger than any release's */
    get_properties ask =
        (get_properties)gpm_modules_query(GPUMEMPROF_QUERY_cudaGetDeviceProperties);
    static struct gpm_lock lock;
    gpm_lock_take(&lock);
    if (ask && ask(properties, ordinal) == GPM_CUDA_SUCCESS) {
      properties[sizeof record->name - 1] = 0;
      memcpy(record->name, properties, sizeof record->name);
    }
    gpm_lock_release(&lock);
  }
  record->name[sizeof record->name - 1] = 0;
  get_mem_info memory = (get_mem_info)gpm_modules_query(GPUMEMPROF_QUERY_cudaMemGetInfo);
  size_t free_bytes = 0, total = 0;
  if (memory && memory(&free_bytes, &total) == GPM_CUDA_SUCCESS) {
    record->memory_free = free_bytes;
    record->memory_total = total;
  }
}
