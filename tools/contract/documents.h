/* documents.h - the tables of all.def at run time: which objects the JSON documents have, and which
 * columns the CSV output has. schema.c prints them; csv.c takes its header from them. */
#ifndef GPM_TOOLS_CONTRACT_DOCUMENTS_H
#define GPM_TOOLS_CONTRACT_DOCUMENTS_H

#include "contract/fields.h"

#include <stdbool.h>

enum gpm_entry_kind {
  GPM_ENTRY_OBJECT, /* begins an object; has `meaning` */
  GPM_ENTRY_TAKES,  /* `type` says what is taken */
  GPM_ENTRY_FIELD,  /* has all members */
  GPM_ENTRY_CHOSEN,
  GPM_ENTRY_IN_JSON, /* has `name` */
  GPM_ENTRY_END
};
struct gpm_entry {
  enum gpm_entry_kind kind;
  const char *object, *name, *type, *unit, *when, *meaning;
};
/* The entries are in the order of the files, and those of one object are contiguous. */
extern const struct gpm_entry gpm_entries[];
/* Returns the entry that begins the object, or null if there is no such object. */
const struct gpm_entry *gpm_entry_of_object(const char *object);
/* Returns whether --columns chooses among the fields of the object. */
bool gpm_entry_is_chosen(const struct gpm_entry *object);
/* Returns whether that field of the object has no column in CSV. */
bool gpm_entry_is_only_in_json(const struct gpm_entry *object, const char *name);

struct gpm_document {
  const char *command, *object, *options;
  const char *row; /* the object that is a row of CSV, or "none" */
};
/* The table ends with an entry whose command is null. */
extern const struct gpm_document gpm_documents[];

/* Returns the object that a field of this type is, or is a list of. Returns null if the type names
 * no object of these tables. */
const char *gpm_entry_object_of(const char *type);
/* Returns the same for a field that is given by its number. */
const char *gpm_entry_item_of(enum gpm_json_number field);

/* Calls `act` for each column of CSV whose rows are such objects. A column of a nested object is
 * named OBJECT.FIELD. `names` (ended by null, or null if there are none) are the columns or figures
 * that were chosen, if the object takes such, or the fields that --columns chose. A name after a
 * '-' is an object without its optional fields. */
typedef void gpm_documents_column_visitor(const char *name, void *data);
void gpm_documents_columns(const char *object, const char *const *names,
                           gpm_documents_column_visitor *act, void *data);

#endif
