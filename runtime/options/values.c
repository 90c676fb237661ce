/* values.c - parses the value that follows the "key=" of an option: switches, numbers, times,
 * sizes, and when to make dumps.
 *
 * options.c calls it and reports what is wrong. Nothing here depends on the name of an option.
 */
#include "base/text.h"
#include "options/options.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool gpm_values_bool(const char *text, bool *value) {
  static const char *const yes[] = {"1", "yes", "on", "true"};
  static const char *const no[] = {"0", "no", "off", "false"};
  for (int i = 0; i < 4; i++) {
    if (!strcmp(text, yes[i])) return *value = true, true;
    if (!strcmp(text, no[i])) return *value = false, true;
  }
  return false;
}

bool gpm_values_among(const char *text, ...) {
  va_list words;
  bool found = false;
  va_start(words, text);
  for (const char *word; !found && text && (word = va_arg(words, const char *));)
    found = !strcmp(text, word);
  va_end(words);
  return found;
}

void gpm_values_refuse(const char *call, const char *word, const char *usage) {
  gpm_text_say(call, ": there is no mode `",
               !word                ? ""
               : strlen(word) < 100 ? word
                                    : "(too long)",
               "`; use ", usage, NULL);
}

bool gpm_values_uint(const char *text, uint64_t *value) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  uint64_t number = strtoull(text, &end, 10);
  if (*end) return false;
  *value = number;
  return true;
}

/* ---- numbers with a unit, and perhaps a fraction: "1.5s" ----------------------------------------
 */

struct unit {
  const char *name;
  uint64_t factor;
};

static bool measure_of(const char *text, const struct unit *units, size_t count, uint64_t *value) {
  uint64_t whole = 0, part = 0, scale = 1;
  const char *p = text;
  for (; *p >= '0' && *p <= '9'; p++)
    if ((whole = whole * 10 + (uint64_t)(*p - '0')) > UINT64_MAX / 100) return false;
  if (p == text) return false;
  if (*p == '.')
    for (p++; *p >= '0' && *p <= '9' && scale < 1000000000; p++) {
      part = part * 10 + (uint64_t)(*p - '0');
      scale *= 10;
    }
  for (size_t i = 0; i < count; i++)
    if (!strcmp(p, units[i].name) && whole < UINT64_MAX / 4 / units[i].factor)
      return *value = whole * units[i].factor + part * units[i].factor / scale, true;
  return false;
}

bool gpm_values_duration(const char *text, uint64_t *ns) {
  static const struct unit units[] = {
      {"ns", 1},         {"us", 1000},         {"ms", 1000000},
      {"s", 1000000000}, {"min", 60000000000}, {"h", 3600000000000}};
  if (!strcmp(text, "off") || !strcmp(text, "0")) return *ns = 0, true;
  return measure_of(text, units, sizeof units / sizeof *units, ns);
}

bool gpm_values_bytes(const char *text, uint64_t *bytes) {
  static const struct unit units[] = {{"", 1},
                                      {"B", 1},
                                      {"KiB", 1 << 10},
                                      {"K", 1 << 10},
                                      {"MiB", 1 << 20},
                                      {"M", 1 << 20},
                                      {"GiB", 1 << 30},
                                      {"G", 1 << 30},
                                      {"TiB", (uint64_t)1 << 40},
                                      {"T", (uint64_t)1 << 40}};
  return measure_of(text, units, sizeof units / sizeof *units, bytes);
}

/* Whether any of the values between commas lacks a unit. */
bool gpm_values_lack_unit(const char *text) {
  for (const char *one = text; one; one = strchr(one, ',') ? strchr(one, ',') + 1 : NULL) {
    bool is_time = !strncmp(one, "every:", 6);
    if (is_time || !strncmp(one, "bytes:", 6)) one += 6;
    size_t digits = strspn(one, "0123456789");
    bool ends = !one[digits] || one[digits] == ',';
    if ((is_time || digits < 4) && ends && strspn(one, "0") < digits) return true;
  }
  return false;
}

