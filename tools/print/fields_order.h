/* fields_order.h - the order of rows of fields (input/fields.h) by a text. */
#ifndef GPM_TOOLS_FIELDS_ORDER_H
#define GPM_TOOLS_FIELDS_ORDER_H

#include "print/fields_print.h"

/* How the texts of a command's rows are found. */
struct gpm_fields_rows {
  const struct gpm_profile *profile; /* of the nodes; not needed without `node` */
  gpm_fields_cell *cell;
  /* The location that a row has in a field; GPUMEMPROF_NONE: none. Null: rows have no locations. */
  uint32_t (*node)(void *data, uint32_t row, enum gpm_field_id field);
  void *data;
};

/* Returns the numbers of the rows 0 to count - 1, sorted by a text field: locations by file, line
 * and function, other texts from a to z, and rows without the text last. Equal rows are sorted by
 * their location, and then keep their order. The caller frees the array. */
uint32_t *gpm_fields_order(const struct gpm_fields_rows *rows, uint32_t count,
                           enum gpm_field_id field);

#endif
