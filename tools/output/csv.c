/* csv.c - see csv.h. */
#include "output/csv.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A spreadsheet would compute it. */
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
  json_t *items;       /* not printed yet, or null */
  json_t *place;       /* name of a column -> its number */
  const char **column; /* names, which are place's */
  size_t count;
  bool said; /* by gpm_csv_columns: items are printed as they come */
} list;

static void add_column(const char *name) {
  if (!list.place) list.place = json_object();
  if (json_object_get(list.place, name)) return;
  json_object_set_new(list.place, name, json_integer((json_int_t)list.count));
  list.column = gpm_memory_resize(list.column, list.count + 1, sizeof *list.column);
  list.column[list.count++] =
      json_object_iter_key(json_object_iter_at(list.place, name)); /* stays while place does */
}

static void print_names(void) {
  for (size_t i = 0; i < list.count; i++) printf("%s%s", i ? "," : "", list.column[i]);
  putchar('\n');
}

/* ---- one item ----------------------------------------------------------------------------------
 */

/* Calls `act` for each value that is a cell. */
typedef void visitor(const char *name, json_t *value, void *data);
static void visit(json_t *object, const char *before, visitor *act, void *data) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    char *name = *before ? gpm_memory_format("%s.%s", before, key) : gpm_memory_text(key);
    if (json_is_object(value)) visit(value, name, act, data);
    else act(name, value, data);
    free(name);
  }
}

static void note_column(const char *name, json_t *value, void *data) {
  (void)value;
  (void)data;
  add_column(name);
}

static void note_cell(const char *name, json_t *value, void *data) {
  json_t **cell = data, *at = json_object_get(list.place, name);
  if (at) cell[json_integer_value(at)] = value;
}

static void print_cell(json_t *value) {
  if (!value || json_is_null(value)) return;
  if (json_is_string(value)) {
    gpm_csv_print_text(json_string_value(value));
    return;
  }
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
  gpm_csv_print_text(text ? text : "");
  free(text);
}

static void print_item(json_t *item) {
  json_t **cell = gpm_memory_array(list.count, sizeof(json_t *));
  visit(item, "", note_cell, cell);
  for (size_t i = 0; i < list.count; i++) {
    if (i) putchar(',');
    print_cell(cell[i]);
  }
  putchar('\n');
  free(cell);
}

/* ---- lists -------------------------------------------------------------------------------------
 */

void gpm_csv_columns(const char *const *names) {
  while (*names) add_column(*names++);
  list.said = true;
  print_names();
}

void gpm_csv_item(json_t *item) {
  if (list.said) {
    print_item(item);
    json_decref(item);
    return;
  }
  visit(item, "", note_column, NULL);
  if (!list.items) list.items = json_array();
  json_array_append_new(list.items, item);
}

static bool has_parts(size_t column) {
  size_t length = strlen(list.column[column]);
  for (size_t i = 0; i < list.count; i++)
    if (!strncmp(list.column[i], list.column[column], length) && list.column[i][length] == '.')
      return true;
  return false;
}

/* Where one item has null and another an object there is no column for the null. Names are those of
 * `place`, and gone with what is taken out of it: so all are looked at first. */
static void drop_nulls(void) {
  bool *dropped = gpm_memory_array(list.count, sizeof *dropped);
  for (size_t i = 0; i < list.count; i++) dropped[i] = has_parts(i);
  size_t kept = 0;
  for (size_t i = 0; i < list.count; i++)
    if (dropped[i]) json_object_del(list.place, list.column[i]);
    else list.column[kept++] = list.column[i];
  list.count = kept;
  for (size_t i = 0; i < kept; i++)
    json_object_set_new(list.place, list.column[i], json_integer((json_int_t)i));
  free(dropped);
}

void gpm_csv_end(void) {
  size_t i;
  json_t *item;
  if (list.items) {
    drop_nulls();
    print_names();
  }
  json_array_foreach(list.items, i, item) print_item(item);
  json_decref(list.items);
  json_decref(list.place);
  free(list.column);
  memset(&list, 0, sizeof list);
}
