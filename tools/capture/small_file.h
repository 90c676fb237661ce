/* small_file.h - opens a small text file that the user names: suppressions. A file that has no end,
 * or that would block forever, is an error. */
#ifndef GPM_TOOLS_SMALL_FILE_H
#define GPM_TOOLS_SMALL_FILE_H

#include <stdio.h>

/* A file, /dev/null, or a pipe of the shell's (/dev/stdin, <(...)). Null, or a sentence that it can
 * not read `what`, and why, to be freed. */
char *gpm_small_file_open(const char *what, const char *path, FILE **opened);

#endif
