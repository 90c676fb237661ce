/* wrapped.c - see wrapped.h. */
#include "terminal/wrapped.h"

#include "support/memory.h"
#include "terminal/fit.h"
#include "terminal/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes of a text are its next line: up to a blank, or all of it. `first`: blanks that
 * begin the text, at which no line breaks. */
static size_t line_of(const char *text, size_t first, uint32_t room) {
  size_t fits = gpm_fit_bytes(text, room), at = fits;
  if (!text[fits]) return fits;
  while (at > first && text[at] != ' ') at--;
  if (at > first) return at;
  return first + strcspn(text + first, " "); /* a word that is longer than the line */
}

static void print_lines(const char *text, uint32_t indent, uint32_t room) {
  size_t first = strspn(text, " "), length = line_of(text, first, room);
  printf("%.*s\n", (int)length, text);
  uint32_t rest = room > 2 * indent ? room - indent : room;
  if (rest == room) indent = 0;
  while (*(text += length)) {
    text += strspn(text, " ");
    if (!*text) return;
    length = line_of(text, 0, rest);
    printf("%*s%.*s\n", (int)indent, "", (int)length, text);
  }
}

void gpm_wrapped_print(uint32_t indent, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = gpm_memory_format_list(format, list);
  va_end(list);
  uint32_t room = gpm_terminal_room();
  if (room) print_lines(text, indent, room);
  else puts(text);
  free(text);
}
