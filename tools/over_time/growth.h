/* growth.h - lines whose live bytes grow from step to step: `gpumemprof leaks --growth`.
 *
 *   ends of steps   1  2  3  4  5  6  7
 *   a leak          1  2  3  4  5  6  7      never falls, still rises in the second half: growing
 *   a cache         1  4  7  7  7  7  7      is full by then
 *   a buffer        1  1  0  1  1  2  1      falls
 *   once more       1  1  1  1  1  1  2      one rise is none to speak of
 */
#ifndef GPM_TOOLS_GROWTH_H
#define GPM_TOOLS_GROWTH_H

#include "events/listeners.h"
#include "model/keys.h"
#include "model/profile.h"

struct gpm_growth_line {
  uint32_t key;         /* of keys */
  uint32_t node;        /* of its call paths the one that grew most */
  uint64_t first, last; /* live at the end of the first and of the last step of the window */
  uint32_t rises;       /* steps at whose end there was more than at that before */
};

struct gpm_growth {
  const struct gpm_profile *profile;
  uint32_t from, to; /* the window: steps at whose ends is looked, from 1; 0: the first, the last */
  uint32_t steps;    /* that ended */
  struct gpm_growth_line *line; /* that grow, those that grew most first */
  uint32_t count;
  struct gpm_keys keys;
  uint32_t *key; /* by cell: its line. NONE: it does not count, a variable or not shown */
};

/* Profile and window are set. Reads the events; memory is bounded by lines, call paths and the
 * addresses a program ever used. False after it said why it cannot be told. */
bool gpm_growth_find(struct gpm_growth *growth, struct gpm_reader *reader);
void gpm_growth_free(struct gpm_growth *growth);

/* The same in two steps, for who walks over the events for others, too: *listener has to be told
 * the steps of the walk in between. Null after it said why growth cannot be told. */
struct gpm_growth_finding;
struct gpm_growth_finding *gpm_growth_listen(struct gpm_growth *growth, struct gpm_reader *reader,
                                             struct gpm_listener *listener);
/* Frees it. heard: it was told all of them. */
void gpm_growth_found(struct gpm_growth_finding *finding, bool heard);

/* Live bytes of each of the lines at the ends of steps `from`, from + every, ... and `to`: line by
 * line, *points each; *every is chosen so that there are at most 1001. Reads the events again. Null
 * after it said that they are damaged; to be freed. */
uint64_t *gpm_growth_series(const struct gpm_growth *growth, struct gpm_reader *reader,
                            uint32_t *every, uint32_t *points);

/* growth_print.c: what grows, in words and as JSON; false after it said that the capture is
 * damaged. */
void gpm_growth_print(const struct gpm_growth *growth, unsigned style);
bool gpm_growth_print_json(const struct gpm_growth *growth, struct gpm_reader *reader);

#endif
