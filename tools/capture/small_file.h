/* small_file.h - reads a small text file that the user names: suppressions. A file that has no end,
 * or that would block forever, is an error. */
#ifndef GPM_TOOLS_SMALL_FILE_H
#define GPM_TOOLS_SMALL_FILE_H

#include <stddef.h>

/* Reads a file, /dev/null, or a pipe of the shell's (/dev/stdin, <(...)). Returns null and sets
 * *text, which has a zero byte after its *length bytes, or returns a sentence that `what` can not
 * be read, and why. The caller frees either. */
char *gpm_small_file_read(const char *what, const char *path, char **text, size_t *length);

#endif
