/* split.h - splits cells by what only events know of their blocks: their size, the thread that
 * allocated them, whether they were live when a window began.
 *
 *   cell 7, a call path, device,      cell 91   of thread 3
 *   kind and label                ->  cell 92   of thread 5
 *                                     cell 7    what is not known, mostly nothing
 *
 * A part is a cell of the reader like any other and has pairs of its own, so code that adds up
 * cells and pairs need not know of parts. command.c calls this after it has opened the capture and
 * before any code reads its figures. With a window (window.h), all other figures become those of
 * the window too, own peaks of scopes among them. Figures that events do not have (time in scopes,
 * highest totals of devices in them) are then not known.
 */
#ifndef GPM_TOOLS_SPLIT_H
#define GPM_TOOLS_SPLIT_H

#include "model/patterns.h"
#include "model/split_cells.h"

struct gpm_split_request {
  enum gpm_by by;                      /* COUNT: cells are not split by a key */
  const struct gpm_patterns *patterns; /* may have patterns of sizes; or null */
  struct gpm_window window;
};
/* Splits the cells of a reader; call it once. Returns false after it reported why that is not
 * possible. Without events, patterns of sizes are decided by what the cells record. */
bool gpm_split_make(struct gpm_reader *reader, const struct gpm_split_request *request);

#endif
