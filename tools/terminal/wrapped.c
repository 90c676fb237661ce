/* wrapped.c - see wrapped.h. */
#include "terminal/wrapped.h"

#include "support/memory.h"
#include "terminal/fit.h"
#include "terminal/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit stays with its number. */
static bool is_unit(const char *word) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t length = strspn(word, "BKMGTi");
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (length == strlen(units[i]) && !strncmp(word, units[i], length)) return true;
  return false;
}

/* How many bytes of a text are its next line: up to a blank, or all of it. `first`: blanks that
 * begin the text, at which no line breaks. */
static size_t line_of(const char *text, size_t first, uint32_t room) {
  size_t fits = gpm_fit_bytes(text, room), at = fits;
  if (!text[fits]) return fits;
  while (at > first && (text[at] != ' ' || is_unit(text + at + 1))) at--;
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

static void print_text(const char *text, uint32_t indent) {
  uint32_t room = gpm_terminal_room();
  if (room) print_lines(text, indent, room);
  else puts(text);
}

void gpm_wrapped_print(uint32_t indent, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = gpm_memory_format_list(format, list);
  va_end(list);
  print_text(text, indent);
  free(text);
}

FILE *gpm_wrapped_begin(struct gpm_wrapped *w) {
  *w = (struct gpm_wrapped){.text = NULL};
  w->to = open_memstream(&w->text, &w->size);
  if (!w->to) w->to = stdout; /* long lines are better than no answer */
  return w->to;
}

void gpm_wrapped_end(struct gpm_wrapped *w, uint32_t indent) {
  if (w->to == stdout) return;
  fclose(w->to);
  for (char *line = w->text, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    if (*end) *end++ = 0;
    print_text(line, (uint32_t)strspn(line, " ") + indent);
  }
  free(w->text);
}
