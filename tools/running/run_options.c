/* run_options.c - see run_options.h.
 *
 * The runtime reads the text from left to right, and a later value replaces an earlier one: so the
 * options of the command line are appended to those of the environment. The name of the captures is
 * made absolute here, because the tool searches for them afterwards, and the program may change its
 * folder.
 */
#include "running/run_options.h"

#include "input/command.h"
#include "running/run_values.h"
#include "support/memory.h"
#include "support/text.h"

#include "gpumemprof/option_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *key, *type, *fallback;
} known[] = {
#define GPUMEMPROF_OPTION(key, type, fallback, help) {#key, #type, #fallback},
#include "gpumemprof/options.def"
};
enum { KNOWN = sizeof known / sizeof *known };

/* The index of the option whose "key=" the text begins with, or -1. */
static int option_at(const char *text) {
  for (int i = 0; i < KNOWN; i++) {
    size_t n = strlen(known[i].key);
    if (!strncmp(text, known[i].key, n) && text[n] == '=') return i;
  }
  return -1;
}

static bool has_colons(int option) {
  return option >= 0 && !strcmp(known[option].type, "STRING");
}

/* The last value of a key, found as the runtime parses the text; null: none. To be freed. */
static char *value_of(const char *text, const char *key) {
  char *value = NULL;
  while (*text) {
    int option = option_at(text);
    const char *end = gpumemprof_option_end(text, has_colons(option));
    if (option >= 0 && !strcmp(known[option].key, key)) {
      const char *from = text + strlen(key) + 1;
      free(value);
      value = gpm_memory_format("%.*s", (int)(end - from), from);
    }
    text = *end ? end + 1 : end;
  }
  return value;
}

static void add(struct gpm_run_options *o, const char *key, const char *value) {
  char *longer = gpm_memory_format("%s%s%s=%s", o->text, *o->text ? ":" : "", key, value);
  free(o->text);
  o->text = longer;
}

bool gpm_run_options_is(const struct gpm_run_options *o, const char *key, bool on) {
  static const char *const words[2][4] = {{"0", "no", "off", "false"}, {"1", "yes", "on", "true"}};
  char *value = value_of(o->text, key);
  bool found = false;
  for (size_t i = 0; value && i < 4; i++) found = found || !strcmp(value, words[on][i]);
  free(value);
  return found;
}

char *gpm_run_options_value(const struct gpm_run_options *o, const char *key) {
  return value_of(o->text, key);
}

void gpm_run_options_begin(struct gpm_run_options *o) {
  const char *old = getenv("GPUMEMPROF_OPTIONS");
  *o = (struct gpm_run_options){.text = gpm_memory_text(old ? old : "")};
  o->was_quiet = gpm_run_options_is(o, "quiet", true);
  add(o, "quiet", "1"); /* the tool lists all captures at the end */
}

