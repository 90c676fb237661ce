/* suppressions.c - see suppressions.h. */
#include "model/suppressions.h"

#include "capture/small_file.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* ^ and $ match the ends of the text, * matches anything. If what follows a * does not match, it is
 * tried one character further on; an earlier * never has to be tried again. So the time is at most
 * the product of the lengths. */
static bool matches(const char *text, const char *pattern) {
  const char *retry = pattern,
             *from = text; /* where to continue; without ^ the match may begin anywhere */
  if (*pattern == '^') retry = NULL, pattern++;
  for (;;) {
    bool end = *pattern == '$' && !pattern[1];
    if (!*pattern || (end && !*text)) return true;
    if (*pattern == '*') {
      retry = ++pattern;
      from = text;
    } else if (!end && *text && *text == *pattern) {
      text++;
      pattern++;
    } else {
      if (!retry || !*from) return false;
      text = ++from;
      pattern = retry;
    }
  }
}

/* Takes in a line without its end. Returns null, or what is wrong with it. */
static char *add_line(struct gpm_suppressions *s, char *line, const char *path, unsigned number) {
  char *text = line + strspn(line, " \t");
  size_t length = strcspn(text, "\r");
  while (length && strchr(" \t", text[length - 1])) length--;
  text[length] = '\0';
  if (!*text || *text == '#') return NULL;
  if (strncmp(text, "leak:", 5) || !text[5])
    return gpm_memory_format("%s:%u: `%s` is no suppression; write leak:NAME, a part of a "
                             "function's, file's or module's name",
                             path, number, text);
  s->one = gpm_memory_resize(s->one, (size_t)s->count + 1, sizeof *s->one);
  s->one[s->count++] = (struct gpm_suppression){.pattern = gpm_memory_text(text + 5)};
  return NULL;
}

char *gpm_suppressions_read(struct gpm_suppressions *s, const char *path) {
  *s = (struct gpm_suppressions){NULL, 0};
  size_t length = 0;
  char *all, *wrong = gpm_small_file_read("the suppressions", path, &all, &length);
  if (wrong) return wrong;
  char *line = all, *end = all + length;
  for (unsigned number = 1; line < end && !wrong; number++) {
    char *next = memchr(line, '\n', (size_t)(end - line));
    if (!next) next = end; /* where a zero byte is */
    *next = '\0';
    wrong = add_line(s, line, path, number);
    line = next + 1;
  }
  free(all);
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
