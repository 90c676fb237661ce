/* holding.c - see holding.h. */
#include "analysis/holding.h"

#include <stdlib.h>
#include <string.h>

void gpm_holding_begin(struct gpm_holding *h, const struct gpm_profile *profile) {
  *h = (struct gpm_holding){.profile = profile,
                            .keys.reader = profile->reader,
                            .seen = gpm_memory_array(profile->reader->sites.count, 1)};
}

struct gpm_key gpm_holding_location(const struct gpm_profile *p, uint32_t node) {
  if (!gpm_profile_is_call(p, node)) return (struct gpm_key){0};
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[node]);
  return (struct gpm_key){.file = s->file, .line = s->line, .function = s->function};
}

bool gpm_holding_is_of(const struct gpm_profile *p, uint32_t node, uint32_t other) {
  struct gpm_key x = gpm_holding_location(p, node), y = gpm_holding_location(p, other);
  const struct gpm_reader *r = p->reader;
  return x.line == y.line && !strcmp(gpm_reader_string(r, x.file), gpm_reader_string(r, y.file)) &&
         !strcmp(gpm_reader_string(r, x.function), gpm_reader_string(r, y.function));
}

static void add(struct gpm_held *to, const struct gpm_held *more) {
  to->bytes += more->bytes;
  to->blocks += more->blocks;
  to->inside += more->inside;
}

void gpm_holding_add(struct gpm_holding *h, uint32_t node, uint64_t bytes, uint64_t blocks,
                     uint64_t inside) {
  if (!bytes && !blocks) return;
  struct gpm_held more = {.bytes = bytes, .blocks = blocks, .inside = inside};
  uint32_t key = gpm_keys_get(&h->keys, gpm_holding_location(h->profile, node));
  if (key >= h->count) {
    h->line = gpm_memory_resize(h->line, (size_t)key + 1, sizeof *h->line);
    h->line[h->count++] = (struct gpm_held){.node = node};
  }
  struct gpm_held *line = &h->line[key];
  uint32_t site = h->profile->site[node];
  if (site != GPUMEMPROF_NONE && !h->seen[site]) {
    h->seen[site] = 1;
    line->sites++;
  }
  if (bytes > line->most) {
    line->node = node;
    line->most = bytes;
  }
  add(line, &more);
  add(&h->all, &more);
}

static int by_bytes(const void *a, const void *b) {
  const struct gpm_held *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  return x->node < y->node ? -1 : x->node > y->node;
}

void gpm_holding_sort(struct gpm_holding *h) {
  if (h->count) qsort(h->line, h->count, sizeof *h->line, by_bytes);
}

static bool is_small_variable(const struct gpm_holding *h, const struct gpm_held *line) {
  return gpm_small_variables_is_one(h->profile->reader, h->profile->site[line->node], line->bytes);
}

void gpm_holding_leave_out(struct gpm_holding *h) {
  struct gpm_small_rows found = {.rows = 0};
  for (uint32_t i = 0; i < h->count; i++)
    if (is_small_variable(h, &h->line[i]))
      gpm_small_rows_add(&found, h->line[i].blocks, h->line[i].bytes);
  if (!gpm_small_rows_are_many(&found)) return;
  h->small_rows = found;
  uint32_t left = 0;
  for (uint32_t i = 0; i < h->count; i++)
    if (!is_small_variable(h, &h->line[i])) h->line[left++] = h->line[i];
  h->count = left;
}

void gpm_holding_free(struct gpm_holding *h) {
  gpm_keys_free(&h->keys);
  free(h->seen);
  free(h->line);
}

void gpm_holding_at_peak(struct gpm_holding *holding, const struct gpm_profile *p,
                         uint32_t device) {
  gpm_holding_begin(holding, p);
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (c->device != device || !p->cell_shown[at.number]) continue;
    bool then = c->peak_epoch == p->reader->devices[device].peak_epoch;
    uint64_t blocks = then ? c->at_peak.blocks : c->allocated.blocks - c->freed.blocks;
    gpm_holding_add(holding, c->node, gpm_profile_at_peak(p->reader, c), blocks, 0);
  }
  gpm_holding_sort(holding);
}

void gpm_holding_paths(struct gpm_holding *h, uint32_t line, uint32_t device,
                       struct gpm_through_paths *paths) {
  const struct gpm_profile *p = h->profile;
  uint32_t key = gpm_keys_get(&h->keys, gpm_holding_location(p, h->line[line].node));
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (c->device == device && p->cell_shown[at.number] &&
        gpm_keys_get(&h->keys, gpm_holding_location(p, c->node)) == key)
      gpm_through_paths_add(paths, c->node, gpm_profile_at_peak(p->reader, c));
}
