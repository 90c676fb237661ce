/* apart.h - cells taken apart by what only events tell of their blocks: their size, the thread that
 * allocated them, whether a part of the run found them there.
 *
 *   cell 7, a call path, device,      cell 91   of thread 3
 *   kind and label                ->  cell 92   of thread 5
 *                                     cell 7    what is not told, mostly nothing
 *
 * A part is a cell of the reader like any other, and has pairs of its own, so that what adds up
 * cells and pairs adds up parts. command.c asks for it after it opened the capture and before
 * anything looks at its figures. With a window (window.h), all other figures become those of the
 * window too, own peaks of scopes among them; what events do not tell (time in scopes, highest
 * totals of devices in them) is not known then.
 */
#ifndef GPM_TOOLS_APART_H
#define GPM_TOOLS_APART_H

#include "model/grouping.h"
#include "model/patterns.h"
#include "model/window.h"

enum gpm_apart_flag {
  GPM_APART_TOLD = 1,   /* a part, not the rest */
  GPM_APART_OLDER = 2,  /* of blocks the window found there: what it found is its `allocated` */
  GPM_APART_OUTSIDE = 4 /* of blocks that a pattern of sizes leaves out */
};

struct gpm_apart {
  enum gpm_by by;   /* SIZE, THREAD, or COUNT for neither */
  uint32_t *key;    /* by cell: a class of sizes.h, or an index of ... */
  uint32_t *thread; /* numbers, as the owner of EVENTS */
  uint32_t thread_count;
  uint8_t *flags; /* by cell */
  bool is_part;   /* of the run: figures are of ... */
  struct gpm_window window;
  uint64_t first_clock, last_clock; /* ticks in it; last < first: none */
  bool scopes;                      /* own peaks are known */
};

struct gpm_apart_wish {
  enum gpm_by by;                      /* COUNT: by nothing */
  const struct gpm_patterns *patterns; /* of sizes, among others; or null */
  struct gpm_window window;
};
/* Takes the cells of a reader apart, once. False after it said why that cannot be. Where there are
 * no events, sizes are what cells alone tell. */
bool gpm_apart_make(struct gpm_reader *reader, const struct gpm_apart_wish *wish);

static inline unsigned gpm_apart_flags(const struct gpm_reader *r, uint64_t cell) {
  return r->apart ? r->apart->flags[cell] : 0;
}
/* Its blocks were allocated before what the figures are of: they are no allocations of it. */
static inline bool gpm_apart_is_older(const struct gpm_reader *r, uint64_t cell) {
  return gpm_apart_flags(r, cell) & GPM_APART_OLDER;
}
/* Figures are of a part of the run. */
static inline bool gpm_apart_is_part(const struct gpm_reader *r) {
  return r->apart && r->apart->is_part;
}

#endif
