/* schema_fields.c - prints the fields of what a command writes, for `gpumemprof schema --fields`.
 * The text is made from the schema (schema.c), so that the two cannot differ. */
#include "schema/schema.h"

#include "contract/documents.h"
#include "support/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends " or WORD". */
static void say_or(char **text, const char *word) {
  char *longer = gpm_memory_format("%s%s%s", *text, **text ? " or " : "", word);
  free(*text);
  *text = longer;
}

static char *type_text(const json_t *type);

static void say_list(char **text, const json_t *type) {
  char *item = type_text(json_object_get(type, "items")),
       *list = gpm_memory_format("list of %s", item);
  say_or(text, list);
  free(item);
  free(list);
}

/* Returns "integer or null" or "list of step". The caller frees it. */
static char *type_text(const json_t *type) {
  char *text = gpm_memory_text("");
  const json_t *of = json_object_get(type, "type"), *any = json_object_get(type, "anyOf"),
               *object = json_object_get(type, "$ref");
  if (object) say_or(&text, strrchr(json_string_value(object), '/') + 1);
  if (json_object_get(type, "items")) say_list(&text, type);
  else if (json_is_string(of)) say_or(&text, json_string_value(of));
  for (size_t i = 0; i < json_array_size(of); i++)
    say_or(&text, json_string_value(json_array_get(of, i)));
  for (size_t i = 0; i < json_array_size(any); i++) {
    char *one = type_text(json_array_get(any, i));
    say_or(&text, one);
    free(one);
  }
  return text;
}

static void print_object(const char *name, const json_t *object) {
  const char *field;
  json_t *type;
  printf("\n%s: %s\n", name, json_string_value(json_object_get(object, "description")));
  json_object_foreach(json_object_get(object, "properties"), field, type) {
    char *text = type_text(type);
    printf("  %-24s %-24s %s\n", field, text,
           json_string_value(json_object_get(type, "description")));
    free(text);
  }
}

static void print_column(const char *name, void *data) {
  bool *any = data;
  printf("%s%s", *any ? "," : "", name);
  *any = true;
}

/* Columns that the user chooses are printed as dots. */
static void print_csv(const char *command) {
  static const char *const chosen[] = {"...", NULL};
  for (const struct gpm_document *d = gpm_documents; d->command; d++) {
    if (strcmp(d->command, command) != 0 || !gpm_entry_of_object(d->row)) continue;
    bool any = false;
    printf("\nCSV%s%s, a row for each %s:\n  ", *d->options ? " of " : "", d->options, d->row);
    gpm_documents_columns(d->row, chosen, print_column, &any);
    putchar('\n');
  }
}

void gpm_schema_print_fields(const char *command) {
  json_t *schema = gpm_schema(command), *object;
  const char *name;
  printf("%s, version %d\n", json_string_value(json_object_get(schema, "title")), GPM_JSON_VERSION);
  json_object_foreach(json_object_get(schema, "$defs"), name, object) print_object(name, object);
  print_csv(command);
  json_decref(schema);
}
