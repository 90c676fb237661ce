/* held_rows.h - selects the lines that were live at a moment (holding.h) by the options of
 * `gpumemprof peak`: their order, their least size, and their columns. */
#ifndef GPM_TOOLS_HELD_ROWS_H
#define GPM_TOOLS_HELD_ROWS_H

#include "analysis/holding.h"
#include "print/fields_print.h"

struct gpm_held_rows {
  const struct gpm_input *input;
  struct gpm_fields fields; /* --columns */
  enum gpm_field_id by;     /* --sort */
  bool inside;              /* of a scope: adds the column in_it */
};

/* Reads the options. Returns false after printing the help of --columns. */
bool gpm_held_rows_choose(struct gpm_held_rows *rows, const struct gpm_input *input, bool inside);
/* Sorts the lines and removes those that are not shown. Returns how many --min hides. */
uint32_t gpm_held_rows_arrange(const struct gpm_held_rows *rows, struct gpm_holding *holding);
void gpm_held_rows_print(const struct gpm_held_rows *rows, const struct gpm_holding *holding,
                         uint32_t hidden);
json_t *gpm_held_rows_json(const struct gpm_held_rows *rows, const struct gpm_holding *holding);

#endif
