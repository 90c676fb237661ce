/* source_places.c - which sites are one place in the source (uses.h): an edit of a line in a
 * template concerns all of its instances, which have a site each. Calls of one macro, or of one
 * line where columns are unknown, have one place, too: those of other variables are others.
 */
#include "uses/uses.h"

#include "gpumemprof/hooks.h"

#include <string.h>

/* The name of what is called, without template arguments. */
struct stem {
  const char *text;
  size_t length;
};

static struct stem stem_of(const struct gpm_reader *r, const struct gpumemprof_capture_site *s) {
  const char *text = gpm_reader_string(r, s->callee);
  return (struct stem){text, strcspn(text, "<")};
}

static uint64_t key_of(const struct gpm_reader *r, const struct gpumemprof_capture_site *s,
                       bool line) {
  uint64_t key = gpm_map_mix((uint64_t)s->file << 32 | s->line);
  if (line) return key;
  struct stem stem = stem_of(r, s);
  key = gpm_map_mix(key + ((uint64_t)s->kind << 32 | s->column));
  key = gpm_map_mix(key + s->variable);
  for (size_t i = 0; i < stem.length; i++) key = gpm_map_mix(key + (unsigned char)stem.text[i]);
  return key;
}

static bool is_same(const struct gpm_reader *r, const struct gpumemprof_capture_site *a,
                    const struct gpumemprof_capture_site *b, bool line) {
  if (a->file != b->file || a->line != b->line) return false;
  if (line) return true;
  struct stem one = stem_of(r, a), other = stem_of(r, b);
  return a->kind == b->kind && a->column == b->column && a->variable == b->variable &&
         one.length == other.length && !memcmp(one.text, other.text, one.length);
}

/* Returns for each site the first one of the same line, or of the same place in it; to be freed. */
static uint32_t *first_of(const struct gpm_reader *r, bool line) {
  uint32_t *number = gpm_memory_array(r->sites.count, sizeof *number);
  struct gpm_map first = {NULL, 0, 0};
  struct gpm_cursor at = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));) {
    number[at.number] = (uint32_t)at.number;
    bool is_call = s->kind == GPUMEMPROF_SITE_CALL || s->kind == GPUMEMPROF_SITE_USE;
    if (!is_call || !s->line || !s->file) continue;
    uint64_t key = key_of(r, s, line), *known = gpm_map_at(&first, key, at.number);
    while (!is_same(r, s, gpm_reader_site(r, (uint32_t)*known), line))
      known = gpm_map_at(&first, ++key, at.number);
    number[at.number] = (uint32_t)*known;
  }
  gpm_map_free(&first);
  return number;
}

void gpm_uses_find_places(struct gpm_uses *u) {
  u->place = first_of(u->profile->reader, false);
  u->line = first_of(u->profile->reader, true);
  u->runs = gpm_memory_array(u->profile->reader->sites.count, sizeof *u->runs);
}
