/* capture_judge.c - what a capture that the reader accepts has to be: ids are in range, and rows
 * add up to what the cells hold.
 *
 * capture.c calls it before any command reads the capture. It repeats what reader_check.c promises
 * in the plainest way, without its loops, so that a check that is missing there is a finding here
 * and not only where a sanitizer sees the read behind an array.
 */
#include "capture_judge.h"

#include "events/listeners.h"
#include "model/profile.h"
#include "rows/rows.h"

#include <stdio.h>
#include <stdlib.h>

#define HOLDS(condition)                                                                           \
  do                                                                                               \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "an accepted capture is not right: %s\n", #condition);                       \
      abort();                                                                                     \
    }                                                                                              \
  while (0)

static void judge_ids(const struct gpm_reader *r) {
  for (uint64_t i = 0; i < r->nodes.count; i++) {
    const struct gpumemprof_capture_node *n = gpm_reader_record(&r->nodes, i);
    HOLDS(i ? n->parent < i : n->parent == GPUMEMPROF_NONE);
    HOLDS(n->site == GPUMEMPROF_NONE || n->site < r->sites.count);
  }
  for (uint64_t i = 0; i < r->sites.count; i++) {
    const struct gpumemprof_capture_site *s = gpm_reader_record(&r->sites, i);
    HOLDS(s->line_id == GPUMEMPROF_NONE || s->line_id < r->lines.count);
    HOLDS(s->inlined_at == GPUMEMPROF_NONE || s->inlined_at < r->sites.count);
    HOLDS(!s->file || s->file < r->strings.count);
    HOLDS(!s->function || s->function < r->strings.count);
    HOLDS(!s->source_line || s->source_line < r->strings.count);
  }
  for (uint64_t i = 0; i < r->cells.count; i++) {
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, i);
    HOLDS(c->node < r->nodes.count && c->device < r->device_count && c->kind < GPUMEMPROF_KINDS);
    HOLDS(c->stream <= r->streams.count && (!c->label || c->label < r->strings.count));
  }
  for (uint64_t i = 0; i < r->pairs.count; i++) {
    const struct gpumemprof_capture_pair *p = gpm_reader_record(&r->pairs, i);
    HOLDS(p->cell < r->cells.count && p->free_node < r->nodes.count);
  }
  for (uint64_t i = 0; i < r->samples.count; i++) {
    const struct gpumemprof_capture_sample *s = gpm_reader_record(&r->samples, i);
    HOLDS(s->device < r->device_count && (s->pool == GPUMEMPROF_NONE || s->pool < r->pools.count));
  }
}

/* Of one grouping, each byte is in one row. */
static void judge_rows(const struct gpm_profile *profile, enum gpm_by by, uint64_t allocated,
                       uint64_t freed) {
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, by);
  uint64_t self = 0, gone = 0;
  for (uint32_t i = 0; i < rows.count; i++) {
    self += (uint64_t)rows.row[i].value[GPM_FIGURE_self_alloc];
    gone += (uint64_t)rows.row[i].value[GPM_FIGURE_self_freed];
  }
  HOLDS(self == allocated && rows.allocated == allocated && gone == freed);
  gpm_rows_free(&rows);
}

void capture_judge(struct gpm_reader *r) {
  judge_ids(r);
  struct gpm_filter all = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS};
  struct gpm_profile *profile = gpm_profile_new(r, &all);
  uint64_t allocated = 0, freed = 0;
  for (uint64_t i = 0; i < r->cells.count; i++) {
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, i);
    if (profile->cell_shown[i]) allocated += c->allocated.bytes;
  }
  for (uint64_t i = 0; i < r->pairs.count; i++) {
    const struct gpumemprof_capture_pair *p = gpm_reader_record(&r->pairs, i);
    if (profile->cell_shown[p->cell]) freed += p->freed.bytes;
  }
  judge_rows(profile, GPM_BY_LINE, allocated, freed);
  judge_rows(profile, GPM_BY_FUNCTION, allocated, freed);
  judge_rows(profile, GPM_BY_PATH, allocated, freed);
  gpm_profile_free(profile);
}

bool capture_events_are_right(struct gpm_reader *r) {
  static const struct gpm_listener nobody;
  char error[512];
  return !r->event_chunks || gpm_listeners_read(r, &nobody, 1, error, sizeof error);
}
