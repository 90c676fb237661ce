/* advice.c - see advice.h. */
#include "advice/advice.h"

#include "advice/targets.h"

#include <stdlib.h>

static struct gpm_advice_finding *add_finding(struct gpm_advice *a, struct gpm_line_changes *c,
                                              uint32_t steps, int64_t before) {
  a->finding = gpm_memory_resize(a->finding, a->count + (size_t)1, sizeof *a->finding);
  struct gpm_advice_finding *f = &a->finding[a->count++];
  *f = (struct gpm_advice_finding){.changes = c,
                                   .step = gpm_memory_array(steps, sizeof *f->step),
                                   .peak = gpm_memory_array(steps, sizeof *f->peak),
                                   .before = (uint64_t)before,
                                   .sure = true};
  return f;
}

static void add_step(struct gpm_advice_finding *f, uint32_t change) {
  f->step[f->count] = change;
  f->peak[f->count++] = (uint64_t)gpm_peaks_now(&f->changes->peaks);
  f->sure &= f->changes->change[change].sure;
}

/* ---- one change --------------------------------------------------------------------------------
 */

void gpm_advice_add_single(struct gpm_advice *a, struct gpm_line_changes *c, uint32_t change,
                           int64_t peak) {
  struct gpm_advice_finding *f = add_finding(a, c, 1, gpm_peaks_now(&c->peaks));
  add_step(f, change);
  f->peak[0] = (uint64_t)peak;
}

static void find_single(struct gpm_advice *a, struct gpm_line_changes *c) {
  int64_t before = gpm_peaks_now(&c->peaks), less;
  uint32_t at = gpm_peaks_at(&c->peaks);
  for (uint32_t i = 0; i < c->count; i++) {
    if (!gpm_targets_is_at(c, i, at)) continue;
    int64_t single = gpm_line_changes_single(c, i, &less);
    if (single >= before || single >= less) continue;
    gpm_advice_add_single(a, c, i, single);
  }
}

/* ---- several changes ---------------------------------------------------------------------------
 */

void gpm_advice_add_several(struct gpm_advice *a, struct gpm_line_changes *c, uint32_t *step,
                            uint32_t count) {
  struct gpm_advice_finding *f = add_finding(a, c, count, gpm_peaks_now(&c->peaks));
  gpm_advice_order_steps(c, step, count);
  for (uint32_t i = 0; i < count; i++) {
    gpm_line_changes_make(c, step[i]);
    add_step(f, step[i]);
  }
  gpm_line_changes_set(c, 0);
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static double byte_positions_of(const struct gpm_advice_finding *f) {
  double sum = 0;
  for (uint32_t i = 0; i < f->count; i++) sum += f->changes->change[f->step[i]].byte_positions;
  return sum;
}

bool gpm_advice_copies(const struct gpm_advice_finding *f) {
  for (uint32_t i = 0; i < f->count; i++)
    if (f->changes->change[f->step[i]].rule == GPM_ADVICE_IDLE_COPY) return true;
  return false;
}

/* First what needs no copies to the host, of that what saves most, then what holds most bytes for
 * long, what is sure, and what takes fewer steps. */
static int best_first(const void *a, const void *b) {
  const struct gpm_advice_finding *x = a, *y = b;
  bool copies = gpm_advice_copies(x);
  if (copies != gpm_advice_copies(y)) return copies ? 1 : -1;
  if (gpm_advice_saving(x) != gpm_advice_saving(y))
    return gpm_advice_saving(x) > gpm_advice_saving(y) ? -1 : 1;
  double one = byte_positions_of(x), other = byte_positions_of(y);
  if (one < other || one > other) return one > other ? -1 : 1;
  if (x->sure != y->sure) return x->sure ? -1 : 1;
  if (x->count != y->count) return x->count < y->count ? -1 : 1;
  return x->step[0] < y->step[0] ? -1 : x->step[0] > y->step[0];
}

static void count_allocated(struct gpm_advice *a, const struct gpm_uses *u) {
  size_t sites = u->profile->reader->sites.count;
  a->allocated = gpm_memory_array(sites + 1, sizeof *a->allocated);
  a->place = gpm_memory_array(u->count, sizeof *a->place);
  for (size_t i = 0; i < u->count; i++) {
    uint32_t site = gpm_uses_place(u, u->profile->site[u->block[i].node]);
    if (site != GPUMEMPROF_NONE) a->place[i] = (uint32_t)++a->allocated[site];
  }
}

void gpm_advice_make(struct gpm_advice *a, const struct gpm_uses *u, const struct gpm_pages *pages,
                     unsigned rules) {
  gpm_advice_make_of(a, u, pages, rules, GPM_ADVICE_HUNDREDTH);
}

void gpm_advice_make_of(struct gpm_advice *a, const struct gpm_uses *u,
                        const struct gpm_pages *pages, unsigned rules, uint64_t least) {
  const struct gpm_reader *r = u->profile->reader;
  *a = (struct gpm_advice){.least = least,
                           .devices = r->device_count,
                           .changes = gpm_memory_array(r->device_count, sizeof *a->changes)};
  count_allocated(a, u);
  for (uint32_t i = 0; i < r->device_count; i++) {
    if (!gpm_advice_is_gpu(r, i) && r->devices[i].ordinal != GPUMEMPROF_HOST) continue;
    gpm_line_changes_find(&a->changes[i], u, i, rules);
    find_single(a, &a->changes[i]);
    if (rules >> GPM_ADVICE_REUSE & 1) gpm_advice_find_reuse(a, &a->changes[i]);
    gpm_advice_find_no_overlap(a, &a->changes[i], rules);
    gpm_advice_find_several(a, &a->changes[i]);
  }
  if (pages && rules >> GPM_ADVICE_OVERSIZE & 1) gpm_advice_find_oversize(a, u, pages);
  if (a->count) qsort(a->finding, a->count, sizeof *a->finding, best_first);
  gpm_advice_find_unjudged(a, u);
}

void gpm_advice_free(struct gpm_advice *a) {
  for (uint32_t i = 0; i < a->devices; i++) gpm_line_changes_free(&a->changes[i]);
  for (uint32_t i = 0; i < a->count; i++) {
    free(a->finding[i].step);
    free(a->finding[i].peak);
  }
  for (uint32_t i = 0; i < a->unjudged_count; i++) free(a->unjudged[i].reason);
  free(a->allocated);
  free(a->place);
  free(a->changes);
  free(a->finding);
  free(a->unjudged);
}
