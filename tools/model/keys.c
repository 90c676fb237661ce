/* keys.c - see keys.h. Texts are compared by content, not by offset: a capture may hold one twice.
 */
#include "model/keys.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(const char *text) {
  uint64_t h = 14695981039346656037ULL; /* FNV-1a */
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211ULL;
  return h;
}

static uint32_t first_offset(struct gpm_keys *keys, uint32_t offset) {
  if (!offset) return 0;
  uint64_t *same = gpm_map_at(&keys->same, offset, UINT64_MAX);
  if (*same == UINT64_MAX) {
    const char *text = gpm_reader_string(keys->reader, offset);
    for (uint64_t h = hash_text(text);; h++) {
      uint64_t first = *gpm_map_at(&keys->texts, h, offset);
      if (first != offset && strcmp(gpm_reader_string(keys->reader, (uint32_t)first), text))
        continue;
      *same = *text ? first : 0;
      break;
    }
  }
  return (uint32_t)*same;
}

uint32_t gpm_keys_get(struct gpm_keys *keys, struct gpm_key location) {
  location.file = first_offset(keys, location.file);
  location.function = first_offset(keys, location.function);
  location.name = first_offset(keys, location.name);
  uint64_t h = gpm_map_mix((uint64_t)location.file << 32 ^ location.line);
  h = gpm_map_mix(h ^ ((uint64_t)location.function << 32 | location.name));
  for (;; h++) {
    uint64_t id = *gpm_map_at(&keys->by_content, h, keys->count);
    if (id < keys->count) {
      const struct gpm_key *k = &keys->key[id];
      if (k->file == location.file && k->line == location.line &&
          k->function == location.function && k->name == location.name)
        return (uint32_t)id;
      continue;
    }
    if (keys->count == keys->room) {
      keys->room = keys->room ? keys->room * 2 : 256;
      keys->key = gpm_memory_resize(keys->key, keys->room, sizeof *keys->key);
    }
    keys->key[keys->count] = location;
    return keys->count++;
  }
}

void gpm_keys_free(struct gpm_keys *keys) {
  gpm_map_free(&keys->by_content);
  gpm_map_free(&keys->texts);
  gpm_map_free(&keys->same);
  free(keys->key);
  keys->key = NULL;
}
