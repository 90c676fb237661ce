/* targets.c - see targets.h. */
#include "advice/targets.h"

static const uint64_t most_work = 1000000; /* stretches that are read or changed */

struct search {
  struct gpm_line_changes *c;
  struct gpm_target *target;
  uint32_t step[GPM_TARGET_STEPS];
  unsigned round, most;
  uint64_t work;
};

bool gpm_targets_is_at(const struct gpm_line_changes *c, uint32_t change, uint32_t at) {
  for (uint32_t m = c->change[change].first; m != GPUMEMPROF_NONE; m = c->member[m].next) {
    const struct gpm_stretch *s = &c->stretch[c->member[m].stretch];
    if (s->from <= at && at < s->to && !s->removed) return true;
  }
  return false;
}

/* Tries each change that takes memory away where the peak is, as step number `depth`. */
static void try_steps(struct search *s, unsigned depth) {
  struct gpm_line_changes *c = s->c;
  uint32_t at = gpm_peaks_at(&c->peaks);
  for (uint32_t i = 0; i < c->count && s->work < most_work; i++) {
    s->work += c->change[i].blocks;
    if (gpm_advice_texts[c->change[i].rule].round > s->round || !gpm_targets_is_at(c, i, at))
      continue;
    gpm_line_changes_make(c, i);
    s->step[depth] = i;
    int64_t peak = gpm_peaks_now(&c->peaks);
    if (peak < s->target[depth].peak) {
      s->target[depth].peak = peak;
      for (unsigned k = 0; k <= depth; k++) s->target[depth].step[k] = s->step[k];
    }
    if (depth + 1 < s->most) try_steps(s, depth + 1);
    gpm_line_changes_unmake(c, i);
  }
}

bool gpm_targets_find(struct gpm_target target[GPM_TARGET_STEPS], struct gpm_line_changes *c,
                      unsigned round, unsigned most) {
  struct search s = {.c = c,
                     .target = target,
                     .round = round,
                     .most = most < GPM_TARGET_STEPS ? most : GPM_TARGET_STEPS};
  for (unsigned k = 0; k < GPM_TARGET_STEPS; k++) target[k].peak = INT64_MAX;
  try_steps(&s, 0);
  int64_t lowest = gpm_peaks_now(&c->peaks);
  for (unsigned k = 0; k < s.most; k++) {
    if (target[k].peak < lowest) lowest = target[k].peak;
    else target[k].peak = INT64_MAX;
  }
  return s.work < most_work;
}
