/* child.h - a program that is started for `dryrun` and `run`: which one, and what is wrong with it.
 */
#ifndef GPM_TOOLS_CHILD_H
#define GPM_TOOLS_CHILD_H

#include <argp.h>

/* For argp's keys ARGP_KEY_ARG and ARGP_KEY_NO_ARGS, with ARGP_IN_ORDER: `first` becomes the number
 * of the argument that names the program, all behind it is the program's. */
error_t gpm_child_argument(int key, struct argp_state *state, int *first, const char *example);
/* Its file, to be freed. Null after it said that there is none. */
char *gpm_child_find(const char *name);
/* Says that it could not be started; `error`: errno. */
void gpm_child_failed(const char *path, int error);

#endif
