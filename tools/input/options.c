/* options.c - see options.h. */
#include "input/options.h"

#include "input/command.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { GPM_FORMATS = 16 }; /* the most formats of a command */
#define GROUP 1            /* in argp's help, shared options follow the command's own */

static const struct argp_option shared[] = {
#define GPM_SHARED(NAME, name, key, value, help) {name, key, value, 0, help, GROUP},
#include "input/options.def"
};

static const struct refusal {
  const char *command;
  enum gpm_shared option;
  const char *why;
} refusals[] = {
#define GPM_REFUSED(command, NAME, why) {#command, GPM_SHARED_##NAME, why},
#include "input/options.def"
    {NULL, GPM_SHARED_COUNT, NULL},
};

static const char *why_refused(const struct gpm_command *c, unsigned option) {
  for (const struct refusal *r = refusals; r->command; r++)
    if (r->option == option && !strcmp(r->command, c->name)) return r->why;
  return NULL;
}

static bool is_own(const struct gpm_command *c, const char *name) {
  for (const struct argp_option *o = c->options; o->name; o++)
    if (!strcmp(o->name, name)) return true;
  return false;
}

/* ---- help --------------------------------------------------------------------------------------
 */

/* Splits the formats of a command into words, ended by a null. The caller frees words[0]. */
static void split_formats(const struct gpm_command *c, const char *words[GPM_FORMATS + 1]) {
  char *rest = gpm_memory_text(c->formats);
  unsigned count = 0;
  while (rest && count < GPM_FORMATS) words[count++] = strsep(&rest, " ");
  words[count] = NULL;
}

/* Returns "table, json or csv". The caller frees it. */
static char *formats_of(const struct gpm_command *c) {
  const char *words[GPM_FORMATS + 1];
  split_formats(c, words);
  char *text = gpm_text_alternatives(words);
  free((void *)(uintptr_t)words[0]);
  return text;
}

size_t gpm_options_format(const struct gpm_command *c, const char *word) {
  const char *words[GPM_FORMATS + 1];
  split_formats(c, words);
  size_t chosen = gpm_say_choice("format", word, words);
  free((void *)(uintptr_t)words[0]);
  return chosen;
}

static char *value_of(const struct gpm_command *c, const char *name) {
  if (!strcmp(name, "%sort")) return gpm_memory_text(c->sort);
  if (!strcmp(name, "%formats")) return formats_of(c);
  return c->rows ? gpm_memory_format("%u in tables, else all", c->rows) : gpm_memory_text("all");
}

/* Returns the help with each %name replaced by the value of the command. The caller frees it. */
static char *help_of(const struct gpm_command *c, const char *help) {
  static const char *const names[] = {"%rows", "%sort", "%formats"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *at = strstr(help, names[i]);
    if (!at) continue;
    char *value = value_of(c, names[i]);
    char *text =
        gpm_memory_format("%.*s%s%s", (int)(at - help), help, value, at + strlen(names[i]));
    free(value);
    return text;
  }
  return gpm_memory_text(help);
}

/* ---- the list ----------------------------------------------------------------------------------
 */

static void add(struct gpm_options *o, const struct argp_option *option) {
  o->list[o->count++] = *option;
}

static void add_shared(struct gpm_options *o, const struct gpm_command *c) {
  for (unsigned i = 0; i < GPM_SHARED_COUNT; i++) {
    if (!(c->takes >> i & 1) || is_own(c, shared[i].name)) continue;
    struct argp_option option = shared[i];
    option.doc = o->help[i] = help_of(c, option.doc);
    add(o, &option);
  }
}

static void add_refused(struct gpm_options *o, const struct gpm_command *c) {
  for (unsigned i = 0; i < GPM_SHARED_COUNT; i++) {
    if (c->takes >> i & 1 || is_own(c, shared[i].name) || !why_refused(c, i)) continue;
    struct argp_option option = shared[i];
    option.key = GPM_OPTION_REFUSED + (int)i;
    option.flags = OPTION_HIDDEN;
    add(o, &option);
  }
}

const struct argp_option *gpm_options_words(const struct gpm_command *c) {
  const struct argp_option *o = c->options;
  while (o->name) o++;
  return o;
}

void gpm_options_make(struct gpm_options *o, const struct gpm_command *c) {
  const struct argp_option *word = gpm_options_words(c);
  unsigned own = (unsigned)(word - c->options), words = 0;
  while (word[words].doc) words++;
  *o = (struct gpm_options){
      .own = own, .list = gpm_memory_array(own + GPM_SHARED_COUNT + words + 2, sizeof *o->list)};
  for (unsigned i = 0; i < own; i++) add(o, &c->options[i]);
  add_shared(o, c);
  unsigned count = o->count;
  static const struct argp_option headline = {.doc = "Options that commands share:",
                                              .group = GROUP};
  if (c->takes) add(o, &headline);
  add_refused(o, c);
  for (unsigned i = 0; i < words; i++) add(o, &word[i]);
  o->count = count;
}

void gpm_options_free(struct gpm_options *o) {
  for (unsigned i = 0; i < GPM_SHARED_COUNT; i++) free(o->help[i]);
  free(o->list);
}

char *gpm_options_refusal(const struct gpm_command *c, int key) {
  unsigned i = (unsigned)key - GPM_OPTION_REFUSED;
  const char *why = i < GPM_SHARED_COUNT ? why_refused(c, i) : NULL;
  return why ? gpm_memory_format("--%s is not for %s: %s", shared[i].name, c->name, why) : NULL;
}
