/* walk.h - the history for exports and for what only events tell: each event with the block it is
 * about, and where it was made.
 *
 * Memory is bounded by the addresses a program ever used, which is what tells a free its bytes.
 * Left out are events of what the options leave out, and frees of blocks whose allocation is not
 * among the events.
 */
#ifndef GPM_TOOLS_WALK_H
#define GPM_TOOLS_WALK_H

#include "events/history.h"
#include "model/profile.h"

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

struct gpm_walk;
/* profile: what its options leave out is left out; null: nothing is. Null after it said what is
 * wrong. */
struct gpm_walk *gpm_walk_open(struct gpm_reader *reader, const struct gpm_profile *profile);
/* Ends it before the first tick of the clock whose event is missing: of a program that runs, or was
 * killed, one thread's events may be there further than another's, and totals would be wrong. For a
 * whole history (gpm_walk_is_whole). */
void gpm_walk_stop_at_gap(struct gpm_walk *walk);
/* The tick of the latest event, left out or not. */
uint64_t gpm_walk_clock(const struct gpm_walk *walk);
bool gpm_walk_next(struct gpm_walk *walk, struct gpm_step *step);
/* Blocks that were ever seen, live or not, by number; null behind the last. */
const struct gpm_walk_block *gpm_walk_block(const struct gpm_walk *walk, size_t number);
/* The number of the block of a step. */
size_t gpm_walk_number(const struct gpm_walk *walk, const struct gpm_walk_block *block);
/* False after it said that the capture is damaged. */
bool gpm_walk_close(struct gpm_walk *walk);
/* All events of the run are there: what is live can be told at each. */
bool gpm_walk_is_whole(const struct gpm_reader *reader);
/* The same, and there are some. */
static inline bool gpm_walk_knows_all(const struct gpm_reader *reader) {
  return reader->event_chunks && gpm_walk_is_whole(reader);
}
/* gpm_walk_knows_all; false after it said that `what` ("a timeline") needs them, and how to record
 * them. */
bool gpm_walk_has_all(const struct gpm_reader *reader, const char *what);
/* As the program knows it: a piece's is told from that of the memory it lies in. */
static inline uint64_t gpm_walk_address(uint64_t address) {
  return address >> 63 ? address & (((uint64_t)1 << 48) - 1) : address;
}

#endif
