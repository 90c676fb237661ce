/* places.h - where in the run of a device memory can be allocated or freed by a change of a line:
 * between lines. Several operations of one line, as of a macro, have no line between them.
 *
 *   position    4         5         6         7
 *   operation   line 7    line 8    line 8    line 9
 *                        |before 5, before 6 |after 5, after 6
 *
 * A line that runs again, as in a loop, has a place between its runs. A line that first frees
 * memory begins at the position before it.
 */
#ifndef GPM_TOOLS_PLACES_H
#define GPM_TOOLS_PLACES_H

#include "uses/uses.h"

struct gpm_places {
  uint32_t *first; /* by position: the first position of the run of its line */
  uint32_t *end;   /* and the first one behind it */
};

void gpm_places_make(struct gpm_places *places, const struct gpm_uses *uses, uint32_t device);
void gpm_places_free(struct gpm_places *places);

/* Returns the first position at which memory is there that is allocated just before the line of an
 * operation. */
static inline uint32_t gpm_places_before(const struct gpm_places *p, uint32_t at) {
  return p->first[at];
}
/* Returns the first position at which memory is gone that is freed right after that line. */
static inline uint32_t gpm_places_after(const struct gpm_places *p, uint32_t at) {
  return p->end[at];
}

#endif
