/* advice.c - see advice.h. */
#include "advice/advice.h"

#include "advice/targets.h"

#include <stdlib.h>

/* Steps are ordered by trying each as the next one, which takes the square of their number. If that
 * is more work than this, they are ordered by their bytes. */
enum { MOST_TRIED = 1000000 };

struct order {
  uint32_t change;
  unsigned effort;
  uint64_t bytes;
};

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

static int dearest_first(const void *a, const void *b) {
  const struct order *x = a, *y = b;
  if (x->effort != y->effort) return x->effort > y->effort ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  return x->change < y->change ? -1 : x->change > y->change;
}

/* All changes up to a round are made: takes back those without which the peak stays as low. Returns
 * those that are left; to be freed. */
static uint32_t *needed_of(struct gpm_line_changes *c, unsigned round, uint32_t *count) {
  struct order *order = gpm_memory_array(c->count, sizeof *order);
  uint32_t *needed = gpm_memory_array(c->count, sizeof *needed), taken = 0;
  int64_t lowest = gpm_peaks_now(&c->peaks);
  for (uint32_t i = 0; i < c->count; i++) {
    const struct gpm_advice_text *t = &gpm_advice_texts[c->change[i].rule];
    if (t->round <= round)
      order[taken++] =
          (struct order){i, t->effort + (c->change[i].sure ? 0u : 16u), c->change[i].bytes};
  }
  if (taken) qsort(order, taken, sizeof *order, dearest_first);
  *count = 0;
  for (uint32_t i = 0; i < taken; i++) {
    if (!gpm_line_changes_unmake_within(c, order[i].change, lowest))
      needed[(*count)++] = order[i].change;
  }
  free(order);
  return needed;
}

/* Whether a step is better than another one that leaves that peak. */
static bool is_better(const struct gpm_line_change *a, int64_t peak_of_a,
                      const struct gpm_line_change *b, int64_t peak_of_b) {
  if (peak_of_a != peak_of_b) return peak_of_a < peak_of_b;
  if (a->bytes != b->bytes) return a->bytes > b->bytes;
  return a->byte_positions > b->byte_positions;
}

/* Moves the best next step to place `at`, by trying each. */
static void choose(struct gpm_line_changes *c, uint32_t *step, uint32_t at, uint32_t count) {
  uint32_t best = at;
  int64_t lowest = 0;
  for (uint32_t i = at; i < count; i++) {
    gpm_line_changes_make(c, step[i]);
    int64_t peak = gpm_peaks_now(&c->peaks);
    gpm_line_changes_unmake(c, step[i]);
    if (i > at && !is_better(&c->change[step[i]], peak, &c->change[step[best]], lowest)) continue;
    best = i;
    lowest = peak;
  }
  uint32_t chosen = step[best];
  step[best] = step[at];
  step[at] = chosen;
}

static int largest_first(const void *a, const void *b, void *data) {
  const struct gpm_line_changes *c = data;
  const uint32_t *x = a, *y = b;
  if (is_better(&c->change[*x], 0, &c->change[*y], 0)) return -1;
  if (is_better(&c->change[*y], 0, &c->change[*x], 0)) return 1;
  return *x < *y ? -1 : *x > *y;
}

void gpm_advice_add_several(struct gpm_advice *a, struct gpm_line_changes *c, uint32_t *step,
                            uint32_t count) {
  struct gpm_advice_finding *f = add_finding(a, c, count, gpm_peaks_now(&c->peaks));
  uint64_t blocks = 0;
  for (uint32_t i = 0; i < count; i++) blocks += c->change[step[i]].blocks;
  bool tries = blocks * count <= MOST_TRIED;
  if (!tries) qsort_r(step, count, sizeof *step, largest_first, c);
  for (uint32_t i = 0; i < count; i++) {
    if (tries) choose(c, step, i, count);
    gpm_line_changes_make(c, step[i]);
    add_step(f, step[i]);
  }
  gpm_line_changes_set(c, 0);
}

/* Adds the best sets of two and of three changes where all that help are more. lowest: by number of
 * steps less 1, the peak of those that were added in earlier rounds. Returns whether such a set
 * does as much as all. */
static bool find_targets(struct gpm_advice *a, struct gpm_line_changes *c, unsigned round,
                         uint32_t count, int64_t all, int64_t lowest[GPM_TARGET_STEPS]) {
  struct gpm_target target[GPM_TARGET_STEPS];
  if (count < 3 || !gpm_targets_find(target, c, round, count - 1)) return false;
  for (unsigned k = 1; k < GPM_TARGET_STEPS; k++) {
    if (target[k].peak >= lowest[k]) continue;
    lowest[k] = target[k].peak;
    gpm_advice_add_several(a, c, target[k].step, k + 1);
    if (target[k].peak == all) return true;
  }
  return false;
}

/* A round counts if it leaves a lower peak than those before it. */
static void find_several(struct gpm_advice *a, struct gpm_line_changes *c) {
  int64_t lowest = gpm_peaks_now(&c->peaks);
  int64_t lowest_of[GPM_TARGET_STEPS] = {lowest, lowest, lowest};
  for (unsigned round = 1; round <= 3; round++) {
    gpm_line_changes_set(c, round);
    if (gpm_peaks_now(&c->peaks) >= lowest) continue;
    lowest = gpm_peaks_now(&c->peaks);
    uint32_t count, *step = needed_of(c, round, &count);
    gpm_line_changes_set(c, 0);
    bool fewer_do = round < 3 && find_targets(a, c, round, count, lowest, lowest_of);
    if (count > 1 && !fewer_do) gpm_advice_add_several(a, c, step, count);
    if (count > 1 && count <= GPM_TARGET_STEPS) lowest_of[count - 1] = lowest;
    free(step);
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

static uint64_t *count_allocated(const struct gpm_uses *u) {
  uint64_t *count = gpm_memory_array(u->profile->reader->sites.count + (size_t)1, sizeof *count);
  for (size_t i = 0; i < u->count; i++) {
    uint32_t site = u->profile->site[u->block[i].node];
    if (site != GPUMEMPROF_NONE) count[site]++;
  }
  return count;
}

void gpm_advice_make(struct gpm_advice *a, const struct gpm_uses *u, const struct gpm_pages *pages,
                     unsigned rules) {
  const struct gpm_reader *r = u->profile->reader;
  *a = (struct gpm_advice){.devices = r->device_count,
                           .allocated = count_allocated(u),
                           .changes = gpm_memory_array(r->device_count, sizeof *a->changes)};
  for (uint32_t i = 0; i < r->device_count; i++) {
    if (!gpm_advice_is_gpu(r, i) && r->devices[i].ordinal != GPUMEMPROF_HOST) continue;
    gpm_line_changes_find(&a->changes[i], u, i, rules);
    find_single(a, &a->changes[i]);
    if (rules >> GPM_ADVICE_REUSE & 1) gpm_advice_find_reuse(a, &a->changes[i]);
    gpm_advice_find_no_overlap(a, &a->changes[i], rules);
    find_several(a, &a->changes[i]);
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
  free(a->changes);
  free(a->finding);
  free(a->unjudged);
}
