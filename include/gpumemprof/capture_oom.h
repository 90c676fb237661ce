/* capture_oom.h - a part of capture.h: what is recorded about an allocation that was out of memory.
 *
 * One record has all of it, so that it is either complete or absent: the request, what the device
 * reported, and who held the memory. Its size is bounded: each list has the largest entries, and
 * the rest is counted. The lists of lines and of call paths, each with the rest beside it, add up
 * to `total` and `blocks` exactly, because they were read at one moment. The device and its pools
 * were asked just before that, other threads and allocators just after.
 */
#ifndef GPUMEMPROF_CAPTURE_OOM_H
#define GPUMEMPROF_CAPTURE_OOM_H

#include "gpumemprof/capture.h"

#include <stdbool.h>

#define GPUMEMPROF_OOM_LINES 64
#define GPUMEMPROF_OOM_PATHS 64
#define GPUMEMPROF_OOM_POOLS 16
#define GPUMEMPROF_OOM_SCOPES 64
#define GPUMEMPROF_OOM_UNKNOWN_DEVICE INT32_MIN /* gpumemprof_capture_oom.ordinal */
#define GPUMEMPROF_OOM_UNKNOWN_KIND UINT16_MAX  /* gpumemprof_capture_oom.kind */

struct gpumemprof_capture_oom_line {
  uint32_t line;                         /* record of LINES */
  uint32_t node;                         /* of its call paths the one that held the most ... */
  uint64_t node_bytes;                   /* ... and how much that was, of one kind of memory */
  struct gpumemprof_capture_amount live; /* of all its call paths */
  uint32_t kinds;                        /* bit k: memory of kind k is among it */
  uint32_t reserved;
};
struct gpumemprof_capture_oom_path {
  uint32_t cell; /* record of CELLS: call path, kind of memory, label */
  uint32_t reserved;
  struct gpumemprof_capture_amount live;
};
struct gpumemprof_capture_oom_pool {
  uint32_t pool; /* record of POOLS */
  uint32_t reserved0;
  uint64_t used, reserved; /* by its own account */
};
struct gpumemprof_capture_oom_custom {
  uint32_t pool; /* record of CUSTOM_POOLS */
  uint32_t reserved0;
  uint64_t reserved; /* bytes of its segments */
  uint64_t free;     /* of these, in no piece */
  uint64_t hole;     /* the largest free range */
};
struct gpumemprof_capture_oom_scope {
  uint32_t thread;
  uint32_t node;     /* scope: the innermost in which its memory moved and that is open */
  int64_t net, peak; /* of that activation, so far; other threads' as they were being written */
};

struct gpumemprof_capture_oom {
  uint64_t ticks;
  uint64_t clock;        /* allocation clock of the lists: the events up to it led here */
  uint64_t requested;    /* bytes asked for; 0: the call does not say (a graph's launch) */
  uint64_t memory_free;  /* bytes of the device, by the driver, after the call */
  uint64_t memory_total; /* the same; 0: the driver gave neither figure */
  uint64_t total;        /* live bytes by the ledger of the device */
  uint64_t blocks;       /* and in how many blocks */
  uint64_t pools_used;   /* by all of the device's pools, graphs' too, by their own account */
  uint64_t pools_reserved;
  struct gpumemprof_capture_amount other_lines;            /* that are not in `line` */
  struct gpumemprof_capture_amount other_paths;            /* that are not in `path` */
  struct gpumemprof_capture_amount live[GPUMEMPROF_KINDS]; /* by kind of memory */
  uint32_t node;                                           /* the call */
  uint32_t thread;
  int32_t ordinal; /* as gpumemprof_capture_device's, or GPUMEMPROF_OOM_UNKNOWN_DEVICE */
  uint32_t device; /* record of DEVICES; NONE: nothing was ever allocated there */
  uint16_t kind;   /* of memory that was asked for, or GPUMEMPROF_OOM_UNKNOWN_KIND */
  uint16_t reserved0;
  uint32_t lines, paths, pools, custom_pools, scopes; /* how many of each list are there */
  uint32_t pools_left_out, custom_pools_left_out, scopes_left_out;
  /* 1; 0: the driver gave no answer, the record is not one of the first 8, or the capture is
   * older. */
  uint32_t rounding_known;
  uint64_t rounding; /* as gpumemprof_capture_sample's: what fills pages, of direct allocations */
  uint64_t reserved1[5];
  struct gpumemprof_capture_oom_line line[GPUMEMPROF_OOM_LINES]; /* most bytes first */
  struct gpumemprof_capture_oom_path path[GPUMEMPROF_OOM_PATHS]; /* the same */
  struct gpumemprof_capture_oom_pool pool[GPUMEMPROF_OOM_POOLS]; /* most unused bytes first */
  struct gpumemprof_capture_oom_custom custom_pool[GPUMEMPROF_OOM_POOLS]; /* largest hole first */
  struct gpumemprof_capture_oom_scope scope[GPUMEMPROF_OOM_SCOPES]; /* the failing thread's first */
};
_Static_assert(sizeof(struct gpumemprof_capture_oom) ==
                   464 + 64 * 40 + 64 * 24 + 16 * 24 + 16 * 32 + 64 * 24,
               "oom layout");

