/* live.h - a few sums of a capture that grows, for a line of progress. */
#ifndef GPM_TOOLS_LIVE_H
#define GPM_TOOLS_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_live {
  int fd;
  uint64_t walked; /* bytes of the file whose chunks are known */
  struct gpm_live_chunk {
    uint64_t at, size;
    uint32_t type;
  } *chunks; /* those of devices and cells */
  size_t count;
};

struct gpm_live_sums {
  uint64_t live, peak; /* bytes on GPUs; the peaks of several GPUs are added */
  uint64_t allocations;
};

/* False: it cannot be opened. */
bool gpm_live_open(struct gpm_live *live, const char *path);
/* False: the figures are not available at this moment. */
bool gpm_live_read(struct gpm_live *live, struct gpm_live_sums *sums);
void gpm_live_close(struct gpm_live *live);

#endif
