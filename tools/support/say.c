/* say.c - see say.h. */
#include "support/say.h"

#include "support/memory.h"
#include "support/progress.h"
#include "support/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *current = "gpumemprof";

void gpm_say(const char *format, ...) {
  gpm_progress(NULL);
  va_list list;
  va_start(list, format);
  char *text = gpm_memory_format_list(format, list), *clean = gpm_text_clean(text);
  va_end(list);
  fprintf(stderr, "%s: %s\n", current, clean);
  free(clean);
  free(text);
}

void gpm_say_as(const char *name) {
  current = name;
}

size_t gpm_say_choice(const char *what, const char *word, const char *const *words) {
  for (size_t i = 0; words[i]; i++)
    if (!strcmp(words[i], word)) return i;
  const char *nearest = gpm_text_nearest(word, words);
  char *all = gpm_text_alternatives(words);
  if (nearest) gpm_say("there is no %s `%s`; did you mean `%s`?", what, word, nearest);
  else gpm_say("there is no %s `%s`; use %s", what, word, all);
  free(all);
  exit(GPM_EXIT_USAGE);
}
