/* blocks.h - the blocks of the history, and a step: an event with its block and the call that made
 * it, as exports and analyses get it. listeners.c delivers steps to any number of listeners.
 *
 *   address --> block, the latest at that address
 *
 * Memory is bounded by the number of addresses that a program ever used: a free has no size, which
 * is found by its address.
 */
#ifndef GPM_TOOLS_BLOCKS_H
#define GPM_TOOLS_BLOCKS_H

#include "events/history.h"
#include "model/profile.h"
#include "support/map.h"
#include "support/memory.h"

struct gpm_walk_block {
  uint64_t address;        /* as in the history: history.h */
  uint64_t unique_address; /* an address that no other live block has: the block's own, or an
                              invented one */
  uint64_t bytes, padding;
  uint64_t clock, time_ns; /* of its allocation */
  uint32_t cell, device;
  uint32_t thread;     /* the thread that allocated it */
  uint32_t generation; /* how many blocks this address has had, this one included */
  bool live;
  uint64_t room; /* bytes at an invented address */
};

struct gpm_step {
  struct gpm_event event;
  uint64_t time_ns;
  uint32_t node;                      /* the call, or the scope that ended */
  uint32_t kind;                      /* kind of the block's memory */
  const struct gpm_walk_block *block; /* null for SCOPE_ENDED and FAILED */
};

/* The blocks of the cells that a profile shows; a null profile shows all. */
struct gpm_blocks {
  const struct gpm_reader *reader;
  const struct gpm_profile *profile;
  struct gpm_map by_address;
  struct gpm_walk_block *block; /* live or not, in the order in which their addresses were seen */
  size_t count, room;
  uint64_t next_invented;
};

struct gpm_blocks gpm_blocks_of(const struct gpm_reader *reader, const struct gpm_profile *profile);
/* Updates the block of step->event and fills the members that follow from it; the caller has set
 * step->time_ns. Returns false if the event is left out, because the profile does not show it, or
 * because it frees a block whose allocation is not among the events. */
bool gpm_blocks_step(struct gpm_blocks *blocks, struct gpm_step *step);
void gpm_blocks_free(struct gpm_blocks *blocks);

#endif
