/* install.c - see install.h. */
#include "support/install.h"

#include "support/memory.h"
#include "support/say.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *gpm_install_path(const char *name) {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  char *slash = NULL;
  if (length > 0) {
    self[length] = 0;
    for (int i = 0; i < 2 && (slash = strrchr(self, '/')); i++) *slash = 0; /* the name, then bin */
  }
  if (!slash) {
    gpm_say("cannot find its own installation: /proc/self/exe is not readable");
    exit(GPM_EXIT_USAGE);
  }
  return gpm_memory_format("%s/%s", self, name);
}

char *gpm_install_library(const char *name) {
  char *installed = gpm_memory_format(GPM_LIBRARIES "/%s", name),
       *path = gpm_install_path(installed);
  free(installed);
  if (gpm_install_has(path)) return path;
  free(path);
  char *built = gpm_memory_format("lib/%s", name);
  path = gpm_install_path(built);
  free(built);
  return path;
}

bool gpm_install_has(const char *path) {
  return !access(path, R_OK);
}
