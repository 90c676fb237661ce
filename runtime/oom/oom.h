/* oom.h - what oom.c gathers and oom_text.c says of it. */
#ifndef GPM_OOM_H
#define GPM_OOM_H

#include "gpumemprof/capture.h"
#include "gpumemprof/capture_oom.h"

#include <stdbool.h>

struct gpm_cell;
struct gpm_device;

/* A record, and where its lines are in the source: records of the capture, which stay. */
struct gpm_oom {
  struct gpumemprof_capture_oom record;
  const struct gpumemprof_capture_site *call;
  const struct gpumemprof_capture_site *line[GPUMEMPROF_OOM_LINES];
  /* The call through which most of what each line holds was asked for, and how much that is; null:
   * none, or it is not known. */
  const struct gpumemprof_capture_site *caller[GPUMEMPROF_OOM_LINES];
  uint64_t caller_bytes[GPUMEMPROF_OOM_LINES];
};

/* A call path and what it holds. */
struct gpm_oom_way {
  const struct gpm_node *node;
  uint64_t bytes;
};
/* oom_through.c: of paths to one line the call that tells them apart, with most bytes; null: none.
 * rest: bytes of the line on paths that are not among these. Changes the list. */
struct gpm_oom_way gpm_oom_through(struct gpm_oom_way *way, uint32_t count, uint64_t rest);

/* One line on standard error. number: of this one, from 1. */
void gpm_oom_say(const struct gpm_oom *oom, uint64_t number);

void gpm_oom_forked(void);

#endif /* GPM_OOM_H */