/* The words that an option accepts, up to a null. Null: it accepts other values, too. */
static const char *const *words_of(const char *key) {
#define GPUMEMPROF_OPTION_WORDS(name, ...)                                                         \
  static const char *const name##_words[] = {__VA_ARGS__, NULL};                                   \
  if (!strcmp(key, #name)) return name##_words;
#include "gpumemprof/option_words.def"
  return NULL;
}

static void demand_word(const char *key, const char *value) {
  const char *const *words = words_of(key);
  for (size_t i = 0; words && words[i]; i++)
    if (!strcmp(words[i], value)) return;
  if (!words) return;
  char *clean = gpm_text_clean(value), *list = gpm_text_alternatives(words);
  gpm_say("`%s` is no value for %s, which takes %s", clean, key, list);
  exit(GPM_EXIT_USAGE);
}

/* As bytes, "20" is hardly what anybody means. */
static void demand_unit(const char *key, const char *value) {
  bool limit = !strcmp(key, "warn") || !strcmp(key, "critical");
  if ((!limit && strcmp(key, "growth") != 0) || !gpm_text_lacks_unit(value)) return;
  if (limit) gpm_say("`%s` for %s has no unit; write %sGiB or %s%%", value, key, value, value);
  else gpm_say("`%s` for %s has no unit; write %sMiB", value, key, value);
  exit(GPM_EXIT_USAGE);
}

static void demand_valid(const char *key, const char *value) {
  const char *takes = NULL;
  if (!strcmp(key, "ranks") && !gpm_run_values_are_ranks(value))
    takes = "ranks as 0,3,8-11, or all";
  if (!strcmp(key, "dump") && !gpm_run_values_is_dump(value))
    takes = "signal:USR2, every:10s, bytes:1GiB and peak, separated by commas, or off";
  if (!takes) return;
  char *clean = gpm_text_clean(value);
  gpm_say("`%s` is no value for %s, which takes %s", clean, key, takes);
  exit(GPM_EXIT_USAGE);
}

/* Whether the value is a word that this option takes besides those of its type. */
static bool is_further_word(const char *key, const char *value) {
#define GPUMEMPROF_OPTION_MORE(name, word)                                                         \
  if (!strcmp(key, #name) && !strcmp(value, word)) return true;
#include "gpumemprof/option_words.def"
  return false;
}

/* Checks what the type says about a value; the runtime checks the rest. */
static bool fits(const char *type, const char *value) {
  static const char *const words[] = {"1", "yes", "on", "true", "0", "no", "off", "false", NULL};
  if (!strcmp(type, "UINT")) return *value && !value[strspn(value, "0123456789")];
  if (!strcmp(type, "DURATION")) return gpm_text_is_duration(value);
  if (strcmp(type, "BOOL") != 0) return *value;
  for (unsigned i = 0; words[i]; i++)
    if (!strcmp(words[i], value)) return true;
  return false;
}

void gpm_run_options_set(struct gpm_run_options *o, const char *key, const char *value) {
  const char *keys[KNOWN + 1] = {NULL};
  for (int i = 0; i < KNOWN; i++) keys[i] = known[i].key;
  size_t option = gpm_say_choice("option of the runtime", key, keys);
  if (!fits(known[option].type, value) && !is_further_word(key, value)) {
    char *clean = gpm_text_clean(value);
    if (!strcmp(known[option].type, "DURATION") && *value && !value[strspn(value, "0123456789")]) {
      gpm_say("`%s` for %s has no unit; write %sms or %ss", clean, key, clean, clean);
      exit(GPM_EXIT_USAGE);
    }
    gpm_say("`%s` is no value for %s, which is of type %s; `gpumemprof info --options` tells more",
            clean, key, known[option].type);
    exit(GPM_EXIT_USAGE);
  }
  demand_word(key, value);
  demand_unit(key, value);
  demand_valid(key, value);
  if (strcmp(key, "output") != 0) return add(o, key, value);
  free(o->output);
  o->output = gpm_memory_text(value);
}

void gpm_run_options_assign(struct gpm_run_options *o, const char *word) {
  const char *sign = strchr(word, '=');
  if (!sign) {
    gpm_say("--option wants KEY=VALUE, not `%s`; `gpumemprof info --options` lists the keys", word);
    exit(GPM_EXIT_USAGE);
  }
  char *key = gpm_memory_format("%.*s", (int)(sign - word), word);
  gpm_run_options_set(o, key, sign + 1);
  free(key);
}

/* Percent signs in the name of the folder are literal. */
static char *absolute(const char *pattern) {
  char *folder = *pattern == '/' ? NULL : getcwd(NULL, 0);
  if (!folder) return gpm_memory_text(pattern);
  char *escaped = gpm_memory_array(2 * strlen(folder) + 1, 1), *to = escaped;
  for (const char *p = folder; *p; p++) {
    if (*p == '%') *to++ = '%';
    *to++ = *p;
  }
  char *whole = gpm_memory_format("%s/%s", escaped, pattern);
  free(folder);
  free(escaped);
  return whole;
}

static char *usual_output(void) {
  for (int i = 0; i < KNOWN; i++) {
    size_t length = strlen(known[i].fallback); /* with its quotes */
    if (!strcmp(known[i].key, "output"))
      return gpm_memory_format("%.*s", (int)length - 2, known[i].fallback + 1);
  }
  return gpm_memory_text("");
}

bool gpm_run_options_export(struct gpm_run_options *o) {
  if (!o->output) o->output = value_of(o->text, "output");
  if (!o->output || !*o->output) {
    free(o->output);
    o->output = usual_output();
  }
  char *whole = absolute(o->output);
  free(o->output);
  o->output = whole;
  add(o, "output", whole);
  char *read = value_of(o->text, "output");
  bool same = read && !strcmp(read, whole);
  free(read);
  if (!same)
    gpm_say("the name %s cannot be passed on: it contains an option of the runtime", whole);
  else setenv("GPUMEMPROF_OPTIONS", o->text, 1);
  return same;
}

int gpm_run_options_signal(const struct gpm_run_options *o) {
  static const char word[] = "signal:";
  char *dump = value_of(o->text, "dump"), *rest = NULL;
  int number = 0;
  for (char *one = dump ? strtok_r(dump, ",", &rest) : NULL; one; one = strtok_r(NULL, ",", &rest))
    if (!strncmp(one, word, strlen(word))) number = gpm_run_values_signal(one + strlen(word));
  free(dump);
  return number;
}

void gpm_run_options_free(struct gpm_run_options *o) {
  free(o->text);
  free(o->output);
}
