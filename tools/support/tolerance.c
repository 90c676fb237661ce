/* tolerance.c - see tolerance.h. */
#include "support/tolerance.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

static bool parse_percent(const char *text, double *percent) {
  if (*text < '0' || *text > '9' || text[strspn(text, "0123456789.")] != '%') return false;
  char *end;
  double number = strtod(text, &end);
  if (strcmp(end, "%") != 0 || !(number < 1e9)) return false;
  *percent = number;
  return true;
}

bool gpm_tolerance_parse(struct gpm_tolerance *tolerance, const char *text) {
  *tolerance = (struct gpm_tolerance){0};
  bool has_percent = false, has_size = false, ok = true;
  char *copy = gpm_memory_text(text), *rest = copy;
  for (const char *part; ok && (part = strsep(&rest, ","));) {
    if (!has_percent && parse_percent(part, &tolerance->percent)) has_percent = true;
    else if (!has_size && gpm_text_parse_size(part, &tolerance->size)) has_size = true;
    else ok = false;
  }
  free(copy);
  return ok;
}

/* Whole bytes, rounded down: 2 % of 99 is 1. If the result is too large for them, any difference is
 * allowed. */
uint64_t gpm_tolerance_bytes(const struct gpm_tolerance *t, uint64_t was) {
  long double share = (long double)was * t->percent / 100;
  uint64_t bytes = share < 0x1p63L ? (uint64_t)share : UINT64_MAX;
  return bytes > t->size ? bytes : t->size;
}

bool gpm_tolerance_reached(const struct gpm_tolerance *t, uint64_t was, uint64_t difference) {
  if (!difference) return t->percent <= 0 && !t->size;
  return difference >= gpm_tolerance_bytes(t, was);
}

bool gpm_tolerance_exceeded(const struct gpm_tolerance *t, uint64_t was, uint64_t difference) {
  return difference > gpm_tolerance_bytes(t, was);
}
