/* made_changes.c - changes of lines that are made, and the peak that is left (line_changes.h). */
#include "advice/line_changes.h"

#include <stdlib.h>

/* ---- all of them -------------------------------------------------------------------------------
 */

/* Sets the totals to those of the run without the stretches that are removed. */
void gpm_line_changes_set_peaks(struct gpm_line_changes *c) {
  uint32_t positions = c->uses->device[c->device].positions;
  int64_t *total = gpm_memory_array((size_t)positions + 1, sizeof *total), less = 0;
  for (size_t i = 0; i < c->stretch_count; i++) {
    const struct gpm_stretch *s = &c->stretch[i];
    if (!s->removed) continue;
    total[s->from] -= (int64_t)s->bytes;
    total[s->to] += (int64_t)s->bytes;
  }
  for (uint32_t i = 0; i < positions; i++) {
    less += total[i];
    total[i] = c->run[i] + less;
  }
  gpm_peaks_set(&c->peaks, total, positions);
  free(total);
}

void gpm_line_changes_set(struct gpm_line_changes *c, unsigned rounds) {
  for (size_t i = 0; i < c->stretch_count; i++) {
    struct gpm_stretch *s = &c->stretch[i];
    s->removed = 0;
    for (unsigned k = 0; k < rounds; k++) s->removed = (uint8_t)(s->removed + s->in_round[k]);
  }
  if (rounds) gpm_line_changes_set_peaks(c);
  else gpm_peaks_set(&c->peaks, c->run, c->uses->device[c->device].positions);
}

/* ---- one ---------------------------------------------------------------------------------------
 */

/* Most of the time of a change is spent waiting for its stretches, which lie far from each other:
 * some members ahead are asked for. */
static inline void fetch_ahead(const struct gpm_line_changes *c, uint32_t member) {
  if (member + 8 < c->member_count) __builtin_prefetch(&c->stretch[c->member[member + 8].stretch]);
}

static void remove_stretch(struct gpm_line_changes *c, struct gpm_stretch *s) {
  if (!s->removed++) gpm_peaks_add(&c->peaks, s->from, s->to, -(int64_t)s->bytes);
}

static void restore_stretch(struct gpm_line_changes *c, struct gpm_stretch *s) {
  if (!--s->removed) gpm_peaks_add(&c->peaks, s->from, s->to, (int64_t)s->bytes);
}

void gpm_line_changes_make(struct gpm_line_changes *c, uint32_t change) {
  for (uint32_t m = c->change[change].first; m != GPUMEMPROF_NONE; m = c->member[m].next) {
    fetch_ahead(c, m);
    remove_stretch(c, &c->stretch[c->member[m].stretch]);
  }
}

void gpm_line_changes_unmake(struct gpm_line_changes *c, uint32_t change) {
  for (uint32_t m = c->change[change].first; m != GPUMEMPROF_NONE; m = c->member[m].next) {
    fetch_ahead(c, m);
    restore_stretch(c, &c->stretch[c->member[m].stretch]);
  }
}

bool gpm_line_changes_unmake_within(struct gpm_line_changes *c, uint32_t change, int64_t peak) {
  uint32_t first = c->change[change].first, m = first;
  while (m != GPUMEMPROF_NONE && gpm_peaks_now(&c->peaks) <= peak) {
    fetch_ahead(c, m);
    restore_stretch(c, &c->stretch[c->member[m].stretch]);
    m = c->member[m].next;
  }
  if (gpm_peaks_now(&c->peaks) <= peak) return true;
  for (uint32_t k = first; k != m; k = c->member[k].next)
    remove_stretch(c, &c->stretch[c->member[k].stretch]);
  return false;
}

int64_t gpm_line_changes_single(struct gpm_line_changes *c, uint32_t change, int64_t *less) {
  unsigned round = gpm_advice_texts[c->change[change].rule].round;
  for (uint32_t m = c->change[change].first; m != GPUMEMPROF_NONE; m = c->member[m].next) {
    struct gpm_stretch *s = &c->stretch[c->member[m].stretch];
    if (s->round < round) remove_stretch(c, s);
  }
  *less = gpm_peaks_now(&c->peaks);
  for (uint32_t m = c->change[change].first; m != GPUMEMPROF_NONE; m = c->member[m].next) {
    struct gpm_stretch *s = &c->stretch[c->member[m].stretch];
    if (s->round >= round) remove_stretch(c, s);
  }
  int64_t single = gpm_peaks_now(&c->peaks);
  gpm_line_changes_unmake(c, change);
  return single;
}
