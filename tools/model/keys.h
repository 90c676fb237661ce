/* keys.h - sites by content: a line is (file, line, function), a function is (function, file,
 * block).
 *
 * Sites of the same line in several objects or columns share one key. Keys are numbered from 0.
 */
#ifndef GPM_TOOLS_KEYS_H
#define GPM_TOOLS_KEYS_H

#include "capture/reader.h"
#include "support/map.h"
#include "support/memory.h"

struct gpm_key {
  uint32_t file, line, function, name; /* texts: offsets of the first site that had them */
  uint32_t scope_line;                 /* functions and blocks: where they start */
};

struct gpm_keys {
  const struct gpm_reader *reader;
  struct gpm_key *key;
  uint32_t count, room;
  struct gpm_map by_content;
  struct gpm_map texts; /* hash of a text -> its first offset */
  struct gpm_map same;  /* offset -> first offset of the same text */
};

/* The number of a location; `scope_line` only describes it. */
uint32_t gpm_keys_get(struct gpm_keys *keys, struct gpm_key location);
void gpm_keys_free(struct gpm_keys *keys);

#endif
