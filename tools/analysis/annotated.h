/* annotated.h - a source file, or a function in it, with the rows of its lines: `gpumemprof
 * annotate`.
 */
#ifndef GPM_TOOLS_ANNOTATED_H
#define GPM_TOOLS_ANNOTATED_H

#include "capture/source.h"
#include "rows/rows.h"

struct gpm_annotated {
  const struct gpm_rows *rows; /* by line */
  uint32_t file;               /* its name, as a text of the capture */
  char *function;              /* the function that was named, or null for the whole file */
  const struct gpm_row **row;  /* by line, then by function */
  uint32_t count;
  uint32_t first; /* the first line to show: where the function begins */
  struct gpm_source source;
  uint32_t changed; /* number of rows whose line was edited since */
};

/* what: FILE[:FUNCTION]. Returns null, or a text that says what is wrong with it and names the
 * nearest match; the caller frees the text. `annotated` is to be freed either way. */
char *gpm_annotated_make(struct gpm_annotated *annotated, const struct gpm_rows *rows,
                         const char *what);
void gpm_annotated_free(struct gpm_annotated *annotated);

uint32_t gpm_annotated_line(const struct gpm_annotated *annotated, uint32_t row);
/* Returns the text of a row's line in the capture, "" if it has none. Borrowed. */
const char *gpm_annotated_then(const struct gpm_annotated *annotated, const struct gpm_row *row);
bool gpm_annotated_has_changed(const struct gpm_annotated *annotated, const struct gpm_row *row);

#endif
