/* selection.h - prints above and below rows which part of a capture the shared options select: the
 * window and the patterns (--from, --to, --filter), and how many rows --min hides. */
#ifndef GPM_TOOLS_SELECTION_H
#define GPM_TOOLS_SELECTION_H

#include "input/command.h"

#include <jansson.h>

/* Prints the selection above rows of several captures, or nothing if everything is selected. */
void gpm_selection_print(const struct gpm_input *input);
/* Returns "--device 0 --filter function=solve and type=float", or null if all memory is selected.
 * To be freed. */
char *gpm_selection_text(const struct gpm_input *input);
/* Adds what gpm_selection_print prints as fields of a JSON report. */
void gpm_selection_json(json_t *report, const struct gpm_input *input);

/* Prints "3 rows with less than 1.00 MiB in `at peak` are hidden (--min)". */
void gpm_selection_print_hidden(const struct gpm_input *input, uint32_t hidden, const char *title);
/* Returns the field `hidden` of a JSON report, or null if --min is not given. */
json_t *gpm_selection_hidden_json(const struct gpm_input *input, uint32_t hidden, const char *key);

#endif
