/* values.c - see values.h. Lists that a .def file defines are taken from it. The others are defined
 * here, and a test passes each word to the command. */
#include "manual/values.h"

#include "contract/documents.h"
#include "export/export.h"
#include "input/columns_asked.h"
#include "input/fields.h"
#include "rows/columns.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first entry that matches is used; null as the command matches any. */
static const struct list {
  const char *command, *option, *words;
} lists[] = {
    {"matrix", "by", "function line"},
    {"lifetimes", "by", "line function file path"},
    {"histogram", "of", "size lifetime"},
    {"timeline", "axis", "time clock"},
    {"merge", "by", "line function file path kind device label variable type"},
    {"diff", "by", "line function"},
    {NULL, "names", "full short"},
    {NULL, "wrappers", "hide show"},
    {"run", "history", "off ring all"},
    {"dryrun", "history", "off ring all"},
    {NULL, "layout", "table cupy"},
    {
        "flags",
        "llvm",
#define GPUMEMPROF_LLVM(version) " " #version
#include "gpumemprof/llvm_versions.def"
    },
};

static const struct value { /* all that match are visited */
  const char *command, *option, *word, *text;
} values[] = {
#define GPM_BY(NAME, name, text) {NULL, "by", name, text},
#include "model/by.def"
#define GPUMEMPROF_KIND(NAME, name, on_device, text) {NULL, "kind", name, text},
#include "gpumemprof/kinds.def"
#define GPM_NEEDS_TREE ""
#define GPM_NEEDS_EVENTS "; needs history=all"
#define GPM_NEEDS_BOTH ""
#define GPM_EXPORT(NAME, name, suffix, from, form, what, viewers)                                  \
  {"export", "to", name, NULL},                                                                    \
      {"export", "format", name, what GPM_NEEDS_##from ". Opened by " viewers},
#include "export/exports.def"
#define GPM_TOP_COLUMN(name, title, width, key, definition) {"top", "sort", #name, definition},
#include "top/top_columns.def"
#define GPM_EXPORT_VALUE(name) {"export", "value", #name, NULL},
    GPM_EXPORT_VALUES(GPM_EXPORT_VALUE)
#undef GPM_EXPORT_VALUE
};

static bool is_of(const char *of, const char *word, const struct gpm_command *command,
                  const char *option) {
  return !strcmp(word, option) && (!of || !strcmp(of, command->name));
}

static void visit_words(const char *list,
                        void (*visit)(void *to, const char *word, const char *text), void *to) {
  char *words = gpm_memory_text(list);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) visit(to, word, NULL);
  free(words);
}

static void visit_fields(const struct gpm_command *command,
                         void (*visit)(void *to, const char *word, const char *text), void *to) {
  for (unsigned i = 0; i < GPM_FIELD_COUNT; i++) {
    const struct gpm_field *f = &gpm_fields[i];
    if (!strcmp(f->command, command->name)) visit(to, f->key, f->definition);
  }
}

/* Beside the source there are no columns of texts. */
static void visit_columns(const struct gpm_command *command,
                          void (*visit)(void *to, const char *word, const char *text), void *to) {
  bool annotated = !strcmp(command->name, "annotate");
  unsigned count = annotated ? (unsigned)GPM_FIGURE_COUNT : GPM_COLUMN_COUNT;
  for (unsigned i = 0; i < count; i++)
    if (gpm_asked_has_column(command, i)) visit(to, gpm_columns[i].key, gpm_columns[i].definition);
}

/* Visits the words that the help of the command explains. */
static void visit_explained(const struct gpm_command *command,
                            void (*visit)(void *to, const char *word, const char *text), void *to) {
  for (const struct argp_option *o = gpm_options_words(command); o->doc; o++)
    if (o->name) visit(to, o->name, o->doc);
}

void gpm_values_visit(const struct gpm_command *command, const char *option,
                      void (*visit)(void *to, const char *word, const char *text), void *to) {
  if (!strcmp(option, "rule")) return visit_explained(command, visit, to);
  if (!strcmp(option, "format") && *command->formats)
    return visit_words(command->formats, visit, to);
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    if (is_of(lists[i].command, lists[i].option, command, option))
      return visit_words(lists[i].words, visit, to);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    if (is_of(values[i].command, values[i].option, command, option))
      visit(to, values[i].word, values[i].text);
  if (strcmp(option, "columns") != 0 && strcmp(option, "sort") != 0) return;
  if (gpm_fields_are_of(command)) visit_fields(command, visit, to);
  else if (strcmp(command->name, "top") != 0)
    visit_columns(command, visit, to); /* top has its own columns */
}

/* Returns the commands that write JSON, each once: those with a document that needs no option. */
static const char *documents(void) {
  static char words[512];
  *words = 0;
  for (const struct gpm_document *d = gpm_documents; d->command; d++)
    if (!*d->options)
      snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? " " : "",
               d->command);
  return words;
}

const char *gpm_values_words(const struct gpm_command *c) {
  if (!strcmp(c->name, "schema")) return documents();
  if (!strcmp(c->name, "flags")) return "clang nvcc sim";
  if (!strcmp(c->name, "completion")) return "bash zsh fish";
  if (strcmp(c->name, "man") != 0) return NULL;
#define GPM_COMMAND(name, arguments, takes, rows, sort, formats, summary, example, more) " " #name
  return "1 3"
#include "input/commands.def"
      ;
}

bool gpm_values_are_files(const struct argp_option *o) {
  return o->arg && (!strcmp(o->arg, "FILE") || !strcmp(o->arg, "PATH") || !strcmp(o->arg, "BASE"));
}
