/* values.h - the values of options that take one word of a list, for completion and the manual. */
#ifndef GPM_TOOLS_VALUES_H
#define GPM_TOOLS_VALUES_H

#include "input/command.h"

/* Visits the values of an option in order, or none if any text may follow. `text` is null if the
 * option's own help explains the value. */
void gpm_values_visit(const struct gpm_command *command, const char *option,
                      void (*visit)(void *to, const char *word, const char *text), void *to);
/* Returns what a command takes instead of a capture: words separated by blanks, or null. */
const char *gpm_values_words(const struct gpm_command *command);
/* Returns whether the value of an option is a file name. */
bool gpm_values_are_files(const struct argp_option *option);

#endif
