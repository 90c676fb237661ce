/* trace.h - the history as timeline viewers show it: which scopes each thread has open and what
 * each device holds, over time.
 *
 * Only ends of scopes are events of their own, so a scope begins with the first event in it. Memory
 * is bounded by the depth of scopes and by what a walk needs (walk.h).
 */
#ifndef GPM_TOOLS_TRACE_H
#define GPM_TOOLS_TRACE_H

#include "events/walk.h"

/* Callbacks, in the order of the allocation clock. `thread`, `mark`, `live` and `boundary` may be
 * null. Times are ns since the start of the program; within a thread they never decrease. */
struct gpm_trace_calls {
  void (*thread)(void *to, uint32_t thread); /* called before any other callback for that thread */
  void (*open)(void *to, uint32_t thread, uint32_t node, uint64_t ns);
  void (*close)(void *to, uint32_t thread, uint32_t node, uint64_t ns); /* the innermost */
  void (*block)(void *to, const struct gpm_step *step, bool ends);
  void (*failure)(void *to, const struct gpm_step *step);
  void (*mark)(void *to, const char *name, uint32_t thread, uint64_t ns);
  /* What is live on a device, in one kind of memory or in GPM_ALL_KINDS: called at each new
   * maximum, and otherwise once a microsecond. Not called if a part of the events is missing. */
  void (*live)(void *to, uint32_t device, uint32_t kind, uint64_t bytes, uint64_t ns);
  /* Called at each boundary of steps, numbered from 1. */
  void (*boundary)(void *to, const struct gpumemprof_capture_step *step, uint64_t number,
                   uint64_t ns);
  bool kinds; /* call `live` for each kind too */
  bool stops; /* stop at the first tick whose event is missing (listeners.h) */
};

/* Returns false after it reported what is wrong. */
bool gpm_trace(struct gpm_reader *reader, const struct gpm_profile *profile,
               const struct gpm_trace_calls *calls, void *to);
/* The same as one of several listeners to a walk. `calls` and `to` have to outlive the walk. */
struct gpm_trace;
struct gpm_trace *gpm_trace_begin(const struct gpm_profile *profile,
                                  const struct gpm_trace_calls *calls, void *to,
                                  struct gpm_listener *listener);
void gpm_trace_free(struct gpm_trace *trace);

/* Calls `mark` and `boundary` for what a capture has of them without its events. */
void gpm_trace_moments(struct gpm_reader *reader, const struct gpm_trace_calls *calls, void *to);

/* The phase of a step (enum gpumemprof_phase): "" for none. */
const char *gpm_trace_phase(uint32_t phase);
/* These return clean texts (text.h), which the caller frees. */
char *gpm_trace_scope(const struct gpm_profile *profile, uint32_t node);
/* "grid 64.00 MiB" */
char *gpm_trace_block(const struct gpm_profile *profile, const struct gpm_walk_block *block);
/* "out of memory: 90.00 GiB" */
char *gpm_trace_failure(const struct gpm_step *step);

#endif
