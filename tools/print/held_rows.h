/* held_rows.h - the lines that were live at a moment (held.h), as the options of `gpumemprof peak`
 * want them: sorted, the large ones, with which columns. */
#ifndef GPM_TOOLS_HELD_ROWS_H
#define GPM_TOOLS_HELD_ROWS_H

#include "analysis/held.h"
#include "print/fields_print.h"

struct gpm_held_rows {
  const struct gpm_input *input;
  struct gpm_fields fields; /* --columns */
  enum gpm_field_id by;     /* --sort */
  bool inside;              /* of a scope: there is a column in_it */
};

/* False after it printed the help of --columns. */
bool gpm_held_rows_choose(struct gpm_held_rows *rows, const struct gpm_input *input, bool inside);
/* Sorts the lines and takes out those that are not shown; returns how many --min hides. */
uint32_t gpm_held_rows_arrange(const struct gpm_held_rows *rows, struct gpm_holding *holding);
void gpm_held_rows_print(const struct gpm_held_rows *rows, const struct gpm_holding *holding,
                         uint32_t hidden);
json_t *gpm_held_rows_json(const struct gpm_held_rows *rows, const struct gpm_holding *holding);

#endif
