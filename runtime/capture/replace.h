/* replace.h - a new file takes a name that may be taken: by an older capture, or by a file that is
 * none and stays. */
#ifndef GPM_REPLACE_H
#define GPM_REPLACE_H

#include <stddef.h>

/* All of them within gpm_private_files_run. Errors are errno values, 0 is none; EEXIST: a file is
 * there that is no capture, EBUSY: the capture of a process that runs. */

/* Whether a new file may have this name. */
int gpm_replace_check(const char *path);
/* PATH.PID.TASK.tmp, for a file that is not whole yet. What killed processes left of that kind
 * beside PATH is removed. */
int gpm_replace_beside(const char *path, char *beside, size_t size);
/* The file called `beside` is now called `path`, or removed. */
int gpm_replace_put(const char *beside, const char *path);
/* An open file that has no name yet gets one. */
int gpm_replace_link(int fd, const char *path);

#endif /* GPM_REPLACE_H */
