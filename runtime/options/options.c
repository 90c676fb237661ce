/* options.c - run-time options: GPUMEMPROF_OPTIONS=key=value:key=value, from options.def.
 *
 * process.c reads them once at start. A value that may be a path ends at the next ':' that begins a
 * "key=" (option_text.h), so that an unknown option does not become part of the value before it. A
 * bad option is reported in one sentence and ignored, because the program must run whatever the
 * environment contains.
 */
#include "options/options.h"
#include "base/text.h"

#include "gpumemprof/option_text.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_SHOWN 1000 /* bytes of a bad option in a message */

struct gpm_options gpm_options;
static bool records_all_code, names_functions;

enum option_type { OPTION_BOOL, OPTION_UINT, OPTION_DURATION, OPTION_WORD, OPTION_STRING };
static const struct {
  const char *key;
  enum option_type type;
} options[] = {
#define GPUMEMPROF_OPTION(key, type, fallback, help) {#key, OPTION_##type},
#include "gpumemprof/options.def"
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

/* Index of the option whose "key=" begins at text, or -1. */
static int option_at(const char *text) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    size_t n = strlen(options[i].key);
    if (!strncmp(text, options[i].key, n) && text[n] == '=') return i;
  }
  return -1;
}

/* The text of an option is kept as it was given. */
static bool keep(char *to, size_t size, const char *value) {
  gpm_text_add(to, size, 0, value);
  return true;
}
#define KEEP(field, is_valid)                                                                      \
  (strlen(value) < sizeof gpm_options.field && (is_valid) &&                                       \
   keep(gpm_options.field, sizeof gpm_options.field, value))

