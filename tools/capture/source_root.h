/* source_root.h - the folder whose files are the user's own project: what a capture names outside
 * of it is not taken from disk, since a capture may name any file of this machine. */
#ifndef GPM_TOOLS_SOURCE_ROOT_H
#define GPM_TOOLS_SOURCE_ROOT_H

#include <stdbool.h>

/* `asked` (--source-root), else the top of the git repository that the working folder is in, else
 * the working folder; without links. To be freed. Null: *wrong says
 * why, to be freed, too. */
char *gpm_source_root(const char *asked, char **wrong);

/* The same for reading files. It is empty, so that no file is below it, if `asked` was not given
 * and the working folder is the root of the file system, as in containers. */
char *gpm_source_root_to_read(const char *asked, char **wrong);

/* Whether the file exists and is below the folder once links are followed. */
bool gpm_source_root_has(const char *root, const char *path);

/* The path relative to the folder, to be freed; null if it is outside. The file need not exist; if
 * it does, links are followed. */
char *gpm_source_root_below(const char *root, const char *path);

#endif
