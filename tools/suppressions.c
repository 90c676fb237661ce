/* suppressions.c - see suppressions.h. */
#include "suppressions.h"

#include "command.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether `text` begins as the pattern says, whose end is open unless it ends in $. */
static bool begins(const char *text, const char *pattern) {
  for (;; text++, pattern++) {
    if (!*pattern) return true;
    if (*pattern == '$' && !pattern[1]) return !*text;
    if (*pattern == '*') {
      for (; !begins(text, pattern + 1); text++)
        if (!*text) return false;
      return true;
    }
    if (*pattern != *text) return false;
  }
}

static bool matches(const char *text, const char *pattern) {
  if (*pattern == '^') return begins(text, pattern + 1);
  for (;; text++) {
    if (begins(text, pattern)) return true;
    if (!*text) return false;
  }
}

struct gpm_suppressions gpm_suppressions_read(const char *path) {
  struct gpm_suppressions s = {NULL, 0};
  FILE *f = fopen(path, "r");
  if (!f) {
    gpm_say("can not read the suppressions %s: %s", path, strerror(errno));
    exit(GPM_EXIT_USAGE);
  }
  char *line = NULL;
  size_t room = 0;
  for (unsigned number = 1; getline(&line, &room, f) >= 0; number++) {
    char *text = line + strspn(line, " \t");
    size_t length = strcspn(text, "\r\n");
    while (length && strchr(" \t", text[length - 1])) length--;
    text[length] = '\0';
    if (!*text || *text == '#') continue;
    if (strncmp(text, "leak:", 5) || !text[5]) {
      gpm_say("%s:%u: `%s` is no suppression; write leak:NAME, a part of a function's, file's or "
              "module's name",
              path, number, text);
      exit(GPM_EXIT_USAGE);
    }
    s.one = gpm_memory_resize(s.one, (size_t)s.count + 1, sizeof *s.one);
    s.one[s.count++] = (struct gpm_suppression){.pattern = gpm_memory_text(text + 5)};
  }
  bool failed = ferror(f);
  fclose(f);
  free(line);
  if (failed) {
    gpm_say("can not read the suppressions %s; is it a file?", path);
    exit(GPM_EXIT_USAGE);
  }
  return s;
}

void gpm_suppressions_free(struct gpm_suppressions *s) {
  for (uint32_t i = 0; i < s->count; i++) free(s->one[i].pattern);
  free(s->one);
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
