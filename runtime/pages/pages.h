/* pages.h - which pages of blocks kernels use, where device code was compiled with uses=pages: see
 * pages.c. base/taps.h has what other rooms call.
 */
#ifndef GPM_PAGES_H
#define GPM_PAGES_H

#include "pages/shadow.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Null: no object of the program marks pages. */
extern gpm_shadow_find _Atomic gpm_pages_finder;

static inline bool gpm_pages_are_wanted(void) {
  return atomic_load_explicit(&gpm_pages_finder, memory_order_relaxed) != 0;
}
/* A kernel is about to be launched; null: any may be. The thread is busy, and the history is on. */
void gpm_pages_launch(const void *kernel);
void gpm_pages_start(void); /* with a capture */
void gpm_pages_forked(void);
void gpm_pages_forget(void); /* an object is unmapped */

#endif /* GPM_PAGES_H */
