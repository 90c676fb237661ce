/* map.c - see map.h. */
#include "support/map.h"

#include "support/memory.h"

uint64_t gpm_map_mix(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ h >> 33;
}

static void grow(struct gpm_map *map) {
  struct gpm_map larger = {.room = map->room ? map->room * 2 : 64, .count = map->count};
  larger.slots = gpm_memory_array(larger.room, sizeof *larger.slots);
  for (size_t i = 0; i < map->room; i++) {
    if (!map->slots[i].taken) continue;
    size_t at = gpm_map_mix(map->slots[i].key) & (larger.room - 1);
    while (larger.slots[at].taken) at = (at + 1) & (larger.room - 1);
    larger.slots[at] = map->slots[i];
  }
  free(map->slots);
  *map = larger;
}

uint64_t *gpm_map_at(struct gpm_map *map, uint64_t key, uint64_t fresh) {
  if (map->count * 2 >= map->room) grow(map);
  size_t at = gpm_map_mix(key) & (map->room - 1);
  while (map->slots[at].taken && map->slots[at].key != key) at = (at + 1) & (map->room - 1);
  if (!map->slots[at].taken) {
    map->slots[at] = (struct gpm_map_slot){key, fresh, 1};
    map->count++;
  }
  return &map->slots[at].value;
}

uint64_t gpm_map_find(const struct gpm_map *map, uint64_t key, uint64_t absent) {
  if (!map->count) return absent;
  size_t at = gpm_map_mix(key) & (map->room - 1);
  while (map->slots[at].taken && map->slots[at].key != key) at = (at + 1) & (map->room - 1);
  return map->slots[at].taken ? map->slots[at].value : absent;
}

void gpm_map_free(struct gpm_map *map) {
  free(map->slots);
  *map = (struct gpm_map){0};
}
