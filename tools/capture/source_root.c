/* source_root.c - see source_root.h. cmd_check.c, check_sarif.c, cmd_html.c and
 * page_sources.c call it. */
#include "capture/source_root.h"

#include "support/memory.h"
#include "support/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_repository(const char *folder) {
  char *inside = gpm_memory_format("%s/.git", folder);
  struct stat info; /* a folder, or the file of a work tree */
  bool is = !stat(inside, &info);
  free(inside);
  return is;
}

/* The nearest folder that is a repository, except the root folder; else the given one. */
static char *repository_of(char *folder) {
  char *top = gpm_memory_text(folder);
  for (char *slash; *top && !is_repository(top); *slash = '\0') slash = strrchr(top, '/');
  if (*top) {
    free(folder);
    return top;
  }
  free(top);
  return folder;
}

char *gpm_source_root(const char *asked, char **wrong) {
  char *real = realpath(asked ? asked : ".", NULL);
  struct stat info;
  if (real && !stat(real, &info) && S_ISDIR(info.st_mode))
    return asked ? real : repository_of(real);
  char *name = gpm_text_clean(asked ? asked : "the working folder");
  *wrong = gpm_memory_format("%s: %s; --source-root wants the folder of the sources", name,
                             real ? "no folder" : strerror(errno));
  free(name);
  free(real);
  return NULL;
}

char *gpm_source_root_to_read(const char *asked, char **wrong) {
  char *root = gpm_source_root(asked, wrong);
  if (root && !asked && !strcmp(root, "/")) *root = '\0';
  return root;
}

/* The part of the path after the folder; null: the path is not below it. */
static const char *behind(const char *root, const char *path) {
  if (!*root) return NULL;
  size_t length = strcmp(root, "/") ? strlen(root) : 0;
  return !strncmp(path, root, length) && path[length] == '/' ? path + length + 1 : NULL;
}

bool gpm_source_root_has(const char *root, const char *path) {
  char real[PATH_MAX];
  return realpath(path, real) && behind(root, real);
}

char *gpm_source_root_below(const char *root, const char *path) {
  char real[PATH_MAX];
  const char *rest = behind(root, realpath(path, real) ? real : path);
  return rest ? gpm_memory_text(rest) : NULL;
}
