/* fields_print.h - rows of fields (input/fields.h) as JSON and as a table. */
#ifndef GPM_TOOLS_FIELDS_PRINT_H
#define GPM_TOOLS_FIELDS_PRINT_H

#include "input/fields.h"

#include <jansson.h>

/* Rows of CSV follow that are such objects, with those fields alone. */
void gpm_fields_as_csv(const struct gpm_fields *fields, const char *object);
/* The item with those fields alone, in their order; all of it where --columns is not given. Takes
 * it. */
json_t *gpm_fields_take(const struct gpm_fields *fields, json_t *item);
/* A table of them. `cell` makes the text of a row, which is freed. */
void gpm_fields_print(const struct gpm_fields *fields, uint32_t rows,
                      char *(*cell)(void *data, uint32_t row, enum gpm_field_id field), void *data);

#endif
