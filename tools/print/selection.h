/* selection.h - what the shared options left of a capture, said above and below rows: the window
 * and the patterns they are of (--from, --to, --filter), and how many --min hides. */
#ifndef GPM_TOOLS_SELECTION_H
#define GPM_TOOLS_SELECTION_H

#include "input/command.h"

#include <jansson.h>

/* Above rows of several captures; nothing where they are of all there is. */
void gpm_selection_print(const struct gpm_input *input);
/* The same as fields of a JSON report. */
void gpm_selection_json(json_t *report, const struct gpm_input *input);

/* "3 rows with less than 1.00 MiB in `at peak` are hidden (--min)" */
void gpm_selection_print_hidden(const struct gpm_input *input, uint32_t hidden, const char *title);
/* The field `hidden` of a JSON report; null where --min is not given. */
json_t *gpm_selection_hidden_json(const struct gpm_input *input, uint32_t hidden, const char *key);

#endif