/* What would have made room. The runtime and the tool compute it in the same way: the runtime for
 * its message at the failure, the tool in detail. */
enum gpumemprof_oom_remedy {
  GPUMEMPROF_OOM_NOT_KNOWN,     /* what was asked for, or what was free */
  GPUMEMPROF_OOM_TOO_LARGE,     /* none: more was asked for than the device has */
  GPUMEMPROF_OOM_WAS_FREE,      /* as much was free: in pieces too small, or not for this call */
  GPUMEMPROF_OOM_TRIM,          /* what its pools have and do not use */
  GPUMEMPROF_OOM_FREE_LINE,     /* what one line holds: the smallest that is enough */
  GPUMEMPROF_OOM_FREE_LINES,    /* what the largest lines hold together */
  GPUMEMPROF_OOM_HELD_ELSEWHERE /* not even all that is recorded */
};

/* Bytes that lacked; 0 also where that is not known. */
static inline uint64_t gpumemprof_oom_lacking(const struct gpumemprof_capture_oom *o) {
  return o->memory_total && o->requested > o->memory_free ? o->requested - o->memory_free : 0;
}

static inline uint64_t gpumemprof_oom_unused(const struct gpumemprof_capture_oom *o) {
  return o->pools_reserved > o->pools_used ? o->pools_reserved - o->pools_used : 0;
}

/* Variables stay, and managed memory need not be on the device. */
#define GPUMEMPROF_OOM_STAYS (1u << GPUMEMPROF_KIND_STATIC | 1u << GPUMEMPROF_KIND_MANAGED)

/* Whether the program freed some of what a call path held at the failure. cell: as it is later. */
static inline bool gpumemprof_oom_gave_back(const struct gpumemprof_capture_oom_path *path,
                                            const struct gpumemprof_capture_cell *cell) {
  bool stays = GPUMEMPROF_OOM_STAYS >> cell->kind & 1;
  return !stays && cell->allocated.bytes - cell->freed.bytes < path->live.bytes;
}

/* The smallest line that holds as much, of equal ones the first, or as many of the largest as hold
 * it together. *lines: the index of that one line, or how many; *bytes: what they hold, which is
 * less than lacked where lines that are not named had the rest. */
static inline enum gpumemprof_oom_remedy gpumemprof_oom_free(const struct gpumemprof_capture_oom *o,
                                                             uint64_t lacking, uint32_t *lines,
                                                             uint64_t *bytes) {
  uint64_t stays = o->live[GPUMEMPROF_KIND_STATIC].bytes + o->live[GPUMEMPROF_KIND_MANAGED].bytes;
  *lines = 0;
  *bytes = 0;
  if (o->total - stays < lacking) return GPUMEMPROF_OOM_HELD_ELSEWHERE;
  for (uint32_t i = 0; i < o->lines && o->line[i].live.bytes >= lacking; i++)
    if (o->line[i].kinds & ~GPUMEMPROF_OOM_STAYS && (!*bytes || o->line[i].live.bytes < *bytes))
      *bytes = o->line[*lines = i].live.bytes;
  if (*bytes) return GPUMEMPROF_OOM_FREE_LINE;
  for (uint32_t i = 0; i < o->lines && *bytes < lacking; i++) {
    if (!(o->line[i].kinds & ~GPUMEMPROF_OOM_STAYS)) continue;
    *bytes += o->line[i].live.bytes;
    ++*lines;
  }
  return GPUMEMPROF_OOM_FREE_LINES;
}

/* The first that applies; lines and bytes as above, TRIM: bytes of the pools. */
static inline enum gpumemprof_oom_remedy
gpumemprof_oom_remedy(const struct gpumemprof_capture_oom *o, uint32_t *lines, uint64_t *bytes) {
  uint64_t lacking = gpumemprof_oom_lacking(o);
  *lines = 0;
  *bytes = 0;
  if (!o->memory_total || !o->requested) return GPUMEMPROF_OOM_NOT_KNOWN;
  if (o->requested > o->memory_total) return GPUMEMPROF_OOM_TOO_LARGE;
  if (!lacking) return GPUMEMPROF_OOM_WAS_FREE;
  if ((*bytes = gpumemprof_oom_unused(o)) >= lacking) return GPUMEMPROF_OOM_TRIM;
  return gpumemprof_oom_free(o, lacking, lines, bytes);
}

#endif /* GPUMEMPROF_CAPTURE_OOM_H */
