/* annotated.h - a source file, or a function in it, with the rows of its lines: `gpumemprof
 * annotate`.
 */
#ifndef GPM_TOOLS_ANNOTATED_H
#define GPM_TOOLS_ANNOTATED_H

#include "capture/source.h"
#include "rows/rows.h"

struct gpm_annotated {
  const struct gpm_rows *rows; /* by line */
  uint32_t file;               /* text of the capture */
  char *function;              /* or null: all of them */
  const struct gpm_row **row;  /* by line, then by function */
  uint32_t count;
  uint32_t first; /* the line to begin with: where the function begins */
  struct gpm_source source;
  uint32_t changed; /* rows whose line reads otherwise now */
};

/* what: FILE[:FUNCTION]. Null, or what is wrong with it, with the nearest, to be freed. To be freed
 * itself either way. */
char *gpm_annotated_make(struct gpm_annotated *annotated, const struct gpm_rows *rows,
                         const char *what);
void gpm_annotated_free(struct gpm_annotated *annotated);

uint32_t gpm_annotated_line(const struct gpm_annotated *annotated, uint32_t row);
/* The capture's text of a row's line, "" where it has none. Borrowed. */
const char *gpm_annotated_then(const struct gpm_annotated *annotated, const struct gpm_row *row);
bool gpm_annotated_has_changed(const struct gpm_annotated *annotated, const struct gpm_row *row);

#endif
