/* csv.c - see csv.h. */
#include "output/csv.h"

#include "contract/documents.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether a spreadsheet would evaluate the text as a formula. */
static bool is_formula(const char *text) {
  bool sign = *text == '-' || *text == '+';
  return *text == '=' || *text == '@' || (sign && !strchr("0123456789.", text[1]));
}

void gpm_csv_print_text(const char *text) {
  const char *before = is_formula(text) ? "'" : "";
  if (!text[strcspn(text, ",\"\n\r")]) {
    printf("%s%s", before, text);
    return;
  }
  printf("\"%s", before);
  for (; *text; text++) {
    if (*text == '"') putchar('"');
    putchar(*text);
  }
  putchar('"');
}

static struct {
  json_t *index; /* name of a column -> its number, in the order of the columns */
  size_t count;
  bool begun;
  bool printed; /* an earlier list; an empty line separates the two */
} list;

static void add_column(const char *name, void *data) {
  (void)data;
  if (json_object_get(list.index, name)) return; /* a row's key may be among its columns */
  printf("%s%s", list.count ? "," : "", name);
  json_object_set_new(list.index, name, json_integer((json_int_t)list.count++));
}

void gpm_csv_begin(const char *object, const char *const *names) {
  if (list.begun) return;
  if (list.printed) putchar('\n');
  list.begun = list.printed = true;
  list.index = json_object();
  gpm_documents_columns(object, names, add_column, NULL);
  putchar('\n');
}

/* ---- one item ----------------------------------------------------------------------------------
 */

/* Assigns each value to the cell of its column. Values without a column are dropped. */
static void put_cells(json_t *object, const char *before, const json_t **cell) {
  const char *key;
  json_t *value, *at;
  json_object_foreach(object, key, value) {
    char *name = *before ? gpm_memory_format("%s.%s", before, key) : gpm_memory_text(key);
    if (json_is_object(value)) put_cells(value, name, cell);
    else if ((at = json_object_get(list.index, name))) cell[json_integer_value(at)] = value;
    free(name);
  }
}

/* at_peak_percent, difference.at_peak_percent, at_peak_percent.mean */
static bool is_percent(const char *name) {
  static const char end[] = "_percent";
  for (const char *at = name; (at = strstr(at, end)); at++)
    if (!at[sizeof end - 1] || at[sizeof end - 1] == '.') return true;
  return false;
}

void gpm_csv_print_cell(const char *name, const json_t *value) {
  if (!value || json_is_null(value)) return;
  if (json_is_string(value)) {
    gpm_csv_print_text(json_string_value(value));
    return;
  }
  if (json_is_integer(value)) {
    printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return;
  }
  if (json_is_real(value) && is_percent(name)) {
    printf("%.2f", json_real_value(value));
    return;
  }
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
  gpm_csv_print_text(text ? text : "");
  free(text);
}

void gpm_csv_item(json_t *item) {
  const json_t **cell = gpm_memory_array(list.count, sizeof *cell);
  put_cells(item, "", cell);
  const char *name;
  json_t *number;
  json_object_foreach(list.index, name, number) {
    json_int_t i = json_integer_value(number);
    if (i) putchar(',');
    gpm_csv_print_cell(name, cell[i]);
  }
  putchar('\n');
  free(cell);
  json_decref(item);
}

void gpm_csv_end(void) {
  json_decref(list.index);
  list.index = NULL;
  list.count = 0;
  list.begun = false;
}
