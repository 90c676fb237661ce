/* run_options.h - GPUMEMPROF_OPTIONS of a run that `gpumemprof run` or `dryrun` starts. */
#ifndef GPM_TOOLS_RUN_OPTIONS_H
#define GPM_TOOLS_RUN_OPTIONS_H

#include <stdbool.h>

struct gpm_run_options {
  char *text;     /* key=value:key=value */
  char *output;   /* pattern of the captures' names, absolute */
  bool was_quiet; /* the environment said quiet=1 */
};

/* Initialises the options with those of the environment. */
void gpm_run_options_begin(struct gpm_run_options *o);
/* A later value replaces an earlier one. Ends the process with status 2, after a message, if the
 * option is unknown or the value does not have its type. */
void gpm_run_options_set(struct gpm_run_options *o, const char *key, const char *value);
void gpm_run_options_assign(struct gpm_run_options *o, const char *word); /* KEY=VALUE */
/* Whether the last value of an option of type BOOL is this one; false if it is not given. */
bool gpm_run_options_is(const struct gpm_run_options *o, const char *key, bool on);
/* The last value; to be freed. Null: it is not given. */
char *gpm_run_options_value(const struct gpm_run_options *o, const char *key);
/* Writes the options to the environment. False after it said what is wrong. */
bool gpm_run_options_export(struct gpm_run_options *o);
/* The signal that makes dumps in the program; 0: none does. */
int gpm_run_options_signal(const struct gpm_run_options *o);
void gpm_run_options_free(struct gpm_run_options *o);

#endif
