/* memory.c - see memory.h. No figure can be right without the memory it needs, so running out of
 * memory ends the whole call here. */
#include "support/memory.h"

#include "support/recovery.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void *checked(void *block) {
  if (!block) gpm_recovery_fail();
  gpm_recovery_took(block);
  return block;
}

void *gpm_memory_array(size_t count, size_t size) {
  return checked(calloc(count ? count : 1, size ? size : 1));
}

/* The owner keeps the old block if no larger one is available. */
void *gpm_memory_resize(void *old, size_t count, size_t size) {
  gpm_recovery_gives(old);
  void *larger = reallocarray(old, count ? count : 1, size ? size : 1);
  if (!larger && old) gpm_recovery_took(old);
  return checked(larger);
}

void gpm_memory_free(void *block) {
  gpm_recovery_gives(block);
  (free)(block); /* the function, not the macro */
}

char *gpm_memory_text(const char *text) {
  return checked(strdup(text));
}

char *gpm_memory_format_list(const char *format, va_list list) {
  char *text = NULL;
  int length = vasprintf(&text, format, list);
  return checked(length < 0 ? NULL : text);
}

char *gpm_memory_format(const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = gpm_memory_format_list(format, list);
  va_end(list);
  return text;
}

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

void gpm_map_free(struct gpm_map *map) {
  free(map->slots);
  *map = (struct gpm_map){0};
}
