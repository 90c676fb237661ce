/* report.h - the options of `gpumemprof report`, and the functions that print it. */
#ifndef GPM_TOOLS_REPORT_H
#define GPM_TOOLS_REPORT_H

#include "analysis/small_variables.h"
#include "input/command.h"
#include "model/patterns.h"
#include "rows/groups.h"
#include "rows/order.h"

struct gpm_report {
  struct gpm_input input;
  enum gpm_by by;
  bool by_given, grouped;
  enum gpm_by second;       /* when grouped */
  struct gpm_groups groups; /* when grouped: the parts of each row */
  unsigned sort;
  struct gpm_choice choice;
  bool explain;
  bool suggests;            /* the last line names the next command */
  char *advice;             /* what `advise` says in one line, for the lines after it; or null */
  enum gpm_figure least_of; /* the figure that --min applies to */
  uint32_t hidden;          /* the count of rows that --min hides */
  /* A table that shows only some rows leaves out ... */
  uint32_t zeros;                   /* ... rows that are 0 in every column, ... */
  uint32_t frees;                   /* ... of which so many only free memory, ... */
  struct gpm_small_rows small_rows; /* ... and variables in device memory that fill no page */
};

/* cmd_report.c: parses the command line of `report` or `lifetimes`, with the options that both
 * have. Returns false if --columns asked for help, which then was printed. */
bool gpm_report_begin(struct gpm_report *report, const struct gpm_command *command, int argc,
                      char **argv, argp_parser_t parser);
/* cmd_report.c: removes the rows that --min hides from the order, and counts them. */
void gpm_report_hide_small(struct gpm_report *report, const struct gpm_rows *rows,
                           struct gpm_order *order);
/* Does the same with rows that a table that shows only some rows leaves out. */
void gpm_report_leave_out(struct gpm_report *report, struct gpm_rows *rows,
                          struct gpm_order *order);

/* report_print.c: whether rows that free more than they allocate have a note that says whose memory
 * it is: in reports with a column of net figures, or --verbose. */
bool gpm_report_has_notes(const struct gpm_report *report);
/* report_print.c: prints the first `count` rows of the order. */
void gpm_report_print(const struct gpm_report *report, const struct gpm_rows *rows,
                      const struct gpm_order *order, uint32_t count);

#endif
