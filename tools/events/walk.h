/* walk.h - whether a capture has the events that an analysis needs, and the walk over them that
 * reports by itself what is wrong (listeners.h).
 */
#ifndef GPM_TOOLS_WALK_H
#define GPM_TOOLS_WALK_H

#include "events/listeners.h"

/* Calls gpm_listeners_read; returns false after it reported what is wrong. */
bool gpm_walk_read(struct gpm_reader *reader, const struct gpm_listener *listener, size_t count);
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
