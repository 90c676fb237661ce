/* maxima.h - a device's stack of suffix maxima: see maxima.c.
 *
 * ledger.c and repeats.c enter the total that an event is about to lower, devices.c asks for the
 * highest since a scope's entry. Under the device's lock.
 */
#ifndef GPM_MAXIMA_H
#define GPM_MAXIMA_H

#include "base/compiler.h"
#include "base/invariants.h"

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_maxima {
  struct gpumemprof_capture_maximum *top;          /* latest entry; null while there is none */
  struct gpumemprof_capture_maximum *first, *last; /* entries there is room for in its segment */
  struct gpumemprof_chunk **segments;
  uint32_t segment_count;
  uint32_t top_segment;
  uint32_t owner;
};
/* The total is about to fall: returns the entry for it if that is in the top segment, otherwise
 * null. Nothing changes yet. */
static inline struct gpumemprof_capture_maximum *
gpm_maxima_position(const struct gpm_maxima *maxima, uint64_t total) {
  struct gpumemprof_capture_maximum *at = maxima->top;
  if (GPM_UNLIKELY(!at)) return NULL;
  if (at->total > total) return GPM_LIKELY(at != maxima->last) ? at + 1 : NULL;
  while (at > maxima->first && at[-1].total <= total) at--; /* in place of the lowest not higher */
  return GPM_LIKELY(at > maxima->first || !maxima->top_segment) ? at : NULL;
}
/* The same in every case; null: no room. Pops segments. */
GPM_NOINLINE struct gpumemprof_capture_maximum *gpm_maxima_make_position(struct gpm_maxima *maxima,
                                                                         uint64_t total);
/* Sets the entry of a total that lasted until the event of clock `until` lowered it. */
static inline void gpm_maxima_set(struct gpm_maxima *maxima, struct gpumemprof_capture_maximum *at,
                                  uint64_t until, uint64_t total) {
  GPM_ASSERT(at >= maxima->first && at <= maxima->last);
  GPM_ASSERT(at == maxima->first || (at[-1].total > total && at[-1].until < until));
  at->until = until;
  at->total = total;
  if (at == maxima->top) return;
  maxima->top = at;
  struct gpumemprof_chunk *segment = (struct gpumemprof_chunk *)(void *)maxima->first - 1;
  __atomic_store_n(&segment->used, (uint64_t)((char *)(at + 1) - (char *)maxima->first),
                   __ATOMIC_RELEASE);
}
/* What gpm_maxima_since answers, if that is the latest entry or none. False: it takes a search. */
static inline bool gpm_maxima_latest_since(const struct gpm_maxima *maxima, uint64_t clock,
                                           uint64_t *total) {
  const struct gpumemprof_capture_maximum *at = maxima->top;
  if (GPM_UNLIKELY(!at)) return false;
  *total = at->until > clock ? at->total : 0;
  return at->until <= clock || GPM_LIKELY(at != maxima->first && at[-1].until <= clock);
}
/* The highest total on the stack that was reached at the clock or later, in bytes. It does not
 * include the current total.
 */
uint64_t gpm_maxima_since(const struct gpm_maxima *maxima, uint64_t clock);

#endif /* GPM_MAXIMA_H */
