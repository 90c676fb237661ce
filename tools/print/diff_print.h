/* diff_print.h - prints the differences of two captures (diff.h), as a table, as JSON and as
 * CSV. */
#ifndef GPM_TOOLS_DIFF_PRINT_H
#define GPM_TOOLS_DIFF_PRINT_H

#include "comparison/diff.h"
#include "input/command.h"

#include <jansson.h>

/* Prints in the format that the options select. */
void gpm_diff_print(struct gpm_diff *diff, const struct gpm_input *input);
/* Return the JSON of one of the captures, and an item of `rows`. */
json_t *gpm_diff_side_json(const struct gpm_side *side);
json_t *gpm_diff_row_json(const struct gpm_diff *diff, const struct gpm_matched *pair);
/* diff_table.c; `idle` rows were left out. */
void gpm_diff_print_table(const struct gpm_diff *diff, const struct gpm_input *input,
                          uint32_t idle);
/* diff_table.c: removes the rows that allocated nothing, as `report` does; returns how many. */
uint32_t gpm_diff_leave_out_idle(struct gpm_diff *diff);

#endif
