/* array.c - CUDA arrays: a handle with rows of memory, one after the other. Real devices tile them,
 * which is visible to their texture units only.
 */
#include "arrays/arrays.h"
#include "base/errors.h"
#include "base/object.h"

#define ROW_ALIGNMENT 64
#define INVALID_CHANNEL_DESCRIPTOR 20
#define LAYERED_OR_CUBE 5u /* flags of both APIs */

static uint64_t pitch_of(const struct gpm_sim_array *array) {
  return gpm_sim_round_up(array->element * array->width, ROW_ALIGNMENT);
}

static uint64_t rows_of(const struct gpm_sim_array *array) {
  return array->height ? array->height : 1;
}

static void release(void *object) {
  struct gpm_sim_array *array = object;
  struct gpm_sim_block *block = gpm_sim_block_find(array->address);
  if (!array->store) {
    if (block) gpm_sim_block_release(block);
    return;
  }
  gpm_sim_array_show(array, false);
  gpm_sim_tiles_clear(&array->tiles);
  gpm_sim_store_drop(array->store);
}

/* Gives the array addresses without memory, which cuMemMapArrayAsync may map later. */
static int reserve(struct gpm_sim_array *array) {
  struct gpm_sim_context *context = gpm_sim_context_current();
  array->store = gpm_sim_store_foreign(context ? context->device : 0, array->bytes);
  if (!array->store) return GPM_SIM_OUT_OF_MEMORY;
  array->address = array->store->segment;
  return GPM_SIM_OK;
}

/* The largest extents: of lines and planes, of boxes, of layers and faces. */
static bool fits(uint64_t width, uint64_t height, uint64_t depth, unsigned flags) {
  if (!width) return false;
  if (flags & LAYERED_OR_CUBE) return width <= 32768 && height <= 32768 && depth <= 2048;
  if (depth) return width <= 16384 && height <= 16384 && depth <= 16384;
  return width <= 131072 && height <= 65536;
}

/* One, two or four channels of the same width; 0: no array has these channels. */
static uint64_t channel_bits(const int channels[4]) {
  int count = 0;
  while (count < 4 && channels[count]) count++;
  for (int i = 0; i < count; i++)
    if (channels[i] != channels[0]) return 0;
  for (int i = count; i < 4; i++)
    if (channels[i]) return 0;
  bool width = channels[0] == 8 || channels[0] == 16 || channels[0] == 32;
  return width && count != 3 ? (uint64_t)(count * channels[0]) : 0;
}

int gpm_sim_array_create(const int channels[4], int format, uint64_t width, uint64_t height,
                         uint64_t depth, unsigned flags, struct gpm_sim_array **result) {
  uint64_t bits = channel_bits(channels);
  if (!bits) return INVALID_CHANNEL_DESCRIPTOR;
  if (!fits(width, height, depth, flags)) return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_array *array =
      gpm_sim_object_create(GPM_SIM_ARRAY, sizeof *array, gpm_sim_context_current());
  if (!array) return GPM_SIM_OUT_OF_MEMORY;
  for (int i = 0; i < 4; i++) array->channels[i] = channels[i];
  array->format = format;
  array->element = bits / 8;
  array->width = width;
  array->height = height;
  array->depth = depth;
  array->flags = flags;
  array->bytes = pitch_of(array) * rows_of(array) * (depth ? depth : 1);
  int error =
      flags & (GPM_SIM_ARRAY_SPARSE | GPM_SIM_ARRAY_DEFERRED)
          ? reserve(array)
          : gpm_sim_block_allocate(GPM_SIM_ARRAY_MEMORY, array->bytes, flags, &array->address);
  if (error) {
    gpm_sim_object_destroy(array);
    return error;
  }
  array->object.release = release;
  *result = array;
  return GPM_SIM_OK;
}

void gpm_sim_array_destroy(struct gpm_sim_array *array) {
  gpm_sim_object_destroy(array);
}

uint64_t gpm_sim_array_at(const struct gpm_sim_array *array, uint64_t x, uint64_t y, uint64_t z,
                          uint64_t *pitch, uint64_t *slice) {
  *pitch = pitch_of(array);
  *slice = *pitch * rows_of(array);
  return array->address + z * *slice + y * *pitch + x;
}
