/* function.c - kernels: names with attributes. A launch is checked as by a device but computes
 * nothing, unless the host runs the kernel (host_kernels.c).
 */
#include "base/errors.h"
#include "base/object.h"
#include "work/work.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DYNAMIC_SHARED 8 /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
#define SHARED_DEFAULT 49152
#define SHARED_PER_MULTIPROCESSOR 233472
#define SHARED_PER_BLOCK_RESERVED 1024
#define THREADS_PER_MULTIPROCESSOR 2048
#define BLOCKS_PER_MULTIPROCESSOR 32

static void release(void *object) {
  free(((struct gpm_sim_function *)object)->name);
}

struct gpm_sim_function *gpm_sim_function_create(const char *name, void *module) {
  struct gpm_sim_function *function =
      gpm_sim_object_create(GPM_SIM_FUNCTION, sizeof *function, NULL);
  if (!function) return NULL;
  function->object.release = release;
  function->name = strdup(name);
  function->module = module;
  if (function->name) return function;
  gpm_sim_object_destroy(function);
  return NULL;
}

bool gpm_sim_launch_fits(const unsigned grid[3], const unsigned block[3]) {
  static const uint64_t grid_limits[3] = {2147483647, 65535, 65535};
  static const uint64_t block_limits[3] = {1024, 1024, 64};
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    if (!grid[i] || grid[i] > grid_limits[i] || !block[i] || block[i] > block_limits[i])
      return false;
    threads *= block[i];
  }
  return threads <= block_limits[0];
}

int gpm_sim_launch(void *stream, void *handle, const unsigned grid[3], const unsigned block[3],
                   uint64_t shared, void **arguments) {
  struct gpm_sim_function *function = gpm_sim_object_get(handle, GPM_SIM_FUNCTION);
  if (!function) return GPM_SIM_INVALID_HANDLE;
  if (!gpm_sim_launch_fits(grid, block)) return GPM_SIM_INVALID_VALUE;
  uint64_t allowed = (uint64_t)function->attributes[MAX_DYNAMIC_SHARED];
  if (allowed < SHARED_DEFAULT) allowed = SHARED_DEFAULT;
  if (shared > allowed) return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_node operation = {.operation = GPM_SIM_OP_KERNEL, .data = function};
  for (int i = 0; i < 3; i++) {
    operation.launch[i] = grid[i];
    operation.launch[3 + i] = block[i];
  }
  operation.launch[6] = (unsigned)shared;
  operation.arguments = arguments;
  return gpm_sim_submit(stream, &operation);
}

int gpm_sim_occupancy(int block_size, uint64_t shared) {
  if (block_size < 1 || block_size > 1024) return 0;
  int warps = (block_size + 31) / 32;
  int blocks = THREADS_PER_MULTIPROCESSOR / (warps * 32);
  if (blocks > BLOCKS_PER_MULTIPROCESSOR) blocks = BLOCKS_PER_MULTIPROCESSOR;
  uint64_t by_shared = SHARED_PER_MULTIPROCESSOR / (shared + SHARED_PER_BLOCK_RESERVED);
  return by_shared < (uint64_t)blocks ? (int)by_shared : blocks;
}

uint64_t gpm_sim_shared_per_block(int blocks) {
  uint64_t share = SHARED_PER_MULTIPROCESSOR / (uint64_t)blocks;
  uint64_t room = share > SHARED_PER_BLOCK_RESERVED ? share - SHARED_PER_BLOCK_RESERVED : 0;
  return room < SHARED_DEFAULT ? room : SHARED_DEFAULT;
}
