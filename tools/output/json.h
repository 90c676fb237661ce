/* json.h - the parts of a report as JSON, by jansson. Names are fixed: people script against them.
 */
#ifndef GPM_TOOLS_JSON_H
#define GPM_TOOLS_JSON_H

#include "output/summary.h"
#include "rows/columns.h"

#include <jansson.h>

json_t *gpm_json_text(const char *text); /* any bytes; what is no UTF-8 is replaced */
json_t *gpm_json_figure(const struct gpm_row *row, enum gpm_figure figure);
json_t *gpm_json_row(const struct gpm_rows *rows, const struct gpm_row *row,
                     const struct gpm_choice *choice);
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
/* Prints {"state", "devices", "NAME": [ ... then rows one by one, so that no report has to fit in
 * memory twice; gpm_json_end prints what comes behind them: "conservation", "losses", "failed". */
void gpm_json_begin(const struct gpm_reader *reader, const char *name);
/* The same in parts: the head, more fields (takes the value), the begin of the list. */
void gpm_json_head(const struct gpm_reader *reader);
void gpm_json_field(const char *name, json_t *value);
void gpm_json_list(const char *name);
void gpm_json_next(const char *name);         /* another list behind it */
void gpm_json_item(json_t *item, bool first); /* takes the item */
void gpm_json_end(const struct gpm_profile *profile);
/* Of that, what comes behind the lists, without the bracket that ends all. */
void gpm_json_sums(const struct gpm_profile *profile);

#endif
