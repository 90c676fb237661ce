/* replace.h - gives a new file a name that an older capture may have, which is replaced, or another
 * file, which stays. */
#ifndef GPM_REPLACE_H
#define GPM_REPLACE_H

#include <stddef.h>

/* All of them are called within gpm_private_files_run. They return 0 or an errno value; EEXIST: a
 * file that is no capture has the name; EBUSY: the capture of a running process has it. */

/* Whether a new file may have this name. */
int gpm_replace_check(const char *path);
/* Makes the name PATH.PID.TASK.tmp for a file that is not complete yet, and removes such files
 * beside PATH that killed processes left. */
int gpm_replace_beside(const char *path, char *beside, size_t size);
/* Renames the file `beside` to `path`; on an error `beside` is removed. */
int gpm_replace_put(const char *beside, const char *path);
/* Gives an open file that has no name yet the name `path`. */
int gpm_replace_link(int fd, const char *path);

#endif /* GPM_REPLACE_H */
