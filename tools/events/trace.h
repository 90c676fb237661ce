/* trace.h - the history as viewers of time lines show it: what each thread has open, what each
 * device holds, and when.
 *
 * Only ends of scopes are events of their own, so a scope begins with the first event in it.
 * Memory is bounded by the depth of scopes and by what a walk needs (walk.h).
 */
#ifndef GPM_TOOLS_TRACE_H
#define GPM_TOOLS_TRACE_H

#include "events/walk.h"

/* What is made of it, called in the order of the allocation clock; `thread`, `mark`, `live` and
 * `boundary` may be null: not asked for. Times are ns since the
 * program's start; of one thread they do not go back. */
struct gpm_trace_calls {
  void (*thread)(void *to, uint32_t thread); /* before anything else of that thread */
  void (*open)(void *to, uint32_t thread, uint32_t node, uint64_t ns);
  void (*close)(void *to, uint32_t thread, uint32_t node, uint64_t ns); /* the innermost */
  void (*block)(void *to, const struct gpm_step *step, bool ends);
  void (*failure)(void *to, const struct gpm_step *step);
  void (*mark)(void *to, const char *name, uint32_t thread, uint64_t ns);
  /* What is live on a device, in one kind of memory or GPM_ALL_KINDS: at each new maximum, else
   * once a microsecond. Not called where a part of the events is missing. */
  void (*live)(void *to, uint32_t device, uint32_t kind, uint64_t bytes, uint64_t ns);
  /* A boundary of steps, numbered from 1. */
  void (*boundary)(void *to, const struct gpumemprof_capture_step *step, uint64_t number,
                   uint64_t ns);
  bool kinds; /* `live` also of each kind */
  bool stops; /* at the first tick whose event is missing (listeners.h) */
};

/* False after it said what is wrong. */
bool gpm_trace(struct gpm_reader *reader, const struct gpm_profile *profile,
               const struct gpm_trace_calls *calls, void *to);
/* The same as one of several listeners to a walk, which calls and to have to outlive. */
struct gpm_trace;
struct gpm_trace *gpm_trace_begin(const struct gpm_profile *profile,
                                  const struct gpm_trace_calls *calls, void *to,
                                  struct gpm_listener *listener);
void gpm_trace_free(struct gpm_trace *trace);

/* Texts are clean (text.h) and to be freed. */
char *gpm_trace_scope(const struct gpm_profile *profile, uint32_t node);
/* "grid 64.00 MiB" */
char *gpm_trace_block(const struct gpm_profile *profile, const struct gpm_walk_block *block);
/* "out of memory: 90.00 GiB" */
char *gpm_trace_failure(const struct gpm_step *step);

#endif