/* An example of the option's values; null: its values have no unit. */
static const char *example_with_unit(const char *key) {
  static const struct {
    const char *key, *example;
  } examples[] = {{"warn", "20GiB or 80%"},
                  {"critical", "20GiB or 95%"},
                  {"growth", "10MiB"},
                  {"monitor", "100ms or 2s"},
                  {"dump", "every:10s, bytes:1GiB"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    if (!strcmp(key, examples[i].key)) return examples[i].example;
  return NULL;
}

static bool set_uses(const char *value) {
  gpm_options.uses_verify = !strcmp(value, "verify");
  if (gpm_options.uses_verify) return gpm_options.uses = true;
  return gpm_values_bool(value, &gpm_options.uses);
}

/* The plugin has an option of the same name, with that value. */
static void say_pages_are_compiled(void) {
  gpm_text_say(
      "GPUMEMPROF_OPTIONS: uses=pages is ignored, because the compiler marks pages: compile "
      "with -fplugin-arg-gpumemprof-uses=pages, and run with history=all:uses=on",
      NULL);
}

static void set(const char *key, const char *value) {
  bool ok = true, listed;
  if (!strcmp(key, "enabled")) ok = gpm_values_bool(value, &gpm_options.enabled);
  else if (!strcmp(key, "quiet")) ok = gpm_values_bool(value, &gpm_options.quiet);
  else if (!strcmp(key, "summary")) ok = gpm_values_bool(value, &gpm_options.summary);
  else if (!strcmp(key, "paused")) ok = gpm_values_bool(value, &gpm_options.paused);
  else if (!strcmp(key, "uses")) ok = set_uses(value);
  else if (!strcmp(key, "cupti"))
    gpm_options.cupti_given = ok = gpm_values_bool(value, &gpm_options.cupti);
  else if (!strcmp(key, "nvtx")) ok = gpm_values_bool(value, &gpm_options.nvtx);
  else if (!strcmp(key, "output")) ok = KEEP(output, *value && strlen(value) < GPM_PATH_MAX - 1);
#define GPUMEMPROF_OPTION_WORDS(name, ...)                                                         \
  else if (!strcmp(key, #name)) ok = KEEP(name, gpm_values_among(value, __VA_ARGS__, NULL));
#include "gpumemprof/option_words.def"
  else if (!strcmp(key, "warn")) ok = KEEP(warn, gpm_values_limit(value, &gpm_options.warn_at));
  else if (!strcmp(key, "critical"))
    ok = KEEP(critical, gpm_values_limit(value, &gpm_options.critical_at));
  else if (!strcmp(key, "growth"))
    ok = KEEP(growth,
              !gpm_values_lack_unit(value) && gpm_values_bytes(value, &gpm_options.growth_bytes));
  else if (!strcmp(key, "dump")) ok = KEEP(dump, gpm_values_dump(value, &gpm_options.when));
  else if (!strcmp(key, "ranks")) ok = KEEP(ranks, gpm_ranks_parse(value, 0, &listed));
  else if (!strcmp(key, "schedule"))
    ok = KEEP(schedule, gpm_values_schedule(value, &gpm_options.steps));
  else if (!strcmp(key, "step")) ok = KEEP(step, *value);
  else if (!strcmp(key, "monitor")) {
    uint64_t ns = 0;
    ok = gpm_values_duration(value, &ns) && (!ns || ns >= GPM_MONITOR_SHORTEST_NS);
    if (ok) gpm_options.monitor = ns;
  } else if (!strcmp(key, "dump_max")) {
    ok = gpm_values_uint(value, &gpm_options.dump_max);
  } else if (!strcmp(key, "ring")) {
    uint64_t events = 0;
    ok = gpm_values_uint(value, &events) && events && events <= (uint64_t)1 << 40;
    if (ok) gpm_options.ring = events;
  } else if (!strcmp(key, "oom_max")) {
    uint64_t most = 0;
    ok = gpm_values_uint(value, &most) && most <= 1000;
    if (ok) gpm_options.oom_max = most;
  } else if (!strcmp(key, "stack")) {
    uint64_t frames = 0;
    ok = gpm_values_uint(value, &frames) && frames >= 16 && frames <= 1u << 24;
    if (ok) gpm_options.stack = frames;
  }
  if (ok && !strcmp(key, "stacks")) gpm_options.stacks_given = true;
  if (ok) return;
  if (!strcmp(key, "uses") && !strcmp(value, "pages")) return say_pages_are_compiled();
  const char *shown = strlen(value) > LONGEST_SHOWN ? "(too long)" : value;
  bool lacks = gpm_values_lack_unit(value) ||
               (!strcmp(key, "monitor") && *value && !value[strspn(value, "0123456789")]);
  const char *example = lacks ? example_with_unit(key) : NULL;
  if (example)
    gpm_text_say("GPUMEMPROF_OPTIONS: '", shown, "' for ", key,
                 " has no unit and is ignored; write ", example, NULL);
  else
    gpm_text_say("GPUMEMPROF_OPTIONS: bad value '", shown, "' for ", key,
                 " is ignored; 'gpumemprof info --options' lists what it takes", NULL);
}

static void set_for_all_code(void) {
  if (!gpm_options.cupti_given) gpm_options.cupti = true;
  if (names_functions && !gpm_options.stacks_given)
    keep(gpm_options.stacks, sizeof gpm_options.stacks, "native");
}

void gpm_options_record_all_code(bool functions) {
  records_all_code = true;
  names_functions = functions;
  set_for_all_code(); /* they may have been read before */
}

static void defaults(void) {
  gpm_options.other_rank = gpm_options.uses_verify = false;
  gpm_options.cupti_given = gpm_options.stacks_given = false;
  gpm_options.when = (struct gpm_dump_when){0};
  gpm_options.warn_at = gpm_options.critical_at = (struct gpm_limit){0};
  gpm_options.steps = (struct gpm_steps){0};
#define OPTION_DEFAULT_BOOL(key, value) gpm_options.key = value;
#define OPTION_DEFAULT_UINT(key, value) gpm_options.key = value;
#define OPTION_DEFAULT_DURATION(key, value) gpm_options.key = value;
#define OPTION_DEFAULT_STRING(key, value)                                                          \
  gpm_text_add(gpm_options.key, sizeof gpm_options.key, 0, value);
#define OPTION_DEFAULT_WORD OPTION_DEFAULT_STRING
#define GPUMEMPROF_OPTION(key, type, fallback, help) OPTION_DEFAULT_##type(key, fallback)
#include "gpumemprof/options.def"
}

bool gpm_options_are_off(void) {
  const char *off = gpm_options_variable("GPUMEMPROF");
  return !gpm_variables_may_be_read() || (off && !strcmp(off, "0"));
}

/* Other ranks than those asked for are not profiled. */
static void choose_rank(void) {
  uint64_t rank;
  bool has_rank = gpm_ranks_own(&rank, NULL), listed;
  if (!gpm_options.enabled || !strcmp(gpm_options.ranks, "all")) return;
  if (has_rank) {
    gpm_options.enabled = gpm_ranks_parse(gpm_options.ranks, rank, &listed) && listed;
    gpm_options.other_rank = !gpm_options.enabled;
  } else
    gpm_text_say("ranks=", gpm_options.ranks,
                 " is ignored: no variable tells the rank of this process "
                 "(OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, RANK and similar ones)",
                 NULL);
}

/* "a.gmprof:quiet": the colon and the text after it are part of the name, because that text is no
 * KEY=VALUE. */
static void say_unusable_output(void) {
  const char *slash = strrchr(gpm_options.output, '/');
  const char *name = slash ? slash + 1 : gpm_options.output, *colon = strrchr(name, ':');
  size_t length = strlen(name);
  bool usual = length > 7 && !strcmp(name + length - 7, ".gmprof");
  if (!colon || usual) return;
  gpm_text_say("GPUMEMPROF_OPTIONS: '", colon,
               "' is taken as a part of the capture's name, because it is no KEY=VALUE; "
               "'gpumemprof info --options' lists the keys",
               NULL);
}

/* Uses of memory are events of the history. */
static void say_uses_without_history(void) {
  if (!gpm_options.uses || strcmp(gpm_options.history, "off") != 0) return;
  gpm_text_say(
      "GPUMEMPROF_OPTIONS: uses=", gpm_options.uses_verify ? "verify" : "on",
      " is ignored, because it is recorded in the history, which is off; write history=all:"
      "uses=",
      gpm_options.uses_verify ? "verify" : "on", NULL);
}

void gpm_options_read(void) {
  defaults();
  const char *text = gpm_options_variable("GPUMEMPROF_OPTIONS");
  while (text && *text) {
    if (*text == ':') {
      text++;
      continue;
    }
    int option = option_at(text);
    bool colons =
        option >= 0 && options[option].type == OPTION_STRING; /* the value may hold them */
    const char *end = gpumemprof_option_end(text, colons);
    char part[GPM_PATH_MAX + 64]; /* a value that is cut here is too long for a path */
    size_t length = (size_t)(end - text);
    if (length >= sizeof part) length = sizeof part - 1;
    memcpy(part, text, length);
    part[length] = 0;
    if (option < 0) {
      if (length > LONGEST_SHOWN) part[LONGEST_SHOWN] = 0;
      gpm_text_say("GPUMEMPROF_OPTIONS: unknown option '", part,
                   "' is ignored; 'gpumemprof info --options' lists them", NULL);
    } else set(options[option].key, part + strlen(options[option].key) + 1);
    text = end;
  }
  if (records_all_code) set_for_all_code();
  if (gpm_options_are_off()) gpm_options.enabled = false;
  choose_rank();
  if (!gpm_options.enabled) return;
  say_unusable_output();
  say_uses_without_history();
  gpm_variables_say_unread();
}

bool gpm_options_output(char *path, size_t size, const char *host, uint64_t pid) {
  bool names_process = false;
  size_t length = 0;
  path[0] = 0;
  for (const char *p = gpm_options.output; *p; p++) {
    char one[2] = {*p, 0};
    if (*p == '%' && p[1] == 'h') length = gpm_text_add(path, size, length, host), p++;
    else if (*p == '%' && p[1] == 'p') {
      length = gpm_text_add_number(path, size, length, pid), p++;
      names_process = true;
    } else if (*p == '%' && p[1] == 'r') {
      uint64_t rank;
      gpm_ranks_own(&rank, NULL);
      length = gpm_text_add_number(path, size, length, rank), p++;
    } else {
      if (*p == '%' && p[1] == '%') p++;
      length = gpm_text_add(path, size, length, one);
    }
  }
  return names_process;
}
