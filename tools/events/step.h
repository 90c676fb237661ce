/* step.h - an event with the block it is about, and where it was made: what exports and analyses
 * are told. walk.c hands steps out one by one, listeners.c to any number of listeners.
 *
 *   address --> block, the latest that lay there
 *
 * Memory is bounded by the addresses a program ever used, which is what tells a free its bytes.
 */
#ifndef GPM_TOOLS_STEP_H
#define GPM_TOOLS_STEP_H

#include "events/history.h"
#include "model/profile.h"
#include "support/memory.h"

struct gpm_walk_block {
  uint64_t address; /* as in the history: history.h */
  uint64_t place;   /* one that is no other live block's: that address, or a made one */
  uint64_t bytes, padding;
  uint64_t clock, time_ns; /* of its allocation */
  uint32_t cell, device;
  uint32_t thread; /* that allocated it */
  uint32_t lives;  /* how often there was a block at that address, this included */
  bool live;
  uint64_t room; /* bytes at a made place */
};

struct gpm_step {
  struct gpm_event event;
  uint64_t time_ns;
  uint32_t node;                      /* of the call, or the scope that ended */
  uint32_t kind;                      /* of memory, of the block */
  const struct gpm_walk_block *block; /* null for SCOPE_ENDED and FAILED */
};

/* Blocks of those cells that a profile shows; null: of all. */
struct gpm_blocks {
  const struct gpm_reader *reader;
  const struct gpm_profile *profile;
  struct gpm_map by_address;
  struct gpm_walk_block *block; /* live or not, in the order in which their addresses were seen */
  size_t count, room;
  uint64_t next_place;
};

struct gpm_blocks gpm_blocks_of(const struct gpm_reader *reader, const struct gpm_profile *profile);
/* Changes the block that step->event is about and fills what follows from it; step->time_ns is set.
 * False: the event is left out, for the profile does not show it, or it is a free of a block whose
 * allocation is not among the events. */
bool gpm_blocks_step(struct gpm_blocks *blocks, struct gpm_step *step);
void gpm_blocks_free(struct gpm_blocks *blocks);

#endif
