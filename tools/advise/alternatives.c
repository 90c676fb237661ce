/* alternatives.c - findings that cannot both be followed (advise.h). Changes that only move
 * something can be combined, whatever their lines. A change that puts blocks into the memory of
 * others can be combined with no other of these lines, and one that removes all blocks of a line
 * leaves nothing to move.
 */
#include "advise/advise.h"

#include "support/string.h"

#include <inttypes.h>
#include <stdlib.h>

static bool takes_over(const struct gpm_line_change *c) {
  return c->rule == GPM_ADVICE_REUSE || c->rule == GPM_ADVICE_NO_OVERLAP ||
         c->rule == GPM_ADVICE_NO_OVERLAP_HINT;
}

/* Returns the line whose memory is taken over, of REUSE. */
static uint32_t taken_by(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  return gpm_line_changes_site(all, c->instead);
}

/* Whether a change is of the blocks of a line, or needs them to stay. */
static bool is_of(const struct gpm_line_changes *all, const struct gpm_line_change *c,
                  uint32_t site) {
  return c->lines.allocated == site || (c->rule == GPM_ADVICE_REUSE && taken_by(all, c) == site);
}

/* a takes over memory, or removes all of its line. */
static bool exclude(const struct gpm_line_changes *all, const struct gpm_line_change *a,
                    const struct gpm_line_change *b) {
  return a != b && (is_of(all, a, b->lines.allocated) ||
                    (b->rule == GPM_ADVICE_REUSE && is_of(all, a, taken_by(all, b))));
}

/* Whether a change removes all that its line allocates. */
static bool removes_line(const struct gpm_advise *a, const struct gpm_line_change *c) {
  bool removes = c->rule == GPM_ADVICE_UNUSED || c->rule == GPM_ADVICE_WRITE_ONLY;
  return removes && c->blocks == a->advice->allocated[c->lines.allocated];
}

/* Whether a step of a takes over, or removes, memory that a step of b is about. */
static bool takes_from(const struct gpm_advise *advise, const struct gpm_advice_finding *a,
                       const struct gpm_advice_finding *b) {
  for (uint32_t i = 0; i < a->count; i++) {
    const struct gpm_line_change *one = &a->changes->change[a->step[i]];
    bool takes = takes_over(one) || removes_line(advise, one);
    for (uint32_t k = 0; takes && k < b->count; k++)
      if (exclude(a->changes, one, &b->changes->change[b->step[k]])) return true;
  }
  return false;
}

bool gpm_advise_exclude(const struct gpm_advise *advise, const struct gpm_advice_finding *a,
                        const struct gpm_advice_finding *b) {
  return a->changes == b->changes && (takes_from(advise, a, b) || takes_from(advise, b, a));
}

uint32_t gpm_advise_next_instead(const struct gpm_advise *a, const struct gpm_advice_finding *f,
                                 uint32_t from) {
  for (uint32_t i = from; i < a->count && a->finding[i] != f; i++)
    if (gpm_advise_exclude(a, a->finding[i], f)) return i;
  return a->count;
}

char *gpm_advise_instead(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  struct gpm_string text = {NULL, 0, 0};
  uint32_t i = gpm_advise_next_instead(a, f, 0);
  for (bool first = true; i < a->count; first = false) {
    uint32_t next = gpm_advise_next_instead(a, f, i + 1);
    gpm_string_add(&text, "%s%" PRIu32,
                   first             ? ", instead of finding "
                   : next < a->count ? ", "
                                     : " or ",
                   i + 1);
    i = next;
  }
  return gpm_string_take(&text);
}

static bool has_step(const struct gpm_advice_finding *f, uint32_t step) {
  for (uint32_t i = 0; i < f->count; i++)
    if (f->step[i] == step) return true;
  return false;
}

static bool is_part(const struct gpm_advice_finding *part, const struct gpm_advice_finding *whole) {
  if (part->changes != whole->changes || part->count >= whole->count) return false;
  for (uint32_t i = 0; i < part->count; i++)
    if (!has_step(whole, part->step[i])) return false;
  return true;
}

uint32_t gpm_advise_part_of(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  for (uint32_t i = 0; i < a->count && a->finding[i] != f; i++)
    if (is_part(f, a->finding[i])) return i + 1;
  return 0;
}

char *gpm_advise_others(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  uint32_t whole = gpm_advise_part_of(a, f);
  char *instead = gpm_advise_instead(a, f), *text;
  if (!whole) return instead;
  text = gpm_memory_format(", part of finding %" PRIu32 "%s", whole, instead);
  free(instead);
  return text;
}

char *gpm_advise_of_listed(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  char *one = gpm_advise_of_finding(a, f), *instead = gpm_advise_instead(a, f),
       *text = gpm_memory_format("%s%s", one, instead);
  free(one);
  free(instead);
  return text;
}
