/* first_argument.c - an argument of a call in the text of a source line (advise.h). */
#include "advise/advise.h"

#include <ctype.h>
#include <string.h>

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

char *gpm_advise_first_argument(const char *line, const char *function) {
  const char *begin = *function ? next_call(line, line, function) : NULL, *end;
  if (!begin || next_call(begin, line, function)) return NULL;
  begin = end = behind_spaces(begin);
  for (int depth = 0; *end; end++) {
    if (!depth && strchr(",)", *end)) break;
    depth += !!strchr("([{", *end) - !!strchr(")]}", *end);
  }
  if (!*end) return NULL;
  while (end > begin && isspace((unsigned char)end[-1])) end--;
  return end == begin ? NULL : gpm_memory_format("%.*s", (int)(end - begin), begin);
}
