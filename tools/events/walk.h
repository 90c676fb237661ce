/* walk.h - the history step by step, for exports: each event with its block (step.h). Analyses use
 * listeners.h, where any number of listeners share one walk.
 *
 * The walk leaves out events that the options leave out, and frees of blocks whose allocation is
 * not among the events.
 */
#ifndef GPM_TOOLS_WALK_H
#define GPM_TOOLS_WALK_H

#include "events/listeners.h"

struct gpm_walk;
/* profile: what its options leave out is left out; null: nothing is. Returns null after it reported
 * what is wrong. */
struct gpm_walk *gpm_walk_open(struct gpm_reader *reader, const struct gpm_profile *profile);
/* Makes the walk end before the first tick of the clock whose event is missing, as a listener with
 * `stops` does (listeners.h). */
void gpm_walk_stop_at_gap(struct gpm_walk *walk);
bool gpm_walk_next(struct gpm_walk *walk, struct gpm_step *step);
/* The blocks of the walk so far, live or not, by number; null after the last. */
const struct gpm_walk_block *gpm_walk_block(const struct gpm_walk *walk, size_t number);
/* Returns false after it reported that the capture is damaged. */
bool gpm_walk_close(struct gpm_walk *walk);
/* Calls gpm_listeners_tell; returns false after it reported what is wrong. */
bool gpm_walk_tell(struct gpm_reader *reader, const struct gpm_listener *listener, size_t count);
/* True if no event of the run is missing, so that what is live is known at each event. */
bool gpm_walk_is_whole(const struct gpm_reader *reader);
/* The same, and the capture has events. */
static inline bool gpm_walk_knows_all(const struct gpm_reader *reader) {
  return reader->event_chunks && gpm_walk_is_whole(reader);
}
/* Like gpm_walk_knows_all; if false, it reports that `what` ("a timeline") needs all events, and
 * how to record them. */
bool gpm_walk_has_all(const struct gpm_reader *reader, const char *what);
/* The address as the program knows it. The history marks the address of a piece, to distinguish it
 * from the address of the segment that it lies in. */
static inline uint64_t gpm_walk_address(uint64_t address) {
  return address >> 63 ? address & (((uint64_t)1 << 48) - 1) : address;
}

#endif
