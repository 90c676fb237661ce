/* string.c - see string.h. */
#include "support/string.h"

#include "support/memory.h"

#include <stdio.h>

void gpm_string_add(struct gpm_string *s, const char *format, ...) {
  for (int tries = 0; tries < 2; tries++) {
    size_t left = s->room - s->length;
    va_list list;
    va_start(list, format);
    int length = vsnprintf(s->text ? s->text + s->length : NULL, left, format, list);
    va_end(list);
    if (length < 0) return;
    if ((size_t)length < left) {
      s->length += (size_t)length;
      return;
    }
    s->room = 2 * s->room + (size_t)length + 64;
    s->text = gpm_memory_resize(s->text, s->room, 1);
  }
}

char *gpm_string_take(struct gpm_string *s) {
  char *text = s->text ? s->text : gpm_memory_text("");
  *s = (struct gpm_string){NULL, 0, 0};
  return text;
}
