/* drawn_blocks.c - see advice_picture.h. */
#include "advice_picture/advice_picture.h"

#include "advice/used_span.h"
#include "output/json.h"
#include "rows/use_text.h"
#include "support/map.h"

#include <stdlib.h>

/* ---- which -------------------------------------------------------------------------------------
 */

struct candidate {
  uint32_t block;
  bool at_peak, changed;
  uint64_t bytes;
};

static int most_important_first(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->at_peak != y->at_peak) return x->at_peak ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  if (x->changed != y->changed) return x->changed ? -1 : 1;
  return x->block < y->block ? -1 : x->block > y->block;
}

/* Adds the sites at which the steps of all findings of the device allocate. */
static void add_lines(struct gpm_map *lines, const struct gpm_advise *a,
                      const struct gpm_line_changes *c) {
  for (uint32_t i = 0; i < a->count; i++) {
    const struct gpm_advice_finding *f = a->finding[i];
    for (uint32_t k = 0; f->changes == c && k < f->count; k++)
      gpm_map_at(lines, c->change[f->step[k]].lines.allocated, 1);
  }
}

void gpm_advice_picture_blocks_choose(struct gpm_advice_picture_blocks *d,
                                      const struct gpm_advise *a,
                                      const struct gpm_line_changes *c) {
  const struct gpm_uses *u = c->uses;
  struct candidate *candidate = gpm_memory_array(u->count, sizeof *candidate);
  size_t count = 0, at_peak = 0;
  uint32_t at = u->device[c->device].positions ? gpm_peaks_at(&c->peaks) : 0;
  struct gpm_map lines = {0};
  add_lines(&lines, a, c);
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (b->device != c->device) continue;
    bool live = b->begin <= at && at < b->end,
         changed = gpm_map_find(&lines, gpm_line_changes_site(c, b->node), 0);
    if (live || changed)
      candidate[count++] = (struct candidate){(uint32_t)i, live, changed, b->bytes};
    at_peak += live;
  }
  if (count) qsort(candidate, count, sizeof *candidate, most_important_first);
  *d = (struct gpm_advice_picture_blocks){.changes = c};
  d->count = count < GPM_ADVICE_PICTURE_BLOCKS ? (uint32_t)count : GPM_ADVICE_PICTURE_BLOCKS;
  d->block = gpm_memory_array(d->count, sizeof *d->block);
  for (uint32_t i = 0; i < d->count; i++) d->block[i] = candidate[i].block;
  d->left_out = at_peak > d->count ? at_peak - d->count : 0;
  gpm_map_free(&lines);
  free(candidate);
}

void gpm_advice_picture_blocks_free(struct gpm_advice_picture_blocks *d) {
  free(d->block);
}

/* ---- as JSON -----------------------------------------------------------------------------------
 */

static void put(json_t *json, const char *key, uint64_t value) {
  json_object_set_new(json, key, json_integer((json_int_t)value));
}

/* Returns "2mm.cu:195 mm2Cuda, mm2_kernel1", or "2mm.cu:180 mm2Cuda, copied". */
static json_t *use_text(const struct gpm_profile *p, uint32_t record) {
  const struct gpumemprof_capture_use *use = gpm_use_text_record(p->reader, record);
  char *where = gpm_use_text_location(p->reader, use),
       *kernel = gpm_use_text_kernel(p->reader, use),
       *text = gpm_memory_format("%s, %s", where, *kernel ? kernel : gpm_use_text_verb(use));
  json_t *json = gpm_json_text(text);
  free(where);
  free(kernel);
  free(text);
  return json;
}

static json_t *site_of(const struct gpm_profile *p, uint32_t node) {
  return node == GPUMEMPROF_NONE ? json_null() : gpm_json_location(p, node);
}

/* The positions from the first use that is certain to behind the last one. */
static json_t *certain_of(const struct gpm_uses *u, const struct gpm_use_block *b) {
  uint32_t from, to;
  return gpm_used_certainly(u, b, &from, &to) ? json_pack("[I,I]", (json_int_t)from, (json_int_t)to)
                                              : json_null();
}

static json_t *block_json(const struct gpm_uses *u, const struct gpm_use_block *b) {
  const struct gpm_profile *p = u->profile;
  const char *why = gpm_line_changes_not_judged(u, b);
  json_t *one = json_object();
  put(one, "bytes", b->bytes);
  json_object_set_new(one, "allocated", site_of(p, b->node));
  json_object_set_new(one, "freed", site_of(p, b->free_node));
  put(one, "begin", b->begin);
  put(one, "end", b->end);
  struct gpm_used_span s = gpm_used_span_of(u, b);
  json_object_set_new(one, "not_judged", why ? json_string(why) : json_null());
  if (why || !s.used) return one;
  json_object_set_new(one, "used", json_pack("[I,I]", (json_int_t)s.first, (json_int_t)s.last + 1));
  json_object_set_new(one, "certain", certain_of(u, b));
  json_object_set_new(one, "first_use", use_text(p, s.to_first));
  json_object_set_new(one, "last_use", use_text(p, s.to_last));
  return one;
}

json_t *gpm_advice_picture_blocks_json(const struct gpm_advice_picture_blocks *d) {
  const struct gpm_uses *u = d->changes->uses;
  json_t *list = json_array();
  for (uint32_t i = 0; i < d->count; i++)
    json_array_append_new(list, block_json(u, &u->block[d->block[i]]));
  return list;
}
