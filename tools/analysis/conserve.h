/* conserve.h - does the bookkeeping add up? allocated - freed = live (of a part of
 * the run: live before + allocated - freed), per device and kind, in bytes
 * and blocks. Cells, pairs and ledgers are recorded apart from each other, so that they can
 * contradict. */
#ifndef GPM_TOOLS_CONSERVE_H
#define GPM_TOOLS_CONSERVE_H

#include "capture/reader.h"

/* Sums of all devices and kinds but custom: pieces lie in memory that is counted already. They are
 * checked as the others are. */
struct gpm_conservation {
  uint64_t allocated, freed, live;
  uint64_t allocated_blocks, freed_blocks, live_blocks;
  uint64_t older, older_blocks; /* of a part of the run: what was live when it began */
  bool ok;
  char *fault; /* the first contradiction, in words; null when ok. To be freed */
};

struct gpm_conservation gpm_conserve(const struct gpm_reader *reader);

#endif
