/* used_span.h - the first and the last use of a block, and what is known of those between. A use is
 * one that is certain, or an operation that may use it. line_changes.c finds changes from it.
 */
#ifndef GPM_TOOLS_USED_SPAN_H
#define GPM_TOOLS_USED_SPAN_H

#include "uses/uses.h"

struct gpm_used_span {
  bool used;                           /* at all; else the others are 0 */
  uint32_t first, body, last;          /* positions: u1, ub (NONE: all uses are fills), un */
  uint32_t to_first, to_body, to_last; /* records of USES */
  bool first_may, body_may, last_may;  /* that one is not certain */
  bool any_may;                        /* one of them is not */
  /* Of the fills before `body`: each is with a value, or a copy whose source still had the content
   * at `body`; there is such a copy; one was changed by then. */
  bool fills_are_known, fills_unchanged, fills_changed;
  bool written_only;     /* all are certain, and none reads */
  bool streams, threads; /* several may use it; others than the one that allocated it may */
  bool launched;         /* a kernel was given it */
};
struct gpm_used_span gpm_used_span_of(const struct gpm_uses *uses,
                                      const struct gpm_use_block *block);

/* Fills in the positions from the first use that is certain to behind the last one. False: there is
 * none; then *from is NONE and *end 0. */
bool gpm_used_certainly(const struct gpm_uses *uses, const struct gpm_use_block *block,
                        uint32_t *from, uint32_t *end);

#endif
