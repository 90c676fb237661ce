/* sparse.c - arrays that are made without memory, which cuMemMapArrayAsync gives them tile by tile,
 * and the properties of such arrays. A tile is a user of the memory that is mapped to it. The bytes
 * are the array's own, and copies reach all of them as soon as it has any tile.
 */
#include "arrays/arrays.h"
#include "base/errors.h"
#include "base/lock.h"

#include <stdlib.h>
#include <string.h>

#define TILE 65536u /* bytes */

struct gpm_sim_tile {
  struct gpm_sim_tile *next;
  struct gpm_sim_tile_key key;
  struct gpm_sim_store *store;
};

int gpm_sim_tiles_set(struct gpm_sim_tile **tiles, const struct gpm_sim_tile_key *key,
                      struct gpm_sim_store *store) {
  GPM_SIM_LOCKED;
  struct gpm_sim_tile **at = tiles;
  while (*at && memcmp(&(*at)->key, key, sizeof *key) != 0) at = &(*at)->next;
  struct gpm_sim_tile *tile = *at;
  if (store && !tile) {
    tile = calloc(1, sizeof *tile);
    if (!tile) return GPM_SIM_OUT_OF_MEMORY;
    tile->key = *key;
    tile->next = *tiles;
    *tiles = tile;
  } else if (tile) {
    gpm_sim_store_drop(tile->store);
  }
  if (store) {
    store->users++;
    tile->store = store;
  } else if (tile) {
    *at = tile->next;
    free(tile);
  }
  return GPM_SIM_OK;
}

void gpm_sim_tiles_clear(struct gpm_sim_tile **tiles) {
  while (*tiles) {
    struct gpm_sim_tile_key key = (*tiles)->key;
    gpm_sim_tiles_set(tiles, &key, NULL);
  }
}

void gpm_sim_array_show(struct gpm_sim_array *array, bool shown) {
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(array->address);
  if (!shown && block) gpm_sim_block_drop(block);
  if (!shown || block) return;
  block = gpm_sim_block_add(array->address, array->bytes, GPM_SIM_SPARSE_MEMORY);
  if (!block) return;
  block->device = array->store->device;
  block->backing = array->store->space->backing;
}

static uint64_t whole_tiles(uint64_t bytes) {
  return gpm_sim_round_up(bytes, TILE);
}

int gpm_sim_array_requirements(const struct gpm_sim_array *array, int device, uint64_t *size,
                               uint64_t *alignment) {
  if (!gpm_sim_device(device)) return GPM_SIM_INVALID_DEVICE;
  if (!size || !(array->flags & GPM_SIM_ARRAY_DEFERRED)) return GPM_SIM_INVALID_VALUE;
  *size = whole_tiles(array->bytes);
  *alignment = TILE;
  return GPM_SIM_OK;
}

int gpm_sim_mipmap_requirements(const struct gpm_sim_mipmap *mipmap, int device, uint64_t *size,
                                uint64_t *alignment) {
  uint64_t sum = 0, level = 0;
  for (unsigned i = 0; i < mipmap->count; i++) {
    int error =
        gpm_sim_array_requirements(mipmap->levels[i], device, size ? &level : NULL, alignment);
    if (error) return error;
    sum += level;
  }
  *size = sum;
  return GPM_SIM_OK;
}

/* Tiles of 64 KiB are as square as a power of two allows, or as cubic. */
static void tile_of(const struct gpm_sim_array *array, unsigned extent[3]) {
  bool solid = array->depth && !(array->flags & 1);
  unsigned elements = TILE / (unsigned)array->element, turn = 0;
  extent[0] = extent[1] = extent[2] = 1;
  /* The first axis doubles first, then the second, and so on. */
  for (; elements > 1; elements /= 2) extent[turn++ % (solid ? 3 : 2)] *= 2;
}

int gpm_sim_array_sparse(const struct gpm_sim_array *array, struct gpm_sim_sparse *sparse) {
  if (!sparse || !(array->flags & GPM_SIM_ARRAY_SPARSE)) return GPM_SIM_INVALID_VALUE;
  *sparse = (struct gpm_sim_sparse){0};
  tile_of(array, sparse->tile);
  return GPM_SIM_OK;
}

/* Levels that are smaller than a tile share one region, the tail. */
int gpm_sim_mipmap_sparse(const struct gpm_sim_mipmap *mipmap, struct gpm_sim_sparse *sparse) {
  int error = gpm_sim_array_sparse(mipmap->levels[0], sparse);
  if (error) return error;
  uint64_t tail = 0;
  sparse->first_of_tail = mipmap->count;
  for (unsigned i = 0; i < mipmap->count; i++) {
    const struct gpm_sim_array *level = mipmap->levels[i];
    bool small = level->width < sparse->tile[0] || level->height < sparse->tile[1];
    if (!small) continue;
    if (i < sparse->first_of_tail) sparse->first_of_tail = i;
    tail += level->bytes;
  }
  sparse->tail_bytes = whole_tiles(tail);
  return GPM_SIM_OK;
}
