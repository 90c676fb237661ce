/* say.c - see say.h. */
#include "support/say.h"

#include "support/memory.h"
#include "support/progress.h"
#include "support/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
  size_t chosen = 0;
  gpm_say_refuse(gpm_text_choose(what, word, words, &chosen));
  return chosen;
}

bool gpm_say_is_wrong(char *wrong) {
  if (wrong) gpm_say("%s", wrong);
  free(wrong);
  return wrong != NULL;
}

void gpm_say_refuse(char *wrong) {
  if (gpm_say_is_wrong(wrong)) exit(GPM_EXIT_USAGE);
}

/* ---- the host ----------------------------------------------------------------------------------
 */

static void say(void *to, const char *sentence) {
  (void)to;
  gpm_say("%s", sentence);
}

static void doing(void *to, const char *what) {
  (void)to;
  gpm_progress(what);
}

static void share(void *to, uint64_t done, uint64_t of) {
  (void)to;
  gpm_progress_share(done, of);
}

struct gpm_host *gpm_say_host(void) {
  static char folder[4096];
  static struct gpm_host host = {.say = say, .doing = doing, .share = share};
  if (!host.folder && getcwd(folder, sizeof folder)) host.folder = folder;
  return &host;
}
