/* shared_folder.h - the folder that all files of a program have in common: "/home/me/app/src/".
 * Tables name files without it. Called by command.c when a capture was opened. */
#ifndef GPM_TOOLS_SHARED_FOLDER_H
#define GPM_TOOLS_SHARED_FOLDER_H

#include "capture/reader.h"

/* Returns the part that `folder` and the files of the capture have in common, up to a slash;
 * `folder` null: that of the files alone. Files of the system (/usr, /opt) do not count. "" if they
 * share none. Takes ownership of `folder`; the caller frees the result. */
char *gpm_shared_folder_of(const struct gpm_reader *reader, char *folder);

#endif
