/* conserve.h - checks conservation: allocated - freed = live (with a window: live before +
 * allocated - freed), per device and kind, in bytes and blocks. Cells, pairs and ledgers are
 * recorded independently of each other, so a mistake in one of them shows as a contradiction. */
#ifndef GPM_TOOLS_CONSERVE_H
#define GPM_TOOLS_CONSERVE_H

#include "capture/reader.h"

/* Sums over all devices and kinds except custom: pieces lie in memory that is counted already. They
 * are checked like the others. */
struct gpm_conservation {
  uint64_t allocated, freed, live;
  uint64_t allocated_blocks, freed_blocks, live_blocks;
  uint64_t older, older_blocks; /* with a window: what was live when it began */
  bool ok;
  char *fault; /* the first contradiction, in words; null when ok. The caller frees it */
};

struct gpm_conservation gpm_conserve(const struct gpm_reader *reader);

#endif