/* ---- "wait:1,warmup:1,active:3" -----------------------------------------------------------------
 */

bool gpm_values_schedule(const char *text, struct gpm_steps *steps) {
  struct gpm_steps result = {0};
  const struct {
    const char *key;
    uint64_t *value;
  } keys[] = {{"wait:", &result.wait},
              {"warmup:", &result.warmup},
              {"active:", &result.active},
              {"repeat:", &result.repeat},
              {"skip_first:", &result.skip_first}};
  unsigned given = 0;
  for (const char *p = text;; p++) {
    unsigned i = 0;
    while (i < 5 && strncmp(p, keys[i].key, strlen(keys[i].key))) i++;
    if (i == 5 || given & 1u << i) return false;
    given |= 1u << i;
    p += strlen(keys[i].key);
    if (*p < '0' || *p > '9') return false;
    for (; *p >= '0' && *p <= '9'; p++)
      if ((*keys[i].value = *keys[i].value * 10 + (uint64_t)(*p - '0')) > 1000000000) return false;
    if (!*p) break;
    if (*p != ',') return false;
  }
  if (!result.active) return false;
  *steps = result;
  return true;
}

/* ---- "signal:USR2,every:10s,bytes:1GiB,peak" ----------------------------------------------------
 */

static bool parse_signal(const char *text, int *number) {
  static const struct {
    const char *name;
    int number;
  } signals[] = {
#define GPUMEMPROF_SIGNAL(name) {#name, SIG##name},
#include "gpumemprof/signals.def"
  };
  uint64_t given = 0;
  bool is_number = gpm_values_uint(text, &given);
  if (!strncmp(text, "SIG", 3)) text += 3;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (is_number ? given == (uint64_t)signals[i].number : !strcmp(text, signals[i].name))
      return *number = signals[i].number, true;
  if (!is_number || given < 35 || given > 64) return false;
  *number = (int)given;
  return true;
}

static bool parse_trigger(char *text, struct gpm_dump_when *when) {
  if (!strcmp(text, "peak")) return when->peak = true;
  char *colon = strchr(text, ':');
  if (!colon) return false;
  *colon = 0;
  const char *value = colon + 1;
  if (!strcmp(text, "signal")) return parse_signal(value, &when->signal);
  if (!strcmp(text, "every"))
    return gpm_values_duration(value, &when->every_ns) && when->every_ns >= GPM_DUMP_SHORTEST_NS;
  if (!strcmp(text, "bytes"))
    return !gpm_values_lack_unit(value) && gpm_values_bytes(value, &when->bytes) && when->bytes;
  return false;
}

bool gpm_values_limit(const char *text, struct gpm_limit *limit) {
  static const struct unit percent[] = {{"%", 1000}};
  uint64_t bytes = 0, thousandths = 0;
  if (measure_of(text, percent, 1, &thousandths)) {
    if (!thousandths || thousandths > 100000) return false;
    *limit = (struct gpm_limit){.percent = (double)thousandths / 1000};
    return true;
  }
  if (gpm_values_lack_unit(text) || !gpm_values_bytes(text, &bytes) || !bytes) return false;
  *limit = (struct gpm_limit){.bytes = bytes};
  return true;
}

bool gpm_values_dump(const char *text, struct gpm_dump_when *when) {
  struct gpm_dump_when result = {0};
  char copy[sizeof gpm_options.dump];
  if (!strcmp(text, "off")) return *when = result, true;
  if (gpm_text_add(copy, sizeof copy, 0, text) != strlen(text)) return false;
  for (char *one = copy, *next; one; one = next) {
    next = strchr(one, ',');
    if (next) *next++ = 0;
    if (!parse_trigger(one, &result)) return false;
  }
  *when = result;
  return true;
}
