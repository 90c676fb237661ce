/* moments.c - when a block is to be freed or allocated, in words (advise.h). A line that runs
 * several times is not the moment, but one of its runs is.
 */
#include "advise/advise.h"

#include "rows/use_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Whether an operation is on the line of a site. */
static bool is_at(const struct gpm_uses *u, uint32_t record, uint32_t site) {
  const struct gpm_reader *r = u->profile->reader;
  uint32_t own = gpm_use_text_record(r, record)->site;
  if (own == site || own == GPUMEMPROF_NONE || site == GPUMEMPROF_NONE) return own == site;
  const struct gpumemprof_capture_site *one = gpm_reader_site(r, own),
                                       *other = gpm_reader_site(r, site);
  return one->line == other->line && one->file == other->file;
}

/* How often a line certainly uses a block. *until: how often at positions before that one. */
static uint64_t times_of(const struct gpm_uses *u, const struct gpm_use_block *b, uint32_t site,
                         uint32_t before, uint64_t *until) {
  uint64_t times = 0;
  *until = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use *use = &u->use[b->first + i];
    if (use->flags & GPM_USE_MAYBE || !is_at(u, use->record, site)) continue;
    times++;
    *until += use->at < before;
  }
  return times;
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
  uint64_t until, times = times_of(u, b, site, 0, &until);
  if (!c->may_be_used && times > 1)
    return gpm_memory_format("the %s of its %" PRIu64 " uses at %s", which, times, line);
  bool repeats = times > 1 || (c->may_be_used && may_repeat(u, b, site));
  return repeats || elsewhere ? gpm_memory_format("its %s use at %s", which, line)
                              : gpm_memory_text(line);
}

/* Returns the number of stretches of a change. */
static uint64_t stretches_of(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  uint64_t count = 0;
  for (uint32_t m = c->first; m != GPUMEMPROF_NONE; m = all->member[m].next) count++;
  return count;
}

static const char *ending_of(uint64_t n) {
  if (n % 100 / 10 == 1) return "th";
  return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

char *gpm_advise_ordinal(uint64_t number) {
  return gpm_memory_format("%" PRIu64 "%s", number, ending_of(number));
}

/* Returns the uses of a block at a line that begin one of these gaps: "the 2nd of its 3 uses at
 * line 12", "2 of its 5 uses at line 12"; null: no more than one use of the line begins none. */
static char *some_uses(uint64_t gaps, uint64_t times, uint64_t number, const char *line) {
  if (gaps + 1 >= times && (gaps > 1 || times == 1)) return NULL;
  if (gaps > 1)
    return gpm_memory_format("%" PRIu64 " of its %" PRIu64 " uses at %s", gaps, times, line);
  char *which = gpm_advise_ordinal(number),
       *text = gpm_memory_format("the %s of its %" PRIu64 " uses at %s", which, times, line);
  free(which);
  return text;
}

void gpm_advise_gap(const struct gpm_line_changes *all, const struct gpm_line_change *c,
                    const char *to, const char *back, bool elsewhere, char **after, char **before) {
  bool gap = c->rule == GPM_ADVICE_IDLE || c->rule == GPM_ADVICE_IDLE_COPY;
  char *some = NULL;
  if (gap && c->blocks == 1) {
    uint64_t until;
    uint32_t site = gpm_use_text_record(all->uses->profile->reader, c->to)->site;
    uint64_t times = times_of(all->uses, &all->uses->block[c->latest], site, c->frees, &until);
    some = some_uses(stretches_of(all, c), times, until, to);
  }
  bool next = some || (gap && elsewhere);
  *after = some               ? some
           : gap && elsewhere ? gpm_memory_format("its use at %s", to)
                              : gpm_memory_text(to);
  *before = next ? gpm_memory_format("its next use at %s", back) : gpm_memory_text(back);
}
