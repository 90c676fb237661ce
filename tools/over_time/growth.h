/* growth.h - lines whose live bytes grow from step to step: `gpumemprof leaks --growth`.
 *
 *   ends of steps   1  2  3  4  5  6  7
 *   a leak          1  2  3  4  5  6  7      never falls, still rises in the second half: growing
 *   a cache         1  4  7  7  7  7  7      is full by then
 *   a buffer        1  1  0  1  1  2  1      falls
 *   a single rise   1  1  1  1  1  1  2      one rise is not enough
 */
#ifndef GPM_TOOLS_GROWTH_H
#define GPM_TOOLS_GROWTH_H

#include "events/listeners.h"
#include "model/keys.h"
#include "model/profile.h"
#include "model/suppressions.h"

struct gpm_growth_rise {
  uint32_t step;
  uint64_t live; /* bytes at its end */
};

struct gpm_growth_line {
  uint32_t key;         /* index in `keys` */
  uint32_t node;        /* the call path of the line that grew most */
  uint32_t paths;       /* how many of its call paths grew */
  uint64_t first, last; /* live bytes at the end of the first and of the last step of the window */
  uint32_t rises;       /* steps at whose end more was live than at the end before */
  struct gpm_growth_rise *rise; /* each of them; null without `series` */
};

struct gpm_growth {
  const struct gpm_profile *profile;
  bool series;       /* the caller wants gpm_growth_live: each rise is kept */
  uint32_t from, to; /* the window: the first and the last step that is examined, counted from 1; 0:
                        the first, the last */
  uint32_t steps;    /* number of steps that ended */
  struct gpm_growth_line *line; /* the growing lines, those that grew most first */
  uint32_t count;
  struct gpm_keys keys;
  uint32_t *key; /* by cell: its line. NONE: not counted, a variable or not shown */
};

/* The caller has set profile, series and window. Reads the events; memory is bounded by lines, call
 * paths and the number of addresses that a program ever used. Returns false after it reported why
 * growth cannot be computed. */
bool gpm_growth_find(struct gpm_growth *growth, struct gpm_reader *reader);
void gpm_growth_free(struct gpm_growth *growth);
/* Removes the lines that a suppression is about, and adds up in it what they hold more. */
void gpm_growth_suppress(struct gpm_growth *growth, const struct gpm_suppressions *suppressions);

/* The same in two steps, for a caller whose walk has other listeners too: *listener has to get the
 * events between the two calls. Returns null after it reported why growth cannot be computed. */
struct gpm_growth_finding;
struct gpm_growth_finding *gpm_growth_listen(struct gpm_growth *growth, struct gpm_reader *reader,
                                             struct gpm_listener *listener);
/* Frees `finding`. received: the listener got all events. Returns false if it did not, or after it
 * reported why growth cannot be computed. */
bool gpm_growth_found(struct gpm_growth_finding *finding, bool received);

/* The steps at whose ends a list shows a line: `from`, from + *every, ... and `to`; *every is
 * chosen so that there are at most 1001. Returns how many they are. */
uint32_t gpm_growth_points(const struct gpm_growth *growth, uint32_t *every);
/* Returns the live bytes of a line at the end of a step of the window; needs `series`. */
uint64_t gpm_growth_live(const struct gpm_growth_line *line, uint32_t step);

/* growth_print.c: prints what grows, in words and as JSON (needs `series`). */
void gpm_growth_print(const struct gpm_growth *growth, unsigned style);
void gpm_growth_print_json(const struct gpm_growth *growth);

#endif
