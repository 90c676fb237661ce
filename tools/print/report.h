/* report.h - what `gpumemprof report` was asked for, and the forms it is printed in. */
#ifndef GPM_TOOLS_REPORT_H
#define GPM_TOOLS_REPORT_H

#include "analysis/trifles.h"
#include "input/command.h"
#include "model/patterns.h"
#include "rows/groups.h"
#include "rows/order.h"

struct gpm_report {
  struct gpm_input input;
  enum gpm_by by;
  bool by_given, grouped;
  enum gpm_by second;       /* when grouped */
  struct gpm_groups groups; /* then: the parts of each row */
  unsigned sort;
  struct gpm_choice choice;
  bool explain;
  enum gpm_figure least_of; /* what --min is of */
  uint32_t hidden;          /* rows with less */
  /* What is left out of a table that shows only some rows: ... */
  uint32_t zeros;             /* ... rows that are 0 in every column, ... */
  struct gpm_trifles trifles; /* ... and variables in device memory that fill no page */
};

/* cmd_report.c: takes rows out of the order that --min hides, and counts them. */
void gpm_report_hide_small(struct gpm_report *report, const struct gpm_rows *rows,
                           struct gpm_order *order);
/* The same of what a table that shows only some rows is not for. */
void gpm_report_leave_out(struct gpm_report *report, struct gpm_rows *rows,
                          struct gpm_order *order);

/* report_print.c: the first `count` rows of the order. */
void gpm_report_print(const struct gpm_report *report, const struct gpm_rows *rows,
                      const struct gpm_order *order, uint32_t count);

#endif
