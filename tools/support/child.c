/* child.c - see child.h. */
#include "support/child.h"

#include "support/program.h"
#include "support/say.h"

#include <string.h>

error_t gpm_child_argument(int key, struct argp_state *state, int *first, const char *example) {
  if (key == ARGP_KEY_NO_ARGS) argp_error(state, "which program? %s", example);
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  *first = state->next - 1;
  state->next = state->argc;
  return 0;
}

char *gpm_child_find(const char *name) {
  char *path = gpm_program_find(name);
  if (!path)
    gpm_say("%s: there is no such program%s", name,
            strchr(name, '/') ? "" : " in PATH; one of this folder is called ./NAME");
  return path;
}

void gpm_child_failed(const char *path, int error) {
  gpm_say("%s could not be started: %s", path, strerror(error));
}
