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

#include "model/apart_cells.h"
#include "model/patterns.h"

struct gpm_apart_wish {
  enum gpm_by by;                      /* COUNT: by nothing */
  const struct gpm_patterns *patterns; /* of sizes, among others; or null */
  struct gpm_window window;
};
/* Takes the cells of a reader apart, once. False after it said why that cannot be. Where there are
 * no events, sizes are what cells alone tell. */
bool gpm_apart_make(struct gpm_reader *reader, const struct gpm_apart_wish *wish);

#endif
