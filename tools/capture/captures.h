/* captures.h - the captures that a run wrote: `gpumemprof run`. */
#ifndef GPM_TOOLS_CAPTURES_H
#define GPM_TOOLS_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_captures {
  struct gpm_capture_found {
    char *path;
    uint64_t start_ns; /* of its process, CLOCK_REALTIME */
    bool ranked;       /* it is one of a parallel job */
  } *found;            /* in the order of their processes' starts */
  size_t count;
};

/* Finds the captures of the run with that number, by the pattern of the option output=, without
 * copies. */
struct gpm_captures gpm_captures_of(const char *pattern, uint64_t run);
void gpm_captures_free(struct gpm_captures *captures);

#endif
