/* fit.c - see fit.h. */
#include "terminal/fit.h"

#include "support/memory.h"
#include "terminal/terminal.h"

#include <string.h>
#include <wchar.h>

/* Reads a character: its bytes, and in *columns what it takes on the screen. */
static size_t character(const char *text, uint32_t *columns) {
  mbstate_t state = {0};
  wchar_t c;
  *columns = 1;
  size_t bytes = mbrtowc(&c, text, strlen(text), &state);
  if (bytes == (size_t)-1 || bytes == (size_t)-2) return 1;
  int width = wcwidth(c);
  *columns = width > 0 ? (uint32_t)width : 0;
  return bytes ? bytes : 1;
}

/* The bytes of a sequence that sets colours, "ESC [ ... m"; 0: there is none. */
static size_t colour(const char *text) {
  if (strncmp(text, "\033[", 2) != 0) return 0;
  size_t bytes = 2 + strspn(text + 2, "0123456789;");
  return text[bytes] == 'm' ? bytes + 1 : 0;
}

uint32_t gpm_fit_columns(const char *text) {
  uint32_t all = 0, columns;
  while (*text) {
    size_t skipped = colour(text);
    text += skipped;
    if (skipped) continue;
    text += character(text, &columns);
    all += columns;
  }
  return all;
}

size_t gpm_fit_bytes(const char *text, uint32_t columns) {
  const char *end = text;
  uint32_t used = 0, one;
  while (*end) {
    size_t bytes = colour(end);
    if (!bytes) {
      bytes = character(end, &one);
      if (used + one > columns) break;
      used += one;
    }
    end += bytes;
  }
  return (size_t)(end - text);
}

bool gpm_fit_fits(const char *text) {
  uint32_t room = gpm_terminal_room();
  return !room || gpm_fit_columns(text) <= room;
}

static const char *ellipsis(void) {
  return gpm_terminal_is_utf8() ? "…" : "...";
}

/* The first part of a text, and that there is more. */
static char *cut(const char *text, uint32_t columns) {
  uint32_t used = gpm_fit_columns(ellipsis()), one;
  const char *end = text;
  while (*end) {
    size_t bytes = character(end, &one);
    if (used + one > columns) break;
    used += one;
    end += bytes;
  }
  while (end > text && end[-1] == ' ') end--;
  return gpm_memory_format("%.*s%s", (int)(end - text), text, ellipsis());
}

char *gpm_fit_location(const char *text, uint32_t columns) {
  if (!columns || gpm_fit_columns(text) <= columns) return gpm_memory_text(text);
  char *shorter = gpm_memory_text(text);
  for (const char *step = text; (step = strstr(step, " > "));) {
    free(shorter);
    shorter = gpm_memory_format("%s%s", ellipsis(), step);
    step += strlen(" > ");
    text = step;
    if (gpm_fit_columns(shorter) <= columns) return shorter;
  }
  size_t word = strcspn(text, " ");
  for (const char *slash = text; (slash = memchr(slash, '/', word - (size_t)(slash - text)));) {
    free(shorter);
    shorter = gpm_memory_format("%s%s", ellipsis(), slash++);
    if (gpm_fit_columns(shorter) <= columns) return shorter;
  }
  char *text_cut = cut(shorter, columns);
  free(shorter);
  return text_cut;
}
