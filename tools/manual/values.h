/* values.h - what may follow an option, where that is one of a list: for completion and manual. */
#ifndef GPM_TOOLS_VALUES_H
#define GPM_TOOLS_VALUES_H

#include "input/command.h"

/* Visits them in order; none where anything may follow. `text` is null where the option's own help
 * says it. */
void gpm_values_visit(const struct gpm_command *command, const char *option,
                      void (*visit)(void *to, const char *word, const char *text), void *to);
/* What a command takes instead of a capture: words separated by blanks, or null. */
const char *gpm_values_words(const struct gpm_command *command);
/* Whether a file's name follows an option. */
bool gpm_values_are_files(const struct argp_option *option);

#endif
