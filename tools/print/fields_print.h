/* fields_print.h - prints rows of fields (input/fields.h) as JSON and as a table. */
#ifndef GPM_TOOLS_FIELDS_PRINT_H
#define GPM_TOOLS_FIELDS_PRINT_H

#include "input/fields.h"

#include <jansson.h>

/* Prints the header of CSV rows that are such objects, with only those fields. */
void gpm_fields_as_csv(const struct gpm_fields *fields, const char *object);
/* Returns the item with only those fields, in their order, or the whole item if --columns is not
 * given. Takes ownership of the item. */
json_t *gpm_fields_take(const struct gpm_fields *fields, json_t *item);
/* The text of a field that is a part of a location, to be freed: file, line, function and so on.
 * Null: the field is another. */
char *gpm_fields_location(const struct gpm_profile *profile, uint32_t node,
                          enum gpm_field_id field);
/* Returns the text of a cell, to be freed. */
typedef char *gpm_fields_cell(void *data, uint32_t row, enum gpm_field_id field);
/* Prints a table of them. */
void gpm_fields_print(const struct gpm_fields *fields, uint32_t rows, gpm_fields_cell *cell,
                      void *data);

#endif
