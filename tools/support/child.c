/* child.c - see child.h. */
#include "support/child.h"

#include "support/program.h"
#include "support/say.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

error_t gpm_child_argument(int key, struct argp_state *state, int *first, const char *example) {
  if (key == ARGP_KEY_NO_ARGS) argp_error(state, "which program? %s", example);
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  *first = state->next - 1;
  state->next = state->argc;
  return 0;
}

static void say_why_not(const char *name) {
  struct stat st;
  if (!strchr(name, '/'))
    gpm_say("%s: there is no such program in PATH; one of this folder is called ./NAME", name);
  else if (stat(name, &st)) {
    if (errno == ENOENT || errno == ENOTDIR) gpm_say("%s: there is no such program", name);
    else gpm_say("%s: %s", name, strerror(errno));
  } else if (S_ISDIR(st.st_mode)) gpm_say("%s is a folder; name the program in it", name);
  else if (S_ISREG(st.st_mode))
    gpm_say("%s is not executable for you; `chmod +x` makes a program or script so", name);
  else gpm_say("%s is not a file that can be executed", name);
}

char *gpm_child_find(const char *name) {
  char *path = gpm_program_find(name);
  if (!path) say_why_not(name);
  return path;
}

void gpm_child_failed(const char *path, int error) {
  gpm_say("%s could not be started: %s", path, strerror(error));
}
