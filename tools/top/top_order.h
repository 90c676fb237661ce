/* top_order.h - which lines `gpumemprof top` shows, in which order, and the text in each column. */
#ifndef GPM_TOOLS_TOP_ORDER_H
#define GPM_TOOLS_TOP_ORDER_H

#include "top/top_refresh.h"

enum gpm_top_column {
#define GPM_TOP_COLUMN(name, title, width, key, definition) GPM_TOP_##name,
#include "top/top_columns.def"
  GPM_TOP_COLUMNS
};
struct gpm_top_column_text {
  const char *name, *title, *definition;
  uint32_t width;
  char key;
};
extern const struct gpm_top_column_text gpm_top_columns[];
/* OLD, or LEAKED once the program has ended. */
const char *gpm_top_title(const struct gpm_top *top, enum gpm_top_column column);

struct gpm_top_order {
  enum gpm_top_column sort;
  bool inverted;      /* lowest first; locations from z to a */
  const char *filter; /* only locations that contain it, in any case; "": all */
};

/* The numbers of lines that have allocated, and their count. To be freed. */
uint32_t *gpm_top_sort(struct gpm_top *top, const struct gpm_top_order *order, uint32_t *count);
/* Whether a location contains a text, in any case. */
bool gpm_top_matches(struct gpm_top *top, uint32_t line, const char *text);

/* False: the figure is not known. The column `place` has none. */
bool gpm_top_figure(const struct gpm_top *top, uint32_t line, enum gpm_top_column column,
                    double *value);
/* The text in a table, "-" where the figure is not known; to be freed. exact: bytes with all
 * digits. */
char *gpm_top_cell(struct gpm_top *top, uint32_t line, enum gpm_top_column column, bool exact);

#endif
