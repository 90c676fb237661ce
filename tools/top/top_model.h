/* top_model.h - what becomes of the figures of a running program from one look to the next: growth,
 * rates, old bytes.
 *
 *   look at 0 s   look at 1 s   ...   look at 61 s        numbers alone, the same line has the same
 *      |             `------- change, rates --- |         number at every look; no capture, no
 *      `--------------- growth -----------------|         terminal and no clock
 *
 * Called by top_look.c; a test of its own (test/tools/top_model_test.c) gives it literal looks.
 * What the figures mean is in docs/ACCOUNTING.md.
 */
#ifndef GPM_TOOLS_TOP_MODEL_H
#define GPM_TOOLS_TOP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes and blocks of a line, or of all. */
struct gpm_top_sums {
  uint64_t live, blocks;                /* allocated and not freed */
  uint64_t allocated, allocated_blocks; /* since the program began, or its latest reset */
  uint64_t freed, freed_blocks;         /* of these, wherever */
};

/* One look. */
struct gpm_top_sample {
  uint64_t time_ns; /* of any clock that only rises */
  uint64_t resets;  /* how often the program began its figures anew */
  uint64_t live;    /* of the GPUs: what the history keeps */
  struct gpm_top_sums all;
  const struct gpm_top_sums *line; /* by number; never fewer than at the look before */
  uint32_t count;
};

struct gpm_top_change {
  struct gpm_top_sums now;
  int64_t growth;     /* of live bytes since the first look */
  int64_t change;     /* since the look before */
  uint32_t rises;     /* looks at which they had risen, since they last fell */
  double allocations; /* each second since the look before; as the three below not known if */
  double frees;       /* has_rates is false */
  double bytes;       /* allocated */
  double freed;       /* bytes */
  uint64_t old;       /* bytes, if has_old: live for `old_ns` at least */
};

enum {
  GPM_TOP_HISTORY = 512, /* looks whose live bytes are kept */
  GPM_TOP_GROWING = 3,   /* so many rises make a growing line */
  GPM_TOP_KEPT = 10      /* looks of which is kept what lines had allocated */
};

struct gpm_top_model {
  uint64_t old_ns; /* set before the first look, and not changed after */
  uint64_t looks;
  uint64_t resets;
  bool has_before; /* growth, change and rises are known: there were two looks */
  bool has_rates;
  bool has_old;
  uint64_t interval_ns; /* between the latest two looks */
  struct gpm_top_change all;
  struct gpm_top_change *line; /* by number */
  uint32_t count;
  /* Of itself: */
  uint64_t first_of_all, *first; /* by number: live bytes at the first look */
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

/* A zeroed struct has seen nothing. */
void gpm_top_model_add(struct gpm_top_model *model, const struct gpm_top_sample *sample);
void gpm_top_model_free(struct gpm_top_model *model);

static inline bool gpm_top_is_growing(const struct gpm_top_change *line) {
  return line->rises >= GPM_TOP_GROWING;
}
/* Live bytes of the GPUs `back` looks before the latest; false if that was not seen. */
static inline bool gpm_top_model_history(const struct gpm_top_model *m, uint32_t back,
                                         uint64_t *live) {
  if (back >= m->looks || back >= GPM_TOP_HISTORY) return false;
  *live = m->history[(m->looks - 1 - back) % GPM_TOP_HISTORY];
  return true;
}

#endif
