/* documents.c - see documents.h. */
#include "contract/documents.h"

#include <stdio.h>
#include <string.h>

const struct gpm_entry gpm_entries[] = {
#define GPM_OBJECT(object, meaning) {GPM_ENTRY_OBJECT, #object, NULL, NULL, NULL, NULL, meaning},
#define GPM_TAKES(object, what) {GPM_ENTRY_TAKES, #object, NULL, what, NULL, NULL, NULL},
#define GPM_FIELD(object, name, type, unit, when, meaning)                                         \
  {GPM_ENTRY_FIELD, #object, #name, type, unit, when, meaning},
#define GPM_CHOSEN(object) {GPM_ENTRY_CHOSEN, #object, NULL, NULL, NULL, NULL, NULL},
#define GPM_IN_JSON(object, name) {GPM_ENTRY_IN_JSON, #object, #name, NULL, NULL, NULL, NULL},
#include "contract/all.def"
    {GPM_ENTRY_END, "", NULL, NULL, NULL, NULL, NULL},
};

const struct gpm_document gpm_documents[] = {
#define GPM_DOCUMENT(command, object, row, options) {#command, #object, options, #row},
#include "contract/all.def"
    {NULL, NULL, NULL, NULL},
};

static const char *const types[] = {
#define GPM_FIELD(object, name, type, unit, when, meaning) type,
#include "contract/all.def"
};

const struct gpm_entry *gpm_entry_of_object(const char *object) {
  for (const struct gpm_entry *e = gpm_entries; e->kind != GPM_ENTRY_END; e++)
    if (e->kind == GPM_ENTRY_OBJECT && !strcmp(e->object, object)) return e;
  return NULL;
}

const char *gpm_entry_object_of(const char *type) {
  static const char list[] = "list of ";
  while (!strncmp(type, list, sizeof list - 1)) type += sizeof list - 1;
  size_t length = strcspn(type, " ");
  for (const struct gpm_entry *e = gpm_entries; e->kind != GPM_ENTRY_END; e++)
    if (e->kind == GPM_ENTRY_OBJECT && strlen(e->object) == length &&
        !strncmp(e->object, type, length))
      return e->object;
  return NULL;
}

const char *gpm_entry_item_of(enum gpm_json_number field) {
  return gpm_entry_object_of(types[field]);
}

/* ---- columns of CSV ----------------------------------------------------------------------------
 */

struct columns {
  const char *const *names;
  bool whole; /* includes the optional fields */
  gpm_documents_column_visitor *act;
  void *data;
};

static void visit_object(const struct columns *c, const char *object, const char *before);

bool gpm_entry_is_chosen(const struct gpm_entry *object) {
  return object[1].kind == GPM_ENTRY_CHOSEN;
}

bool gpm_entry_is_only_in_json(const struct gpm_entry *object, const char *name) {
  for (const struct gpm_entry *e = object + 1; !strcmp(e->object, object->object); e++)
    if (e->kind == GPM_ENTRY_IN_JSON && !strcmp(e->name, name)) return true;
  return false;
}

/* Visits one column, or the columns of an object. A list takes one column, whose cells hold
 * JSON. */
static void visit_value(const struct columns *c, const char *before, const char *name,
                        const char *type) {
  char column[256];
  snprintf(column, sizeof column, "%s%s%s", before, *before ? "." : "", name);
  const char *object = strncmp(type, "list of ", 8) != 0 ? gpm_entry_object_of(type) : NULL;
  if (object) visit_object(c, object, column);
  else c->act(column, c->data);
}

static void visit_chosen(const struct columns *c, const char *before, const char *type) {
  for (const char *const *name = c->names; name && *name; name++) {
    struct columns of = *c;
    of.whole = **name != '-';
    visit_value(&of, before, *name + !of.whole, type);
  }
}

static void visit_words(const struct columns *c, const char *before, const char *words) {
  char name[64];
  int length;
  for (; sscanf(words, " %63s%n", name, &length) == 1; words += length)
    visit_value(c, before, name, "");
}

static void visit_kinds(const struct columns *c, const char *before, const char *type) {
  static const char *const kinds[] = {
#define GPUMEMPROF_KIND(NAME, name, on_device, text) name,
#include "gpumemprof/kinds.def"
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) visit_value(c, before, kinds[i], type);
}

/* A row_key is not visited here: those of its fields that a report has are among the names. */
static void visit_taken(const struct columns *c, const char *what, const char *before) {
  bool chosen = !strcmp(what, "columns") || !strcmp(what, "figures");
  if (chosen) visit_chosen(c, before, "");
  else if (!strncmp(what, "columns ", 8)) visit_words(c, before, what + 8);
  else if (!strncmp(what, "figures ", 8)) visit_chosen(c, before, what + 8);
  else if (!strncmp(what, "kinds ", 6)) visit_kinds(c, before, what + 6);
  else if (strcmp(what, "row_key") != 0) visit_object(c, what, before);
}

/* Returns the field of that name, which the object may take from another object. */
static const struct gpm_entry *field_of(const char *object, const char *name) {
  const struct gpm_entry *of = gpm_entry_of_object(object), *found = NULL;
  if (!of) return NULL;
  for (const struct gpm_entry *e = of + 1; !found && !strcmp(e->object, object); e++) {
    if (e->kind == GPM_ENTRY_TAKES) found = field_of(e->type, name);
    else if (e->kind == GPM_ENTRY_FIELD && !strcmp(e->name, name)) found = e;
  }
  return found;
}

/* A name that is no field is `location`, which means the fields of object `location`. */
static void visit_fields(const struct columns *c, const char *object, const char *before) {
  struct columns all = {NULL, true, c->act, c->data};
  for (const char *const *name = c->names; *name; name++) {
    const struct gpm_entry *field = field_of(object, *name);
    if (field) visit_value(&all, before, field->name, field->type);
    else visit_object(&all, "location", before);
  }
}

static void visit_object(const struct columns *c, const char *object, const char *before) {
  const struct gpm_entry *of = gpm_entry_of_object(object);
  if (!of) return;
  if (c->names && gpm_entry_is_chosen(of)) {
    visit_fields(c, object, before);
    return;
  }
  for (const struct gpm_entry *e = of + 1; !strcmp(e->object, object); e++) {
    if (e->kind == GPM_ENTRY_TAKES) visit_taken(c, e->type, before);
    else if (e->kind == GPM_ENTRY_FIELD && (c->whole || !*e->when) &&
             !gpm_entry_is_only_in_json(of, e->name))
      visit_value(c, before, e->name, e->type);
  }
}

void gpm_documents_columns(const char *object, const char *const *names,
                           gpm_documents_column_visitor *act, void *data) {
  struct columns c = {names, true, act, data};
  visit_object(&c, object, "");
}
