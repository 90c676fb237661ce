/* oom.h - what oom.c gathers about a failure, and the message that oom_text.c prints. */
#ifndef GPM_OOM_H
#define GPM_OOM_H

#include "gpumemprof/capture.h"
#include "gpumemprof/capture_oom.h"

#include <stdbool.h>

struct gpm_cell;
struct gpm_device;
struct gpm_node;

/* A record, and the sites of its lines, which stay valid because they are records of the
 * capture. */
struct gpm_oom {
  struct gpumemprof_capture_oom record;
  const struct gpumemprof_capture_site *call;
  const struct gpumemprof_capture_site *line[GPUMEMPROF_OOM_LINES];
  /* For each line, the call through which most of its live bytes were requested, and how many bytes
   * that is; null: there is none, or it is not known. */
  const struct gpumemprof_capture_site *caller[GPUMEMPROF_OOM_LINES];
  uint64_t caller_bytes[GPUMEMPROF_OOM_LINES];
};

/* A call path and its live bytes. */
struct gpm_oom_way {
  const struct gpm_node *node;
  uint64_t bytes;
};
/* oom_through.c: returns, of the calls in which the paths to one line differ, the one with the
 * most bytes; null: none. rest: bytes of the line on paths that are not in the list. Changes the
 * list. */
struct gpm_oom_way gpm_oom_through(struct gpm_oom_way *way, uint32_t count, uint64_t rest);

/* The same, in one kind of memory. */
struct gpm_oom_path {
  const struct gpm_node *node;
  struct gpumemprof_capture_amount live;
  uint16_t kind;
};
/* oom_callers.c, under the tree lock: the call that is charged with what a node allocates, which is
 * the node itself unless it is in a wrapper (capture_wrappers.h); */
const struct gpm_node *gpm_oom_charged(const struct gpm_node *node);
/* and moves the memory of the paths from the lines of wrappers to those of the calls that are
 * charged. */
void gpm_oom_name_callers(struct gpm_oom *oom, const struct gpm_oom_path *path, uint32_t paths);

/* Prints one line on standard error. number: that of this failure, from 1. */
void gpm_oom_say(const struct gpm_oom *oom, uint64_t number);

void gpm_oom_forked(void);

#endif /* GPM_OOM_H */
