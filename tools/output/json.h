/* json.h - the parts of a report as JSON, by jansson. Names are fixed: people script against them.
 */
#ifndef GPM_TOOLS_JSON_H
#define GPM_TOOLS_JSON_H

#include "contract/fields.h"
#include "output/summary.h"
#include "rows/columns.h"

#include <jansson.h>

json_t *gpm_json_text(const char *text); /* any bytes; what is no UTF-8 is replaced */
json_t *gpm_json_figure(const struct gpm_row *row, enum gpm_figure figure);
json_t *gpm_json_row(const struct gpm_rows *rows, const struct gpm_row *row,
                     const struct gpm_choice *choice);
/* Of that, what the row is where its columns do not say so: {"kind": "device"}. */
json_t *gpm_json_row_key(const struct gpm_rows *rows, const struct gpm_row *row);
/* Its fields that are columns of CSV, of such rows; ended by null. */
const char *const *gpm_json_row_names(enum gpm_by by);
json_t *gpm_json_path(const struct gpm_profile *profile, uint32_t node);
/* At most so many of its steps, the innermost. */
json_t *gpm_json_inner_path(const struct gpm_profile *profile, uint32_t node, size_t most);
/* {"file", "line", "function", "variable", "size_expr", "type"} of a call node. */
json_t *gpm_json_place(const struct gpm_profile *profile, uint32_t node);
/* The counters of a class, by name. */
json_t *gpm_json_counters(const struct gpm_reader *reader, enum gpm_counter_class class);
json_t *gpm_json_device_id(const struct gpm_reader *reader, uint32_t device);

/* From here on lists are printed as CSV (csv.h), and nothing around them. */
void gpm_json_as_csv(void);
/* From here on JSON goes there; null: standard output, as in the beginning. */
void gpm_json_to(FILE *file);
/* Prints {"version", "state", "devices", "NAME": [ ... then rows one by one, so that no report has
 * to fit in memory twice; gpm_json_end prints what comes behind them: "conservation", "losses" and
 * so on. As CSV only the rows of lists are printed, below a line with the columns of their object.
 */
#define gpm_json_begin(reader, document, name)                                                     \
  (gpm_json_head(reader), gpm_json_list(document, name))
/* The same in parts: the head, more fields (takes the value), the begin of the list. */
void gpm_json_head(const struct gpm_reader *reader);
#define gpm_json_field(document, name, value)                                                      \
  gpm_json_named_field(GPM_JSON_NAME(document, name), value)
#define gpm_json_list(document, name)                                                              \
  gpm_json_list_of(GPM_JSON_NAME(document, name), GPM_JSON_NUMBER(document, name))
void gpm_json_list_of(const char *name, enum gpm_json_number field);
/* Before a list of rows: the columns of them, which are those of CSV. */
void gpm_json_choose(const char *object, const struct gpm_choice *choice);
/* Another list behind it. */
#define gpm_json_next(document, name) (gpm_json_list_end(), gpm_json_list(document, name))
void gpm_json_list_end(void);
void gpm_json_item(json_t *item, bool first); /* takes the item */
void gpm_json_end(const struct gpm_profile *profile);
/* The same without head and end, for documents that have none: prints {"version": 1, and }. */
void gpm_json_version(void);
void gpm_json_close(void);

/* For the page, whose data is no document of the contract (PAGE.md): the head without the bracket
 * and the version, what comes behind the lists without the bracket that ends all, other names. */
void gpm_json_about(const struct gpm_reader *reader);
void gpm_json_sums(const struct gpm_profile *profile);
void gpm_json_named_field(const char *name, json_t *value);
void gpm_json_named_list(const char *name);

#endif
