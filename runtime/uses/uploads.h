/* uploads.h - the addresses of blocks in memory of the host that is copied to a device: see
 * uploads.c.
 */
#ifndef GPM_UPLOADS_H
#define GPM_UPLOADS_H

#include <stdbool.h>
#include <stdint.h>

#define GPM_UPLOADS_FOUND 64u

struct gpm_upload {
  uint64_t lowest, highest;          /* blocks begin in between */
  uint64_t found[GPM_UPLOADS_FOUND]; /* where blocks begin */
  uint32_t count;
  uint32_t lookups;
  uint64_t bytes; /* that were searched */
};

void gpm_upload_begin(struct gpm_upload *upload);
/* Adds the blocks whose address is in the bytes, in words that are aligned where they are copied
 * to. False: it is not known which, because the memory cannot be read or there are too many. */
bool gpm_upload_search(struct gpm_upload *upload, uint64_t to, const void *from, uint64_t bytes);

#endif /* GPM_UPLOADS_H */
