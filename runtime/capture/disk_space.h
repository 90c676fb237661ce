/* disk_space.h - whether disk space that is allocated to a file stays usable for it. */
#ifndef GPM_DISK_SPACE_H
#define GPM_DISK_SPACE_H

#include <stdbool.h>

/* Whether a store to a mapping of the file can rely on disk space that was allocated before. The
 * file must still be empty. Switches copy-on-write off for the file if necessary. Called within
 * gpm_private_files_run. */
bool gpm_disk_space_lasts(int fd);

#endif /* GPM_DISK_SPACE_H */
