/* observing.h - what wants to know of each event. repeats.c records none while there is anything;
 * the other events ask for what they are concerned with.
 */
#ifndef GPM_OBSERVING_H
#define GPM_OBSERVING_H

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>

enum gpm_observing {
  GPM_OBSERVING_HOOKS = 1u,
  GPM_OBSERVING_THRESHOLDS = 2u,
  GPM_OBSERVING_EVENTS = 3u, /* either */
  GPM_OBSERVING_PAUSED = 4u, /* pause.c: nothing observes, but events have no lines */
  GPM_OBSERVING_HISTORY = 8u /* history.c */
};
extern _Atomic unsigned gpm_observers; /* enum gpm_observing */
static inline bool gpm_observed(enum gpm_observing what) {
  return GPM_UNLIKELY(atomic_load_explicit(&gpm_observers, memory_order_relaxed) & what);
}

#endif /* GPM_OBSERVING_H */
