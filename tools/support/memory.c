/* memory.c - see memory.h. No figure can be right without the memory it needs, so running out of
 * memory ends the whole call here. */
#include "support/memory.h"

#include "support/recovery.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void *checked(void *block) {
  if (!block) gpm_recovery_fail();
  gpm_recovery_took(block);
  return block;
}

void *gpm_memory_array(size_t count, size_t size) {
  return checked(calloc(count ? count : 1, size ? size : 1));
}

/* The owner keeps the old block if no larger one is available. */
void *gpm_memory_resize(void *old, size_t count, size_t size) {
  gpm_recovery_gives(old);
  void *larger = reallocarray(old, count ? count : 1, size ? size : 1);
  if (!larger && old) gpm_recovery_took(old);
  return checked(larger);
}

void gpm_memory_free(void *block) {
  gpm_recovery_gives(block);
  (free)(block); /* the function, not the macro */
}

char *gpm_memory_text(const char *text) {
  return checked(strdup(text));
}

char *gpm_memory_format_list(const char *format, va_list list) {
  char *text = NULL;
  int length = vasprintf(&text, format, list);
  return checked(length < 0 ? NULL : text);
}

char *gpm_memory_format(const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = gpm_memory_format_list(format, list);
  va_end(list);
  return text;
}
