/* device_code.h - which device code a rebuilt program or library has, for readers that look into
 * its file later: see device_code.c.
 */
#ifndef GPM_DEVICE_CODE_H
#define GPM_DEVICE_CODE_H

#include "uses/object_file.h"

void gpm_device_code_start(void);
/* Records the hash of what the file has, if it has any. Called within gpm_private_files_run, by one
 * busy thread at a time. path: of the file. */
void gpm_device_code_note(const struct gpm_object_file *file, const char *path);

#endif /* GPM_DEVICE_CODE_H */
