/* call_costs.h - the call paths of a program as a call graph: what each line allocates itself, and
 * what it allocates through each function that it calls, as callgrind's format has it.
 *
 * A viewer adds up the calls of a function to its inclusive figure. That sum would count a path
 * several times if the function occurs in it several times. So each path is counted at the call
 * that enters a function first, and the calls that enter it again lead to a function of their own,
 * "walk'2", which calls nothing. The first of them has the figures of the path once more.
 */
#ifndef GPM_TOOLS_CALL_COSTS_H
#define GPM_TOOLS_CALL_COSTS_H

#include "export/export.h"
#include "support/map.h"

enum {
#define GPM_EXPORT_VALUE(name) +1
  GPM_EXPORT_VALUE_COUNT = 0 GPM_EXPORT_VALUES(GPM_EXPORT_VALUE)
#undef GPM_EXPORT_VALUE
};

struct gpm_call_cost {
  uint32_t function, line; /* function NONE: a path begins with the callee */
  uint32_t callee;         /* NONE: these are the figures of the line itself */
  bool repeats;            /* the callee has been entered before */
  uint64_t calls;          /* 0: not known */
  uint64_t value[GPM_EXPORT_VALUE_COUNT];
};

struct gpm_call_costs {
  const struct gpm_export *x;
  struct gpm_keys functions;
  uint32_t *of_frame;         /* the function of a frame */
  uint32_t *frame_of;         /* a frame of a function, or NONE */
  uint32_t *start;            /* the line on which a function starts; 0: it is not known */
  struct gpm_call_cost *cost; /* by function, then by line; those without a caller come last */
  uint64_t count, room;
  struct gpm_map by_content;
  uint64_t total[GPM_EXPORT_VALUE_COUNT];
};

void gpm_call_costs_make(struct gpm_call_costs *costs, const struct gpm_export *x);
void gpm_call_costs_free(struct gpm_call_costs *costs);

#endif
