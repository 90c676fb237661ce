/* documents.h - the tables of all.def at run time: what objects JSON documents have, and which
 * columns CSV. schema.c prints them; csv.c takes its header from them.
 */
#ifndef GPM_TOOLS_CONTRACT_DOCUMENTS_H
#define GPM_TOOLS_CONTRACT_DOCUMENTS_H

#include "contract/fields.h"

#include <stdbool.h>

enum gpm_entry_kind {
  GPM_ENTRY_OBJECT, /* begins one; meaning */
  GPM_ENTRY_TAKES,  /* type: what */
  GPM_ENTRY_FIELD,  /* all */
  GPM_ENTRY_CHOSEN,
  GPM_ENTRY_IN_JSON, /* name */
  GPM_ENTRY_END
};
struct gpm_entry {
  enum gpm_entry_kind kind;
  const char *object, *name, *type, *unit, *when, *meaning;
};
/* In the order of the files. The entries of an object stand together. */
extern const struct gpm_entry gpm_entries[];
/* The entry that begins the object; null: there is none. */
const struct gpm_entry *gpm_entries_of(const char *object);
/* --columns chooses among its fields. */
bool gpm_entry_is_chosen(const struct gpm_entry *object);
/* A field of the object has no column in CSV. */
bool gpm_entry_is_in_json_alone(const struct gpm_entry *object, const char *name);

struct gpm_document {
  const char *command, *object, *options;
  const char *row; /* the object that is a row of CSV; "none" */
};
/* Ended by one without a command. */
extern const struct gpm_document gpm_documents[];

/* The object of which a field is a list, or which it is; null: it is none of here. */
const char *gpm_entry_object_of(const char *type);
/* The same of a field by its number. */
const char *gpm_json_item_object(enum gpm_json_number field);

/* Calls `act` for each column that rows of CSV have which are such objects: nested objects have
 * theirs behind a dot. `names` (ended by null) stand where the object takes columns or figures that
 * somebody chose, or for the fields of one of which --columns chose some; null: there are none. One
 * behind a '-' is an object without its fields that are not always there. */
typedef void gpm_column_visitor(const char *name, void *data);
void gpm_columns_of_object(const char *object, const char *const *names, gpm_column_visitor *act,
                           void *data);

#endif
