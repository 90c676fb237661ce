/* map.h - the one hash map that all of the tool uses. Open addressing from a 64-bit key to a
 * number.
 */
#ifndef GPM_TOOLS_MAP_H
#define GPM_TOOLS_MAP_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is an empty map. */
struct gpm_map {
  struct gpm_map_slot {
    uint64_t key;
    uint64_t value;
    uint64_t taken;
  } *slots;
  size_t room; /* power of two */
  size_t count;
};

/* The value of the key, which is inserted with the value `fresh` if it is new. The pointer is valid
 * until the next call. */
uint64_t *gpm_map_at(struct gpm_map *map, uint64_t key, uint64_t fresh);
/* The value of the key, or `absent` if it is not there. */
uint64_t gpm_map_find(const struct gpm_map *map, uint64_t key, uint64_t absent);
void gpm_map_free(struct gpm_map *map);
uint64_t gpm_map_mix(uint64_t h);

#endif
