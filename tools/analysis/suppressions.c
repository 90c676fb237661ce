/* suppressions.c - see suppressions.h. */
#include "analysis/suppressions.h"

#include "capture/small_file.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ^ and $ match the ends of the text, * matches anything. If what follows a * does not match, it is
 * tried one character further on; an earlier * never has to be tried again. So the time is at most
 * the product of the lengths. */
static bool matches(const char *text, const char *pattern) {
  const char *again = pattern,
             *from = text; /* where to continue; without ^ the match may begin anywhere */
  if (*pattern == '^') again = NULL, pattern++;
  for (;;) {
    bool end = *pattern == '$' && !pattern[1];
    if (!*pattern || (end && !*text)) return true;
    if (*pattern == '*') {
      again = ++pattern;
      from = text;
    } else if (!end && *text && *text == *pattern) {
      text++;
      pattern++;
    } else {
      if (!again || !*from) return false;
      text = ++from;
      pattern = again;
    }
  }
}

char *gpm_suppressions_read(struct gpm_suppressions *s, const char *path) {
  *s = (struct gpm_suppressions){NULL, 0};
  FILE *f = NULL;
  char *wrong = gpm_small_file_open("the suppressions", path, &f), *line = NULL;
  if (wrong) return wrong;
  size_t room = 0;
  for (unsigned number = 1; !wrong && getline(&line, &room, f) >= 0; number++) {
    char *text = line + strspn(line, " \t");
    size_t length = strcspn(text, "\r\n");
    while (length && strchr(" \t", text[length - 1])) length--;
    text[length] = '\0';
    if (!*text || *text == '#') continue;
    if (strncmp(text, "leak:", 5) || !text[5]) {
      wrong = gpm_memory_format("%s:%u: `%s` is no suppression; write leak:NAME, a part of a "
                                "function's, file's or module's name",
                                path, number, text);
      break;
    }
    s->one = gpm_memory_resize(s->one, (size_t)s->count + 1, sizeof *s->one);
    s->one[s->count++] = (struct gpm_suppression){.pattern = gpm_memory_text(text + 5)};
  }
  bool failed = ferror(f);
  fclose(f);
  free(line);
  if (failed && !wrong)
    wrong = gpm_memory_format("can not read the suppressions %s; is it a file?", path);
  if (wrong) gpm_suppressions_free(s);
  return wrong;
}

void gpm_suppressions_free(struct gpm_suppressions *s) {
  for (uint32_t i = 0; i < s->count; i++) free(s->one[i].pattern);
  free(s->one);
  *s = (struct gpm_suppressions){NULL, 0};
}

static bool is_about(const struct gpm_suppression *s, const struct gpm_profile *p, uint32_t node) {
  if (p->site[node] == GPUMEMPROF_NONE) return false;
  const struct gpm_reader *r = p->reader;
  const struct gpumemprof_capture_site *site = gpm_reader_site(r, p->site[node]);
  const uint32_t names[] = {site->function, site->file, site->name, site->callee};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *name = gpm_reader_string(r, names[i]);
    if (*name && matches(name, s->pattern)) return true;
  }
  return false;
}

struct gpm_suppression *gpm_suppressions_find(const struct gpm_suppressions *s,
                                              const struct gpm_profile *p, uint32_t node) {
  for (uint32_t i = 0; i < s->count; i++)
    for (uint32_t n = node; n; n = p->tree.node[n].parent)
      if (is_about(&s->one[i], p, n)) return &s->one[i];
  return NULL;
}
