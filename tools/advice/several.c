/* several.c - changes that lower the peak together (advice.h). */
#include "advice/advice.h"
#include "advice/targets.h"

#include <stdlib.h>

/* Whether a peak is lower than another one by as much as a finding is to save. */
static bool gains(const struct gpm_advice *a, int64_t peak, int64_t than) {
  return peak < than && than - peak >= gpm_advice_least(a, than);
}

int64_t gpm_advice_enough(const struct gpm_advice *a, int64_t lowest, int64_t before,
                          int64_t reached) {
  if (!gains(a, lowest, before)) return lowest; /* it is only counted */
  int64_t least = gpm_advice_least(a, lowest), most = reached - gpm_advice_least(a, reached),
          enough = lowest + (least ? least - 1 : 0);
  return enough < most ? enough : most;
}

/* ---- the changes that are needed ---------------------------------------------------------------
 */

struct order {
  uint32_t change;
  unsigned effort;
  uint64_t bytes;
};

static int dearest_first(const void *a, const void *b) {
  const struct order *x = a, *y = b;
  if (x->effort != y->effort) return x->effort > y->effort ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  return x->change < y->change ? -1 : x->change > y->change;
}

/* Takes back each change without which the peak stays as low as this one. Returns how many are
 * left. */
static uint32_t take_back(struct gpm_line_changes *c, struct order *order, uint32_t count,
                          int64_t peak) {
  uint32_t left = 0;
  if (count) qsort(order, count, sizeof *order, dearest_first);
  for (uint32_t i = 0; i < count; i++)
    if (!gpm_line_changes_unmake_within(c, order[i].change, peak)) order[left++] = order[i];
  return left;
}

/* Leaves out the smallest, but first what has to be copied or looked at. */
uint32_t gpm_advice_leave_out(struct gpm_line_changes *c, uint32_t *step, uint32_t count,
                              int64_t enough) {
  struct order *order = gpm_memory_array(count, sizeof *order);
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_line_change *change = &c->change[step[i]];
    order[i] = (struct order){step[i], !change->sure, change->bytes};
  }
  uint32_t left = take_back(c, order, count, enough);
  for (uint32_t i = 0; i < left; i++) step[i] = order[i].change;
  free(order);
  return left;
}

/* All changes up to a round are made: takes back those that are not needed for the lowest peak, and
 * of the others those without which it is low enough. Returns what is left; to be freed. */
static uint32_t *needed_of(struct gpm_line_changes *c, unsigned round, int64_t enough,
                           uint32_t *count) {
  struct order *order = gpm_memory_array(c->count, sizeof *order);
  uint32_t *needed = gpm_memory_array(c->count, sizeof *needed), taken = 0;
  int64_t lowest = gpm_peaks_now(&c->peaks);
  for (uint32_t i = 0; i < c->count; i++) {
    const struct gpm_advice_text *t = &gpm_advice_texts[c->change[i].rule];
    if (t->round <= round)
      order[taken++] =
          (struct order){i, t->effort + (c->change[i].sure ? 0u : 16u), c->change[i].bytes};
  }
  taken = take_back(c, order, taken, lowest);
  for (uint32_t i = 0; i < taken; i++) needed[i] = order[i].change;
  free(order);
  *count = enough > lowest ? gpm_advice_leave_out(c, needed, taken, enough) : taken;
  return needed;
}

/* ---- few of them -------------------------------------------------------------------------------
 */

/* Adds the best sets of two and of three changes where all that help are more. lowest: by number of
 * steps less 1, the peak of those that were added in earlier rounds. Returns the peak of such a set
 * if it is low enough, or INT64_MAX. */
static int64_t find_targets(struct gpm_advice *a, struct gpm_line_changes *c, unsigned round,
                            uint32_t count, int64_t enough, int64_t lowest[GPM_TARGET_STEPS]) {
  struct gpm_target target[GPM_TARGET_STEPS];
  if (count < 3 || !gpm_targets_find(target, c, round, count - 1)) return INT64_MAX;
  int64_t fewer = target[0].peak < lowest[0] ? target[0].peak : lowest[0];
  for (unsigned k = 1; k < GPM_TARGET_STEPS; k++) {
    if (lowest[k] < fewer) fewer = lowest[k];
    if (!gains(a, target[k].peak, fewer)) continue;
    fewer = lowest[k] = target[k].peak;
    gpm_advice_add_several(a, c, target[k].step, k + 1);
    if (target[k].peak <= enough) return target[k].peak;
  }
  return INT64_MAX;
}

/* ---- the rounds --------------------------------------------------------------------------------
 */

/* A round counts if it leaves a lower peak than those before it, and if that is enough to be shown,
 * lower by as much than what is shown of them. */
void gpm_advice_find_several(struct gpm_advice *a, struct gpm_line_changes *c) {
  int64_t before = gpm_peaks_now(&c->peaks), reached = before, shown = before;
  int64_t lowest_of[GPM_TARGET_STEPS] = {before, before, before};
  for (unsigned round = 1; round <= 3; round++) {
    gpm_line_changes_set(c, round);
    int64_t lowest = gpm_peaks_now(&c->peaks);
    bool is_large = gains(a, lowest, before);
    if (lowest >= reached || (is_large && !gains(a, lowest, shown))) continue;
    int64_t enough = gpm_advice_enough(a, lowest, before, shown);
    uint32_t count, *step = needed_of(c, round, enough, &count);
    reached = gpm_peaks_now(&c->peaks);
    gpm_line_changes_set(c, 0);
    int64_t fewer = round < 3 ? find_targets(a, c, round, count, enough, lowest_of) : INT64_MAX;
    if (fewer != INT64_MAX) reached = fewer;
    else if (count > 1) gpm_advice_add_several(a, c, step, count);
    if (is_large) shown = reached;
    if (count > 1 && count <= GPM_TARGET_STEPS) lowest_of[count - 1] = reached;
    free(step);
  }
  gpm_line_changes_set(c, 0);
}
