/* replay_state.h - what replay.c makes of the events and replay_compare.c holds against the
 * capture.
 */
#ifndef GPM_TOOLS_REPLAY_STATE_H
#define GPM_TOOLS_REPLAY_STATE_H

#include "events/replay.h"
#include "support/memory.h"

struct gpm_replay_cell {
  uint32_t node, device, line;
  struct gpumemprof_capture_amount allocated, freed;
  uint64_t live, min_size, max_size, padding, lifetime_clock, temporary_blocks;
  uint64_t lifetime_ticks;      /* of all freed blocks but those whose free was not seen ... */
  uint64_t timed_blocks;        /* ... and how many they are */
  uint64_t at_peak, seen_peaks; /* at_peak is of the device's peak number seen_peaks */
};
struct gpm_replay_pair {
  uint32_t cell, node;
  struct gpumemprof_capture_amount freed;
};
struct gpm_replay_line {
  uint64_t live, live_peak;
};
struct gpm_replay_node {
  uint64_t active_calls, own_peak_sum, own_peak_max, failed_calls, failed_bytes, oom_calls;
};
struct gpm_replay_device {
  uint64_t total, peak, peak_clock, peak_ticks;
  uint64_t peaks;     /* how often a new peak was reached */
  uint32_t peak_node; /* that reached it, or NONE */
};
struct gpm_replay_scope {
  uint32_t node;
  int64_t net, peak;
  uint64_t since; /* clock of its first event */
  bool moved;     /* memory, since figures began */
};
struct gpm_replay_thread {
  struct gpm_replay_scope *open; /* outermost first */
  size_t depth, room;
  uint32_t latest_node; /* whose path is open */
  uint64_t temporary;   /* address of the latest event if that allocated, else 0 */
};

struct gpm_replay_then { /* of an address: its block as it was at the moment that was marked */
  uint64_t moment;       /* 0, or another's: it has not changed since, and `lives` has it */
  uint64_t bytes, clock;
  uint32_t cell, thread;
  bool live;
};

struct gpm_replay {
  const struct gpm_profile *profile;
  struct gpm_replay_cell *cells;
  struct gpm_replay_pair *pairs;
  struct gpm_replay_line *lines;
  struct gpm_replay_node *nodes;
  struct gpm_replay_device *devices;
  struct gpm_replay_thread *threads;
  size_t thread_count;
  struct gpm_map thread_of, life_of; /* by thread number, by address: the index */
  struct gpm_life *lives;
  size_t life_count, life_room;
  struct gpm_replay_then *then; /* by index of lives, where a moment was marked */
  size_t then_count, then_room; /* then_count: how many lives there were */
  uint64_t moment;              /* the number of the latest; 0: there is none */
  uint64_t since;               /* clock of the event before figures began; 0: with the first */
  bool incomplete;              /* frees of blocks that were allocated before the first event */
  bool delegated;               /* scopes cannot be followed: threads worked for each other's */
};

/* What is live now can be asked for later, until the next mark: a block is copied before it
 * changes.
 */
void gpm_replay_mark(struct gpm_replay *replay);
/* Of an index of lives below then_count. */
struct gpm_replay_then gpm_replay_then(const struct gpm_replay *replay, size_t i);

/* Ends the open ones, as the reader does. */
void gpm_replay_end_scopes(struct gpm_replay *replay);

#endif
