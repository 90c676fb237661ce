/* moments.c - when a block is to be freed or allocated, in words (advise.h). A line that runs
 * several times is not the moment, but one of its runs is.
 */
#include "advise/advise.h"

#include "rows/use_text.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_at(const struct gpm_uses *u, uint32_t record, uint32_t site) {
  return gpm_uses_same_line(u, gpm_use_text_record(u->profile->reader, record)->site, site);
}

struct gpm_advise_uses gpm_advise_uses_at(const struct gpm_uses *u, const struct gpm_use_block *b,
                                          uint32_t site, uint32_t until) {
  struct gpm_advise_uses l = {0, 0, 0, 0};
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use *use = &u->use[b->first + i];
    if (use->flags & GPM_USE_MAYBE || !is_at(u, use->record, site)) continue;
    if (!l.times++) l.first = use->at;
    l.last = use->at;
    l.number += use->at < until;
  }
  return l;
}

/* Whether a line may use a block at two positions or more: only because it is given what may be its
 * address, or follows addresses, or certainly, too. */
static bool may_repeat(const struct gpm_uses *u, const struct gpm_use_block *b, uint32_t site) {
  uint32_t first = GPUMEMPROF_NONE, record, to = b->end, at;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use *use = &u->use[b->first + i];
    if (!is_at(u, use->record, site)) continue;
    if (first != GPUMEMPROF_NONE && use->at != first) return true;
    first = use->at;
  }
  while ((at = gpm_uses_last_maybe(u, b, b->begin, to, &record)) != GPUMEMPROF_NONE) {
    if (b->shared != GPUMEMPROF_NONE && at >= b->shared) to = b->shared; /* that is no call */
    else {
      if (is_at(u, record, site)) {
        if (first != GPUMEMPROF_NONE && at != first) return true;
        first = at;
      }
      to = at;
    }
  }
  return first == GPUMEMPROF_NONE; /* it stored the address, perhaps more than once */
}

char *gpm_advise_moment(const struct gpm_line_changes *all, const struct gpm_line_change *c,
                        const char *which, const char *line, bool elsewhere) {
  const struct gpm_uses *u = all->uses;
  if (c->blocks > 1) return gpm_memory_format("its %s use at %s", which, line);
  const struct gpm_use_block *b = &u->block[c->latest];
  uint32_t site = gpm_use_text_record(u->profile->reader, c->to)->site;
  uint64_t times = gpm_advise_uses_at(u, b, site, 0).times;
  if (!c->may_be_used && times > 1)
    return gpm_memory_format("the %s of its %" PRIu64 " uses at %s", which, times, line);
  bool repeats =
      times > 1 || (c->may_be_used && may_repeat(u, b, site)) || gpm_uses_repeats(u, site);
  return repeats || elsewhere ? gpm_memory_format("its %s use at %s", which, line)
                              : gpm_memory_text(line);
}

static const char *ending_of(uint64_t n) {
  if (n % 100 / 10 == 1) return "th";
  return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

char *gpm_advise_ordinal(uint64_t number) {
  return gpm_memory_format("%" PRIu64 "%s", number, ending_of(number));
}
