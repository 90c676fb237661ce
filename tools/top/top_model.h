/* top_model.h - how the figures of a running program change from one refresh to the next: growth,
 * rates, old bytes.
 *   refresh 0 s   refresh 1 s   ...   refresh 61 s        numbers alone, the same line has the same
 *      |             `------- change, rates --- |         number each time; no capture, no
 *      `--------------- growth -----------------|         terminal and no clock
 *
 * top_refresh.c calls it; test/tools/top_model_test.c passes it literal figures.
 * What the figures mean is in docs/ACCOUNTING.md.
 */
#ifndef GPM_TOOLS_TOP_MODEL_H
#define GPM_TOOLS_TOP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes and blocks of a line, or of all lines. */
struct gpm_top_sums {
  uint64_t live, blocks;                /* allocated and not freed */
  uint64_t allocated, allocated_blocks; /* since the program began, or its latest reset */
  uint64_t freed, freed_blocks;         /* of these, wherever they were freed */
};

/* One refresh. */
struct gpm_top_sample {
  uint64_t time_ns; /* of a monotonic clock */
  uint64_t resets;  /* how often the program has reset its figures */
  uint64_t live;    /* of the GPUs, for the history */
  struct gpm_top_sums all;
  const struct gpm_top_sums *line; /* by number; never fewer than at the previous refresh */
  uint32_t count;
};

struct gpm_top_change {
  struct gpm_top_sums now;
  int64_t growth;     /* of live bytes since the first refresh */
  int64_t change;     /* since the previous refresh */
  uint32_t rises;     /* refreshes at which they had risen, since they last fell */
  double allocations; /* per second since the previous refresh; like the three below not known if */
  double frees;       /* has_rates is false */
  double bytes;       /* allocated */
  double freed;       /* bytes */
  uint64_t old;       /* bytes, if has_old: live for `old_ns` at least */
};

enum {
  GPM_TOP_HISTORY = 512, /* refreshes whose live bytes are kept */
  GPM_TOP_GROWING = 3,   /* a line with this many rises is growing */
  GPM_TOP_KEPT = 10      /* refreshes for which the allocated bytes of lines are kept */
};

struct gpm_top_model {
  uint64_t old_ns; /* set before the first refresh, and not changed later */
  uint64_t refreshes;
  uint64_t resets;
  bool has_before; /* growth, change and rises are known, because there were two refreshes */
  bool has_rates;
  bool has_old;
  uint64_t interval_ns; /* between the latest two refreshes */
  struct gpm_top_change all;
  struct gpm_top_change *line; /* by number */
  uint32_t count;
  /* Private: */
  uint64_t first_of_all, *first; /* by number: live bytes at the first refresh */
  uint32_t room;
  uint64_t time_ns;
  uint64_t history[GPM_TOP_HISTORY];
  struct gpm_top_kept {
    uint64_t time_ns;
    uint64_t *allocated; /* by number */
    uint32_t count;
  } kept[GPM_TOP_KEPT]; /* oldest first */
  uint32_t kept_count;
};

/* A zeroed struct is a model without refreshes. */
void gpm_top_model_add(struct gpm_top_model *model, const struct gpm_top_sample *sample);
void gpm_top_model_free(struct gpm_top_model *model);

static inline bool gpm_top_is_growing(const struct gpm_top_change *line) {
  return line->rises >= GPM_TOP_GROWING;
}
/* Live bytes of the GPUs `back` refreshes before the latest; false if they are not known. */
static inline bool gpm_top_model_history(const struct gpm_top_model *m, uint32_t back,
                                         uint64_t *live) {
  if (back >= m->refreshes || back >= GPM_TOP_HISTORY) return false;
  *live = m->history[(m->refreshes - 1 - back) % GPM_TOP_HISTORY];
  return true;
}

#endif
