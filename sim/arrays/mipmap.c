/* mipmap.c - mipmapped arrays: a handle with one array for each level, each half the size of the
 * level before.
 */
#include "arrays/arrays.h"
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"

#define LAYERED 1u

static void release(void *object) {
  struct gpm_sim_mipmap *mipmap = object;
  for (int i = 0; i < GPM_SIM_MAX_LEVELS; i++)
    if (gpm_sim_object_get(mipmap->levels[i], GPM_SIM_ARRAY))
      gpm_sim_array_destroy(mipmap->levels[i]);
  gpm_sim_tiles_clear(&mipmap->tiles);
}

static uint64_t half(uint64_t extent) {
  return extent > 1 ? extent / 2 : extent;
}

int gpm_sim_mipmap_create(const int channels[4], int format, uint64_t width, uint64_t height,
                          uint64_t depth, unsigned levels, unsigned flags,
                          struct gpm_sim_mipmap **result) {
  GPM_SIM_LOCKED;
  struct gpm_sim_mipmap *mipmap =
      gpm_sim_object_create(GPM_SIM_MIPMAP, sizeof *mipmap, gpm_sim_context_current());
  if (!mipmap) return GPM_SIM_OUT_OF_MEMORY;
  mipmap->object.release = release;
  bool layered = flags & LAYERED;
  /* There are no more levels than times that the extent can be halved, and at least one. */
  uint64_t largest = width > height ? width : height;
  if (!layered && depth > largest) largest = depth;
  unsigned most = largest ? 64 - (unsigned)__builtin_clzll(largest) : 1;
  if (levels > most) levels = most;
  if (levels > GPM_SIM_MAX_LEVELS) levels = GPM_SIM_MAX_LEVELS;
  if (!levels) levels = 1;
  for (unsigned i = 0; i < levels; i++) {
    int error =
        gpm_sim_array_create(channels, format, width, height, depth, flags, &mipmap->levels[i]);
    if (error) {
      gpm_sim_object_destroy(mipmap);
      return error;
    }
    mipmap->levels[i]->is_level = true;
    mipmap->count = i + 1;
    width = half(width);
    height = half(height);
    if (!layered) depth = half(depth);
  }
  *result = mipmap;
  return GPM_SIM_OK;
}

int gpm_sim_mipmap_level(const void *handle, unsigned level, struct gpm_sim_array **array) {
  struct gpm_sim_mipmap *mipmap = gpm_sim_object_get(handle, GPM_SIM_MIPMAP);
  if (!mipmap) return GPM_SIM_INVALID_HANDLE;
  if (!array || level >= mipmap->count) return GPM_SIM_INVALID_VALUE;
  *array = mipmap->levels[level];
  return GPM_SIM_OK;
}

int gpm_sim_mipmap_destroy(const void *handle) {
  struct gpm_sim_mipmap *mipmap = gpm_sim_object_get(handle, GPM_SIM_MIPMAP);
  if (!mipmap) return GPM_SIM_INVALID_HANDLE;
  if (gpm_sim_free_fails()) return GPM_SIM_INVALID_VALUE;
  gpm_sim_object_destroy(mipmap);
  return GPM_SIM_OK;
}
