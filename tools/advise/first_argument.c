/* first_argument.c - an argument of a call in the text of a source line (advise.h). */
#include "advise/advise.h"

#include <ctype.h>
#include <string.h>

enum { MOST_CALLS = 32 }; /* of a line */

static bool is_of_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static const char *behind_spaces(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

/* Returns what is behind the opening parenthesis of the next call of a function, or null. */
static const char *next_call(const char *from, const char *line, const char *function) {
  size_t length = strlen(function);
  for (const char *at = from; (at = strstr(at, function)); at += length) {
    const char *open = behind_spaces(at + length);
    if (*open == '(' && (at == line || !is_of_name(at[-1]))) return open + 1;
  }
  return NULL;
}

/* Returns the argument that begins there, or null if it goes on in the next line. */
static char *argument_at(const char *open) {
  const char *begin = behind_spaces(open), *end = begin;
  for (int depth = 0; *end; end++) {
    if (!depth && strchr(",)", *end)) break;
    depth += !!strchr("([{", *end) - !!strchr(")]}", *end);
  }
  if (!*end) return NULL;
  while (end > begin && isspace((unsigned char)end[-1])) end--;
  return end == begin ? NULL : gpm_memory_format("%.*s", (int)(end - begin), begin);
}

char *gpm_advise_first_argument(const char *line, const char *function) {
  const char *begin = *function ? next_call(line, line, function) : NULL;
  if (!begin || next_call(begin, line, function)) return NULL;
  return argument_at(begin);
}

/* Returns the call of those at `open` that is at a distance from the first column, or MOST_CALLS.
 */
static uint32_t call_at(const char *const *open, uint32_t calls, const char *first, uint32_t from,
                        uint32_t column) {
  for (uint32_t i = 0; i < calls; i++)
    if (open[i] - first == (int64_t)column - from) return i;
  return MOST_CALLS;
}

char *gpm_advise_argument_at(const char *line, const char *function, const uint32_t *column,
                             uint32_t columns, uint32_t wanted) {
  const char *open[MOST_CALLS], *found = NULL;
  uint32_t calls = 0;
  for (const char *at = line; *function && (at = next_call(at, line, function)); calls++) {
    if (calls == MOST_CALLS) return NULL;
    open[calls] = at;
  }
  for (uint32_t first = 0; columns && first < calls; first++) { /* which is at the first column */
    bool fits = true;
    for (uint32_t i = 0; fits && i < columns; i++)
      fits = call_at(open, calls, open[first], column[0], column[i]) != MOST_CALLS;
    if (!fits) continue;
    if (found) return NULL;
    found = open[call_at(open, calls, open[first], column[0], wanted)];
  }
  return found ? argument_at(found) : NULL;
}
