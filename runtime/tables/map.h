/* map.h - a hash map from a number, such as a handle or an address, to a pointer.
 *
 * virtual_memory.c, graphs.c, imports.c and stream_pools.c keep CUDA's handles in it. It uses open
 * addressing, and the caller holds a lock. A map is initialized with zeros and lasts until the
 * process ends.
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

/* Null when the map does not have the key. */
void *gpm_map_get(const struct gpm_map *map, uint64_t key);
/* The value is not null; it replaces an earlier one. False: no memory, nothing changed. */
_Bool gpm_map_put(struct gpm_map *map, uint64_t key, void *value);
/* Removes the key and returns its value, or null when the map does not have it. */
void *gpm_map_take(struct gpm_map *map, uint64_t key);

#endif /* GPM_MAP_H */
