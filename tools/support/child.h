/* child.h - the program that `dryrun` and `run` start: finds its file, and reports why it cannot be
 * started.
 */
#ifndef GPM_TOOLS_CHILD_H
#define GPM_TOOLS_CHILD_H

#include <argp.h>

/* Handles argp's keys ARGP_KEY_ARG and ARGP_KEY_NO_ARGS, with ARGP_IN_ORDER: `first` becomes the
 * index of the argument that names the program. The arguments after it belong to the program. */
error_t gpm_child_argument(int key, struct argp_state *state, int *first, const char *example);
/* The path of the program's file, to be freed. Null: there is none, which was reported. */
char *gpm_child_find(const char *name);
/* Reports that the program could not be started; `error` is an errno. */
void gpm_child_failed(const char *path, int error);

#endif
