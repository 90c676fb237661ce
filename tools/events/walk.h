/* walk.h - the history step by step for exports, each event with the block it is about (step.h);
 * for analyses: listeners.h, whose walk has any number of them.
 *
 * Left out are events of what the options leave out, and frees of blocks whose allocation is not
 * among the events.
 */
#ifndef GPM_TOOLS_WALK_H
#define GPM_TOOLS_WALK_H

#include "events/listeners.h"

struct gpm_walk;
/* profile: what its options leave out is left out; null: nothing is. Null after it said what is
 * wrong. */
struct gpm_walk *gpm_walk_open(struct gpm_reader *reader, const struct gpm_profile *profile);
/* From then on the walk ends before the first tick of the clock whose event is missing, as a
 * listener that stops does (listeners.h). */
void gpm_walk_stop_at_gap(struct gpm_walk *walk);
bool gpm_walk_next(struct gpm_walk *walk, struct gpm_step *step);
/* Blocks that were ever seen, live or not, by number; null behind the last. */
const struct gpm_walk_block *gpm_walk_block(const struct gpm_walk *walk, size_t number);
/* False after it said that the capture is damaged. */
bool gpm_walk_close(struct gpm_walk *walk);
/* gpm_listeners_tell; false after it said what is wrong. */
bool gpm_walk_tell(struct gpm_reader *reader, const struct gpm_listener *listener, size_t count);
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
