/* oom.h - a part of runtime.h's map: what oom.c gathers and oom_text.c says of it. */
#ifndef GPM_OOM_H
#define GPM_OOM_H

#include "runtime.h"

/* A record, and where its lines are in the source: records of the capture, which stay. */
struct gpm_oom {
  struct gpumemprof_capture_oom record;
  const struct gpumemprof_capture_site *call;
  const struct gpumemprof_capture_site *line[GPUMEMPROF_OOM_LINES];
  /* The call by which each line was reached when it allocated the most; null: by none. */
  const struct gpumemprof_capture_site *caller[GPUMEMPROF_OOM_LINES];
};

/* One line on standard error. number: of this one, from 1. */
void gpm_oom_say(const struct gpm_oom *oom, uint64_t number);

#endif /* GPM_OOM_H */
