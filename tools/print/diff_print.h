/* diff_print.h - what two captures differ in (diff.h), as a table, as JSON and as CSV. */
#ifndef GPM_TOOLS_DIFF_PRINT_H
#define GPM_TOOLS_DIFF_PRINT_H

#include "comparison/diff.h"
#include "input/command.h"

#include <jansson.h>

/* In the format that the options ask for. */
void gpm_diff_print(const struct gpm_diff *diff, const struct gpm_input *input);
/* What JSON says of one of the captures; an item of `rows`. */
json_t *gpm_diff_side_json(const struct gpm_side *side);
json_t *gpm_diff_row_json(const struct gpm_diff *diff, const struct gpm_matched *pair);
void gpm_diff_print_table(const struct gpm_diff *diff,
                          const struct gpm_input *input); /* diff_table.c */

#endif
