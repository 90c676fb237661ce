/* gaps.c - when a block is to be freed, and when it is to be there again, in words (advise.h): both
 * ends of the gaps between two uses that a change is about.
 */
#include "advise/advise.h"

#include "rows/use_text.h"

#include <inttypes.h>
#include <stdlib.h>

struct gap {
  const struct gpm_line_changes *all;
  const struct gpm_line_change *change;
  bool out;       /* the block is copied to the host, and does not come back */
  uint64_t count; /* of such gaps */
};

static uint32_t site_of(const struct gap *g, uint32_t record) {
  return gpm_use_text_record(g->all->uses->profile->reader, record)->site;
}

static struct gpm_advise_uses uses_of(const struct gap *g, uint32_t record, uint32_t until) {
  const struct gpm_uses *u = g->all->uses;
  return gpm_advise_uses_at(u, &u->block[g->change->latest], site_of(g, record), until);
}

/* ---- one block ---------------------------------------------------------------------------------
 */

/* Returns "all but the last" or "all but the first" of the uses if the only one at which there is
 * no gap is the last of those before gaps, or the first of those behind them; else null. */
static const char *all_but(const struct gap *g, const struct gpm_advise_uses *l, bool before) {
  for (uint32_t m = g->change->first; m != GPUMEMPROF_NONE; m = g->all->member[m].next) {
    const struct gpm_stretch *s = &g->all->stretch[g->all->member[m].stretch];
    if (before ? s->to <= l->first : s->from > l->last) return NULL;
  }
  return before ? "all but the first" : "all but the last";
}

/* Whether a number would not say which uses of the line are meant. */
static bool is_vague(const struct gap *g, const struct gpm_advise_uses *l, bool before) {
  return g->count > 1 && g->count < l->times && (g->count + 1 < l->times || !all_but(g, l, before));
}

/* Returns which uses of the line are meant: "the 2nd of its 3 uses at line 12", "all but the last
 * of its 5 uses at line 12"; null: all of them. */
static char *some_uses(const struct gap *g, const struct gpm_advise_uses *l, bool before,
                       const char *line) {
  if (g->count >= l->times) return NULL;
  if (g->count > 1)
    return gpm_memory_format("%s of its %" PRIu64 " uses at %s", all_but(g, l, before), l->times,
                             line);
  char *which = gpm_advise_ordinal(l->number),
       *text = gpm_memory_format("the %s of its %" PRIu64 " uses at %s", which, l->times, line);
  free(which);
  return text;
}

/* The use before a gap is named by the one behind it. Of idle memory that one overwrites all of it,
 * which others of its line need not do. */
static void gap_by_next(const struct gap *g, const char *to, const char *back, char **after,
                        char **before) {
  bool idle = g->change->rule == GPM_ADVICE_IDLE;
  *after = gpm_memory_format("its use at %s if its next use%s at %s%s", to, idle ? "," : " is",
                             back, idle ? ", overwrites all of it" : "");
  *before = gpm_memory_text("that");
}

/* Whether a line is no moment by itself, since others may reach it, too. */
static bool is_for_others(const struct gap *g, uint32_t record) {
  return gpm_advise_is_elsewhere(g->all->uses->profile, g->change, record) ||
         gpm_uses_repeats(g->all->uses, site_of(g, record));
}

static void gap_of_one(const struct gap *g, const char *to, const char *back, char **after,
                       char **before) {
  const struct gpm_line_change *c = g->change;
  struct gpm_advise_uses from = uses_of(g, c->to, c->frees),
                         next = uses_of(g, c->back, c->allocates);
  next.number = g->out ? next.times : next.number + 1;
  if (is_vague(g, &from, false) || is_vague(g, &next, true))
    return gap_by_next(g, to, back, after, before);
  *after = some_uses(g, &from, false, to);
  *before = some_uses(g, &next, true, back);
  if (!*before) {
    bool is_one_of_many = *after || is_for_others(g, c->to) || is_for_others(g, c->back);
    *before = is_one_of_many && !g->out ? gpm_memory_format("its next use at %s", back)
                                        : gpm_memory_text(back);
  }
  if (!*after)
    *after = is_for_others(g, c->to) ? gpm_memory_format("its use at %s", to) : gpm_memory_text(to);
}

/* ---- several blocks ----------------------------------------------------------------------------
 */

static void gap_of_each(const struct gap *g, const char *to, const char *back, char **after,
                        char **before) {
  if (!g->out) return gap_by_next(g, to, back, after, before);
  *after = gpm_memory_format("its last but one use, at %s,", to);
  *before = gpm_memory_format("its last use, at %s", back);
}

/* ------------------------------------------------------------------------------------------------
 */

static uint64_t stretches_of(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  uint64_t count = 0;
  for (uint32_t m = c->first; m != GPUMEMPROF_NONE; m = all->member[m].next) count++;
  return count;
}

void gpm_advise_gap(const struct gpm_line_changes *all, const struct gpm_line_change *c,
                    const char *to, const char *back, char **after, char **before) {
  bool out = c->rule == GPM_ADVICE_IDLE_OUT,
       gap = out || c->rule == GPM_ADVICE_IDLE || c->rule == GPM_ADVICE_IDLE_COPY;
  if (!gap) {
    *after = gpm_memory_text(to);
    *before = gpm_memory_text(back);
    return;
  }
  struct gap g = {all, c, out, out ? c->blocks : stretches_of(all, c)};
  if (c->blocks == 1) gap_of_one(&g, to, back, after, before);
  else gap_of_each(&g, to, back, after, before);
}
