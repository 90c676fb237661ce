/* map.c - see map.h. Linear probing; removing a key moves later keys forward, so that no marks of
 * deleted entries are needed.
 */
#include "tables/map.h"
#include "base/memory.h"

static uint32_t home_of(const struct gpm_map *map, uint64_t key) {
  return (uint32_t)(key * 0x9e3779b97f4a7c15ULL >> 32) & (map->room - 1);
}

static struct gpm_map_slot *slot_of(const struct gpm_map *map, uint64_t key) {
  uint32_t at = home_of(map, key);
  while (map->slots[at].value && map->slots[at].key != key) at = (at + 1) & (map->room - 1);
  return &map->slots[at];
}

void *gpm_map_get(const struct gpm_map *map, uint64_t key) {
  return map->room ? slot_of(map, key)->value : NULL;
}

static bool map_grow(struct gpm_map *map) {
  struct gpm_map larger = {.room = map->room ? map->room * 2 : 256, .count = map->count};
  larger.slots = gpm_memory_map(larger.room * sizeof *larger.slots);
  if (!larger.slots) return false;
  for (uint32_t i = 0; i < map->room; i++)
    if (map->slots[i].value) *slot_of(&larger, map->slots[i].key) = map->slots[i];
  gpm_memory_unmap(map->slots, map->room * sizeof *map->slots);
  *map = larger;
  return true;
}

bool gpm_map_put(struct gpm_map *map, uint64_t key, void *value) {
  if (map->count * 2 >= map->room && !map_grow(map)) return false;
  struct gpm_map_slot *slot = slot_of(map, key);
  map->count += !slot->value;
  *slot = (struct gpm_map_slot){key, value};
  return true;
}

void *gpm_map_take(struct gpm_map *map, uint64_t key) {
  struct gpm_map_slot *slot = map->room ? slot_of(map, key) : NULL;
  void *value = slot ? slot->value : NULL;
  if (!value) return NULL;
  uint32_t hole = (uint32_t)(slot - map->slots), mask = map->room - 1;
  for (uint32_t at = (hole + 1) & mask; map->slots[at].value; at = (at + 1) & mask) {
    /* It may move into the hole unless its home lies between the hole and itself. */
    if (((at - home_of(map, map->slots[at].key)) & mask) < ((at - hole) & mask)) continue;
    map->slots[hole] = map->slots[at];
    hole = at;
  }
  map->slots[hole] = (struct gpm_map_slot){0, NULL};
  map->count--;
  return value;
}
