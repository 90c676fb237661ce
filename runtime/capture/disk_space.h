/* disk_space.h - whether disk space that a file has is the file's for good. */
#ifndef GPM_DISK_SPACE_H
#define GPM_DISK_SPACE_H

#include <stdbool.h>

/* Of a file that is empty as yet, within gpm_private_files_run: whether a store to a mapping of it
 * can rely on space that was allocated before. Switches copy-on-write off for the file, if that is
 * what it takes. */
bool gpm_disk_space_lasts(int fd);

#endif /* GPM_DISK_SPACE_H */
