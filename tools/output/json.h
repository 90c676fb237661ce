/* json.h - the parts of a report as JSON, made with jansson (json.c), and the document that they
 * are in (json_document.c). Names do not change, because users' scripts depend on them. */
#ifndef GPM_TOOLS_JSON_H
#define GPM_TOOLS_JSON_H

#include "contract/fields.h"
#include "output/summary.h"
#include "rows/columns.h"

#include <jansson.h>

json_t *gpm_json_text(const char *text); /* any bytes; invalid UTF-8 is replaced */
json_t *gpm_json_figure(const struct gpm_row *row, enum gpm_figure figure);
/* What the column `operands` holds; null: the size has none. */
json_t *gpm_json_operands(const struct gpm_rows *rows, const struct gpm_row *row);
/* Returns the call that is charged with the memory of a row if wrappers are hidden, or JSON's null
 * if these are several calls. Null: the row's memory is no wrapper's. */
json_t *gpm_json_responsible(const struct gpm_rows *rows, const struct gpm_row *row);
json_t *gpm_json_row(const struct gpm_rows *rows, const struct gpm_row *row,
                     const struct gpm_choice *choice);
/* Returns the part of a row's JSON that says what the row is if its columns do not: {"kind":
 * "device"}. */
json_t *gpm_json_row_key(const struct gpm_rows *rows, const struct gpm_row *row);
/* Returns the names of those fields that are columns of CSV, for such rows. Ended by null. */
const char *const *gpm_json_row_names(enum gpm_by by);
json_t *gpm_json_path(const struct gpm_profile *profile, uint32_t node);
/* Returns the innermost steps of the path, at most `most`. */
json_t *gpm_json_inner_path(const struct gpm_profile *profile, uint32_t node, size_t most);
/* Returns {"file", "line", "function", "variable", "size_expr", "type"} of a call node. */
json_t *gpm_json_location(const struct gpm_profile *profile, uint32_t node);
/* Returns the same of a site, or of GPUMEMPROF_NONE. */
json_t *gpm_json_site(const struct gpm_reader *reader, uint32_t site);
json_t *gpm_json_device_id(const struct gpm_reader *reader, uint32_t device);

/* ---- json_document.c ---- */

/* Returns the counters of a class, by name. */
json_t *gpm_json_counters(const struct gpm_reader *reader, enum gpm_counter_class class);
/* Return the object `filter`: --filter as given, and what it left; `left` is null if that is not
 * known. */
json_t *gpm_json_filter(const struct gpm_patterns *patterns, const struct gpm_conservation *left);
json_t *gpm_json_filter_of(const struct gpm_profile *profile);
/* From now on prints only lists, as CSV (csv.h). */
void gpm_json_as_csv(void);
/* From now on prints JSON to this file. Null means standard output, which is the default. */
void gpm_json_to(FILE *file);
/* Prints {"version", "state", "devices", "filter", "NAME": [ ... Rows follow one by one, so that no
 * report has to fit in memory twice; gpm_json_end prints what comes after them: "conservation",
 * "losses" and so on. As CSV only the rows of lists are printed, below a header with the columns of
 * their object. */
#define gpm_json_begin(profile, document, name)                                                    \
  (gpm_json_head(profile), gpm_json_list(document, name))
/* Print the same in parts: the head, more fields (these take ownership of the value), the begin of
 * the list. */
void gpm_json_head(const struct gpm_profile *profile);
#define gpm_json_field(document, name, value)                                                      \
  gpm_json_named_field(GPM_JSON_NAME(document, name), value)
#define gpm_json_list(document, name)                                                              \
  gpm_json_list_of(GPM_JSON_NAME(document, name), GPM_JSON_NUMBER(document, name))
void gpm_json_list_of(const char *name, enum gpm_json_number field);
/* Sets the columns of the list of rows that follows. They are the columns of its CSV. */
void gpm_json_choose(const char *object, const struct gpm_choice *choice);
/* Ends the list and begins another one. */
#define gpm_json_next(document, name) (gpm_json_list_end(), gpm_json_list(document, name))
void gpm_json_list_end(void);
void gpm_json_item(json_t *item, bool first); /* takes ownership of the item */
void gpm_json_end(const struct gpm_profile *profile);
/* Print {"version": 1, and } for documents that have no other head and end. */
void gpm_json_version(void);
void gpm_json_close(void);

/* For the page, whose data is not a document of the contract (PAGE.md): the head without its
 * bracket and version, the fields after the lists without the closing bracket, and fields and lists
 * with other names. */
void gpm_json_about(const struct gpm_reader *reader);
void gpm_json_sums(const struct gpm_profile *profile);
void gpm_json_named_field(const char *name, json_t *value);
void gpm_json_named_list(const char *name);

#endif
