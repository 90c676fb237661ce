/* options.c - GPUMEMPROF_SIM_OPTIONS, read once when the library is loaded, and messages of the
 * simulator on standard error.
 *
 * A wrong option ends the program before main with one sentence and status 2, because a run on a
 * device of another size than the user wants would give wrong answers.
 */
#include "base/options.h"
#include "base/errors.h"
#include "base/lock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum type { COUNT, BYTES, TEXT, BOOL };

struct option {
  const char *key;
  enum type type;
  size_t offset;
  uint64_t least, most;
  const char *help;
};

static const struct option table[] = {
#define GPM_SIM_OPTION(key, type, fallback, least, most, help)                                     \
  {#key, type, offsetof(struct gpm_sim_options, key), least, most, help},
#include "base/options.def"
};

#define FALLBACK_COUNT(key, fallback) .key = (fallback),
#define FALLBACK_BYTES(key, fallback) .key = (fallback),
#define FALLBACK_BOOL(key, fallback) .key = (fallback),
#define FALLBACK_TEXT(key, fallback) .key = fallback,
static struct gpm_sim_options options = {
#define GPM_SIM_OPTION(key, type, fallback, least, most, help) FALLBACK_##type(key, fallback)
#include "base/options.def"
};

static const char *const forms[] = {"a number", "bytes as 24GiB or 512MiB",
                                    "1 to 255 bytes of text", "0 or 1"};

static bool parse_bytes(const char *text, uint64_t *value) {
  static const struct {
    const char *unit;
    int shift;
  } units[] = {{"", 0},     {"B", 0},  {"K", 10},   {"KiB", 10}, {"M", 20},
               {"MiB", 20}, {"G", 30}, {"GiB", 30}, {"T", 40},   {"TiB", 40}};
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno || end == text || *text == '-' || *text == '+' || *text == ' ') return false;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(end, units[i].unit)) continue;
    if (number > UINT64_MAX >> units[i].shift) return false;
    *value = (uint64_t)number << units[i].shift;
    return true;
  }
  return false;
}

static bool parse_count(const char *text, uint64_t *value) {
  size_t length = strlen(text);
  if (length == 0 || length > 19 || strspn(text, "0123456789") != length) return false;
  *value = strtoull(text, NULL, 10);
  return true;
}

static bool set(struct gpm_sim_options *into, const char *key, const char *value, char *message,
                size_t size) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const struct option *o = &table[i];
    if (strcmp(o->key, key)) continue;
    void *field = (char *)into + o->offset;
    uint64_t number = 0;
    bool good = false;
    switch (o->type) {
    case TEXT:
      good = strlen(value) >= o->least && strlen(value) <= o->most;
      if (good) strcpy(field, value);
      break;
    case BYTES:
      good = parse_bytes(value, &number);
      break;
    case COUNT:
    case BOOL:
      good = parse_count(value, &number);
      break;
    }
    if (o->type != TEXT) {
      good = good && number >= o->least && number <= o->most;
      if (good) *(uint64_t *)field = number;
    }
    if (!good)
      snprintf(message, size, "'%s' is no value for %s (%s); write %s", value, key, o->help,
               forms[o->type]);
    return good;
  }
  int used = snprintf(message, size, "there is no option '%s'; there are", key);
  for (size_t i = 0; i < sizeof table / sizeof table[0] && used > 0 && (size_t)used < size; i++)
    used += snprintf(message + used, size - (size_t)used, "%s %s", i ? "," : "", table[i].key);
  return false;
}

bool gpm_sim_options_parse(struct gpm_sim_options *into, const char *text, char *message,
                           size_t size) {
  char copy[4096];
  if (strlen(text) >= sizeof copy) {
    snprintf(message, size, "the value is longer than %zu bytes", sizeof copy - 1);
    return false;
  }
  strcpy(copy, text);
  char *state = NULL;
  for (char *item = strtok_r(copy, ":", &state); item; item = strtok_r(NULL, ":", &state)) {
    char *value = strchr(item, '=');
    if (!value) {
      snprintf(message, size, "'%s' has no value; options are written key=value:key=value", item);
      return false;
    }
    *value++ = 0;
    if (!set(into, item, value, message, size)) return false;
  }
  if (strcmp(into->cupti, "free") && strcmp(into->cupti, "taken") &&
      strcmp(into->cupti, "broken")) {
    snprintf(message, size, "'%s' is no value for cupti; write free, taken or broken", into->cupti);
    return false;
  }
  if (into->granularity & (into->granularity - 1)) {
    snprintf(message, size, "granularity %llu is not a power of two",
             (unsigned long long)into->granularity);
    return false;
  }
  if (into->memory < into->granularity) {
    snprintf(message, size, "memory is less than the granularity of %llu bytes",
             (unsigned long long)into->granularity);
    return false;
  }
  return true;
}

/* CUDA_VISIBLE_DEVICES can only hide devices. Its entries count up to the first that names no
 * device. */
static void hide_devices(void) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (!visible) return;
  uint64_t count = 0, seen = 0;
  while (*visible) {
    char *end;
    unsigned long ordinal = strtoul(visible, &end, 10);
    if (end == visible || (*end && *end != ',') || ordinal >= options.devices) break;
    if (seen & UINT64_C(1) << ordinal) break;
    seen |= UINT64_C(1) << ordinal;
    count++;
    visible = *end ? end + 1 : end;
  }
  options.devices = count;
}

__attribute__((constructor)) static void read_options(void) {
  const char *text = getenv("GPUMEMPROF_SIM_OPTIONS");
  char message[512];
  if (text && !gpm_sim_options_parse(&options, text, message, sizeof message)) {
    fprintf(stderr, "gpumemprof sim: GPUMEMPROF_SIM_OPTIONS: %s\n", message);
    _exit(2);
  }
  hide_devices();
  if (options.verbose)
    gpm_sim_say("%llu simulated device%s of %llu bytes, no GPU is used",
                (unsigned long long)options.devices, options.devices == 1 ? "" : "s",
                (unsigned long long)options.memory);
}

const struct gpm_sim_options *gpm_sim_options(void) {
  return &options;
}

void gpm_sim_say(const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "gpumemprof sim: %s\n", line);
}

int gpm_sim_unsupported(const char *name) {
  static const char *printed[1024];
  GPM_SIM_LOCKED;
  size_t i = 0;
  while (i < sizeof printed / sizeof printed[0] && printed[i] && printed[i] != name) i++;
  if (i < sizeof printed / sizeof printed[0] && !printed[i]) {
    printed[i] = name;
    gpm_sim_say("%s is not simulated, it returns \"operation not supported\"", name);
  }
  return GPM_SIM_NOT_SUPPORTED;
}

void gpm_sim_note_launch(void) {
  static bool printed;
  GPM_SIM_LOCKED;
  if (printed || !options.verbose) return;
  printed = true;
  gpm_sim_say("kernels are accepted but compute nothing: results read back are not meaningful");
}
