/* identity.h - whether two captures are of one process: what diff, check and html have to know,
 * since a capture that is compared with itself has not changed, and merge, which counts each
 * process once. */
#ifndef GPM_TOOLS_IDENTITY_H
#define GPM_TOOLS_IDENTITY_H

#include "capture/reader.h"

enum gpm_identity {
  GPM_IDENTITY_OTHER,
  GPM_IDENTITY_SAME_PROCESS, /* at two moments of it: a copy that was made while it ran */
  GPM_IDENTITY_SAME_CAPTURE  /* one file, or the same again under another name */
};

/* A text that identifies the process of a capture and differs for any other process; to be freed.
 */
char *gpm_identity_text(const struct gpumemprof_capture_header *header);
/* Whether two headers are of one process, perhaps of two moments of it. */
bool gpm_identity_is_same(const struct gpumemprof_capture_header *a,
                          const struct gpumemprof_capture_header *b);
enum gpm_identity gpm_identity_compare(const struct gpm_reader *a, const struct gpm_reader *b);

/* For a command that compares a capture with a base. False: both are one, which was reported.
 * named: the user named the capture, else it is the newest of a folder. */
bool gpm_identity_are_two(const struct gpm_reader *reader, const struct gpm_reader *base,
                          bool named, const char *command);

#endif
