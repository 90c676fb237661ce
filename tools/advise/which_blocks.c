/* which_blocks.c - which of the blocks that a line allocates a change is about, in words
 * (advise.h): an edit of the line would change all of them.
 */
#include "advise/advise.h"

#include "support/string.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns "12 blocks", or which of those that the line allocates are meant: "the 2nd of its 5
 * blocks", "the 2nd to 4th of its 5 blocks". */
static char *which_of(const struct gpm_advice *a, const struct gpm_line_change *c, uint64_t all) {
  if (c->blocks >= all) return gpm_memory_format("%" PRIu64 " blocks", c->blocks);
  uint32_t from = a->place[c->earliest], to = a->place[c->latest];
  char *first = gpm_advise_ordinal(from), *last = gpm_advise_ordinal(to), *text;
  if (c->blocks == 1) text = gpm_memory_format("the %s of its %" PRIu64 " blocks", first, all);
  else if (c->blocks == 2 || c->blocks == (uint64_t)to - from + 1)
    text = gpm_memory_format("the %s %s %s of its %" PRIu64 " blocks", first,
                             c->blocks == 2 ? "and" : "to", last, all);
  else
    text = gpm_memory_format("%" PRIu64 " of its %" PRIu64 " blocks, from the %s to the %s",
                             c->blocks, all, first, last);
  free(first);
  free(last);
  return text;
}

/* Returns "8.00 MiB", "8.00 MiB each" or "2.00 MiB to 8.00 MiB each": they need not be there at the
 * same time, so their sum says nothing. */
static char *sizes_of(const struct gpm_line_change *c, unsigned style) {
  char small[GPM_TEXT_NUMBER], large[GPM_TEXT_NUMBER];
  gpm_advise_bytes(small, c->smallest, style);
  gpm_advise_bytes(large, c->largest, style);
  if (c->blocks == 1) return gpm_memory_text(small);
  return strcmp(small, large) != 0 ? gpm_memory_format("%s to %s each", small, large)
                                   : gpm_memory_format("%s each", small);
}

/* ---- blocks that share one ---------------------------------------------------------------------
 */

enum { MOST_NAMED = 8 };

/* Whether a block is one of those that a change of NO_OVERLAP removes. */
static bool is_removed(const struct gpm_line_changes *all, const struct gpm_line_change *c,
                       const struct gpm_use_block *b) {
  if (b->device != all->device || gpm_line_changes_site(all, b->node) != c->lines.allocated)
    return false;
  for (uint32_t m = c->first; m != GPUMEMPROF_NONE; m = all->member[m].next) {
    const struct gpm_stretch *s = &all->stretch[all->member[m].stretch];
    if ((int64_t)s->bytes > 0 && s->from == b->begin) return true;
  }
  return false;
}

/* Returns "; the 1st, 3rd and 4th of its 5 blocks" of the blocks that are to be one, unless they
 * are all of the line. */
static char *sharing(const struct gpm_advice *a, const struct gpm_line_changes *all,
                     const struct gpm_line_change *c) {
  uint64_t allocated = a->allocated[c->lines.allocated], count = c->blocks + 1, named = 0;
  if (count >= allocated) return gpm_memory_text("");
  if (count > MOST_NAMED)
    return gpm_memory_format("; %" PRIu64 " of its %" PRIu64 " blocks", count, allocated);
  struct gpm_string text = {NULL, 0, 0};
  for (uint32_t i = 0; i < all->uses->count && named < count; i++) {
    if (i != c->instead && !is_removed(all, c, &all->uses->block[i])) continue;
    char *which = gpm_advise_ordinal(a->place[i]);
    named++;
    gpm_string_add(&text, "%s%s", named == 1 ? "; the " : named == count ? " and " : ", ", which);
    free(which);
  }
  gpm_string_add(&text, " of its %" PRIu64 " blocks", allocated);
  return gpm_string_take(&text);
}

/* ---- blocks of other steps ---------------------------------------------------------------------
 */

/* Returns which blocks of the change another step is about, so that this one is not; or null. */
static const char *left_to(const struct gpm_line_change *other, const struct gpm_line_change *c) {
  bool frees = c->rule == GPM_ADVICE_LATE_FREE || c->rule == GPM_ADVICE_NEVER_FREED;
  switch (other->rule) {
  case GPM_ADVICE_WRITE_ONLY:
    return "that are removed";
  case GPM_ADVICE_IDLE_OUT:
    return frees ? "that are copied to the host and freed earlier" : NULL;
  case GPM_ADVICE_EARLY_ALLOC_FILL:
    return c->rule == GPM_ADVICE_EARLY_ALLOC ? "whose fill moves as well" : NULL;
  default:
    return NULL;
  }
}

/* Whether two changes remove the same stretch of a block. The members of each are in order. */
static bool meet(const struct gpm_line_changes *all, const struct gpm_line_change *a,
                 const struct gpm_line_change *b) {
  uint32_t i = a->first, k = b->first;
  while (i != GPUMEMPROF_NONE && k != GPUMEMPROF_NONE) {
    uint32_t one = all->member[i].stretch, other = all->member[k].stretch;
    if (one == other) return true;
    if (one < other) i = all->member[i].next;
    else k = all->member[k].next;
  }
  return false;
}

/* Returns "that are removed" or the like if that is what an earlier step of the finding does with
 * some blocks of the change, or null. The peak that is said of each step is that without later
 * ones.
 */
static const char *not_those(const struct gpm_advice_finding *f, const struct gpm_line_change *c) {
  for (uint32_t i = 0; c->blocks > 1 && i < f->count; i++) {
    const struct gpm_line_change *other = &f->changes->change[f->step[i]];
    if (other == c) break;
    bool same_line = other->lines.allocated == c->lines.allocated;
    const char *those = same_line ? left_to(other, c) : NULL;
    if (those && meet(f->changes, other, c)) return those;
  }
  return NULL;
}

/* ------------------------------------------------------------------------------------------------
 */

char *gpm_advise_which(const struct gpm_advise *a, const struct gpm_advice_finding *f,
                       const struct gpm_line_change *c) {
  /* The action of these has the number of blocks. */
  bool shares = c->rule == GPM_ADVICE_NO_OVERLAP || c->rule == GPM_ADVICE_NO_OVERLAP_HINT;
  if (shares) return sharing(a->advice, f->changes, c);
  uint64_t all = a->advice->allocated[c->lines.allocated];
  if (c->blocks == 1 && all == 1) return gpm_memory_text("");
  struct gpm_string text = {NULL, 0, 0};
  char *which = which_of(a->advice, c, all), *sizes = sizes_of(c, a->style);
  gpm_string_add(&text, "; %s", which);
  if (c->paths > 1) gpm_string_add(&text, " of %" PRIu32 " call paths", c->paths);
  gpm_string_add(&text, ", %s", sizes);
  const char *others = not_those(f, c);
  if (others) gpm_string_add(&text, ", but not those %s", others);
  free(which);
  free(sizes);
  return gpm_string_take(&text);
}
