/* replay_state.h - the figures that replay.c computes from the events and replay_compare.c compares
 * with the capture. */
#ifndef GPM_TOOLS_REPLAY_STATE_H
#define GPM_TOOLS_REPLAY_STATE_H

#include "events/replay.h"
#include "support/map.h"
#include "support/memory.h"

struct gpm_replay_cell {
  uint32_t node, device, line;
  struct gpumemprof_capture_amount allocated, freed;
  uint64_t live, min_size, max_size, padding, lifetime_clock, temporary_blocks;
  uint64_t lifetime_ticks; /* of all freed blocks whose free was recorded ... */
  uint64_t timed_blocks;   /* ... and how many those are */
  uint64_t live_blocks, blocks_at_peak;
  uint64_t at_peak, seen_peaks; /* at_peak belongs to the device's peak number seen_peaks */
  bool left;                    /* by a block that got a name: the capture may have its size */
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
  uint32_t peak_node; /* the node that reached it, or NONE */
};
struct gpm_replay_scope {
  uint32_t node;
  int64_t net, peak;
  uint64_t since; /* clock of its first event */
  bool moved;     /* memory moved in it since figures began */
};
struct gpm_replay_thread {
  struct gpm_replay_scope *open; /* outermost first */
  size_t depth, room;
  uint32_t latest_node; /* the node whose path is open */
  uint64_t temporary;   /* address of the latest event if that allocated, else 0 */
};

struct gpm_replay_then { /* the block of an address at the moment that was marked */
  uint64_t moment;       /* 0 or another moment: it has not changed since then, so `lives` has it */
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
  struct gpm_map thread_of, life_of; /* thread number -> index, address -> index */
  struct gpm_life *addresses;
  size_t life_count, life_room;
  struct gpm_replay_then *then; /* by index of lives; used once a moment was marked */
  size_t then_count, then_room; /* then_count: how many lives there were at that moment */
  uint64_t moment;              /* the number of the latest mark; 0: there is none */
  uint64_t since;  /* clock of the event before figures began; 0: they began with the first event */
  bool incomplete; /* there were frees of blocks that were allocated before the first event */
  bool delegated;  /* scopes cannot be followed, as threads worked for each other's scopes */
};

/* Marks this moment, so that gpm_replay_then returns what is live now until the next mark. Blocks
 * are copied only before they change. */
void gpm_replay_mark(struct gpm_replay *replay);
/* The block with that index of lives, at the moment that was marked; i is below then_count. */
struct gpm_replay_then gpm_replay_then(const struct gpm_replay *replay, size_t i);

struct gpm_replay_thread *gpm_replay_thread(struct gpm_replay *replay, uint32_t number);
/* Ends the open scopes of a thread but for the outermost `left`. */
void gpm_replay_end_scopes_of(struct gpm_replay *replay, struct gpm_replay_thread *thread,
                              size_t left);
/* Ends the open scopes, as the reader does. */
void gpm_replay_end_scopes(struct gpm_replay *replay);

#endif
