/* line_groups.h - what many lines have together, none of which has much: the lines of one function,
 * or those that one call leads to. For the sentences of answers, which would name the largest line
 * otherwise, although it says nothing.
 *
 *   41 lines with 2 % each, all in load() ---> "41 lines of load in weights.cu"
 */
#ifndef GPM_TOOLS_LINE_GROUPS_H
#define GPM_TOOLS_LINE_GROUPS_H

#include "model/profile.h"

/* What one call path has; several may end in the same line. */
struct gpm_line_part {
  uint32_t node;
  uint64_t bytes, blocks;
};
struct gpm_line_group {
  char *where; /* "41 lines of load in weights.cu", "9 lines below main.cu:7 main"; to be freed */
  uint64_t bytes, blocks;
  uint32_t lines;
};

/* Finds the function whose lines have more than half of `total`. False: there is none, or one line
 * has a tenth of the total or more, and so deserves to be named. */
bool gpm_line_groups_by_function(struct gpm_line_group *group, const struct gpm_profile *profile,
                                 const struct gpm_line_part *parts, uint32_t count, uint64_t total);
/* The same of calls: finds the innermost one that leads to more than half of the total. */
bool gpm_line_groups_by_call(struct gpm_line_group *group, const struct gpm_profile *profile,
                             const struct gpm_line_part *parts, uint32_t count, uint64_t total);

#endif
