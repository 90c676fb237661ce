/* source.c - see source.h. */
#include "capture/source.h"

#include "support/memory.h"
#include "support/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TAB 8
#define MOST_BYTES ((off_t)64 << 20) /* what is larger was not written by hand */

static char *expand(const char *text, size_t length) {
  char *wide = gpm_memory_array(length * TAB + 1, 1);
  size_t at = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] != '\t') wide[at++] = text[i];
    else do
        wide[at++] = ' ';
      while (at % TAB);
  }
  while (at && (wide[at - 1] == '\r' || wide[at - 1] == ' ')) at--;
  wide[at] = '\0';
  char *clean = gpm_text_clean(wide);
  free(wide);
  return clean;
}

struct gpm_source gpm_source_read(const char *path) {
  struct gpm_source s = {.line = NULL};
  struct stat info;
  if (stat(path, &info) || !S_ISREG(info.st_mode)) return s; /* opening a pipe may block forever */
  FILE *f = fopen(path, "r");
  if (!f) return s;
  if (!fstat(fileno(f), &info) && info.st_size <= MOST_BYTES) {
    uint32_t room = 256;
    s.modified_ns = (uint64_t)info.st_mtim.tv_sec * 1000000000 + (uint64_t)info.st_mtim.tv_nsec;
    s.line = gpm_memory_array(room, sizeof *s.line);
    char *text = NULL;
    size_t size = 0;
    for (ssize_t length; (length = getline(&text, &size, f)) >= 0;) {
      if (s.count == room) s.line = gpm_memory_resize(s.line, room *= 2, sizeof *s.line);
      s.line[s.count++] = expand(text, strcspn(text, "\n"));
    }
    free(text);
  }
  fclose(f);
  return s;
}

void gpm_source_free(struct gpm_source *s) {
  for (uint32_t i = 0; i < s->count; i++) free(s->line[i]);
  free(s->line);
}

const char *gpm_source_line(const struct gpm_source *s, uint32_t number) {
  return number && number <= s->count ? s->line[number - 1] : NULL;
}

static size_t trimmed(const char **text) {
  *text += strspn(*text, " \t\r");
  size_t length = strlen(*text);
  while (length && strchr(" \t\r", (*text)[length - 1])) length--;
  return length;
}

bool gpm_source_same(const char *one, const char *other) {
  size_t a = trimmed(&one), b = trimmed(&other);
  return a == b && !memcmp(one, other, a);
}

bool gpm_source_is(const char *path, const char *name) {
  size_t whole = strlen(path), part = strlen(name);
  if (!part) return false;
  if (part <= whole && !strcmp(path + whole - part, name) &&
      (part == whole || *name == '/' || path[whole - part - 1] == '/'))
    return part == whole || *name != '/';
  char there[PATH_MAX];
  return realpath(name, there) && !strcmp(there, path);
}
