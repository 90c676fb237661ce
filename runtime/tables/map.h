/* map.h - a number that stands for something: a handle or an address, and what is known of it.
 *
 * virtual_memory.c, graphs.c, imports.c and stream_pools.c keep CUDA's handles in it. Open
 * addressing; the caller has a lock. A map begins as all zeros and ends with the process.
 */
#ifndef GPM_MAP_H
#define GPM_MAP_H

#include <stdint.h>

struct gpm_map_slot {
  uint64_t key;
  void *value; /* null: the slot is free */
};
struct gpm_map {
  struct gpm_map_slot *slots;
  uint32_t room; /* power of two */
  uint32_t count;
};

/* Null when there is none. */
void *gpm_map_get(const struct gpm_map *map, uint64_t key);
/* The value is not null; it replaces an earlier one. False: no memory, nothing changed. */
_Bool gpm_map_put(struct gpm_map *map, uint64_t key, void *value);
/* What stood there, or null. */
void *gpm_map_take(struct gpm_map *map, uint64_t key);

#endif /* GPM_MAP_H */
