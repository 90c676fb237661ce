/* captures.c - see captures.h.
 *
 * The pattern says where they are: a process whose file name was taken has appended its process id
 * (runtime/life/output.c). The number in the headers says which of the files belong to the run, so
 * that other programs may write to the same folder at the same time.
 */
#include "capture/captures.h"

#include "capture/reader.h"
#include "support/memory.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The pattern in the syntax of glob(3), without its ending `suffix`. To be freed. */
static char *glob_of(const char *pattern, size_t length) {
  char host[64] = "unknown";
  gethostname(host, sizeof host - 1);
  char *text = gpm_memory_array(length * (strlen(host) + 1) + 1, 2), *to = text;
  for (const char *p = pattern; p < pattern + length; p++) {
    char next = p + 1 < pattern + length ? p[1] : 0;
    if (*p == '%' && next == 'h') to = stpcpy(to, host), p++;
    else if (*p == '%' && (next == 'p' || next == 'r')) *to++ = '*', p++;
    else {
      if (*p == '%' && next == '%') p++;
      if (strchr("*?[\\", *p)) *to++ = '\\';
      *to++ = *p;
    }
  }
  return text;
}

static void add_names(glob_t *all, const char *pattern, size_t length, const char *rest) {
  char *start = glob_of(pattern, length), *whole = gpm_memory_format("%s%s", start, rest);
  glob(whole, all->gl_pathc ? GLOB_APPEND : 0, NULL, all);
  free(whole);
  free(start);
}

static int in_order(const void *a, const void *b) {
  const struct gpm_capture_found *x = a, *y = b;
  if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
  return strcmp(x->path, y->path);
}

static bool is_of(uint64_t run, struct gpm_capture_found *found) {
  struct gpumemprof_capture_header h;
  int fd = open(found->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t n = fd < 0 ? -1 : pread(fd, &h, sizeof h, 0);
  if (fd >= 0) close(fd);
  found->start_ns = h.start_realtime_ns;
  found->ranked = h.flags & GPUMEMPROF_CAPTURE_RANKED;
  return n == sizeof h && !memcmp(h.magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof h.magic) &&
         h.run == run && !(h.flags & GPUMEMPROF_CAPTURE_DUMP);
}

struct gpm_captures gpm_captures_of(const char *pattern, uint64_t run) {
  struct gpm_captures all = {NULL, 0};
  glob_t names = {.gl_pathc = 0};
  size_t length = strlen(pattern);
  bool suffixed = length > 7 && !strcmp(pattern + length - 7, ".gmprof");
  add_names(&names, pattern, length, "");
  add_names(&names, pattern, length, ".*");
  if (suffixed) add_names(&names, pattern, length - 7, ".*.gmprof");
  all.found = gpm_memory_array(names.gl_pathc, sizeof *all.found);
  for (size_t i = 0; i < names.gl_pathc; i++) {
    struct gpm_capture_found found = {.path = names.gl_pathv[i]};
    bool twice = false;
    for (size_t k = 0; k < all.count; k++)
      twice = twice || !strcmp(all.found[k].path, names.gl_pathv[i]);
    if (twice || !is_of(run, &found)) continue;
    found.path = gpm_memory_text(found.path);
    all.found[all.count++] = found;
  }
  if (names.gl_pathc) globfree(&names);
  if (all.count) qsort(all.found, all.count, sizeof *all.found, in_order);
  return all;
}

void gpm_captures_free(struct gpm_captures *captures) {
  for (size_t i = 0; i < captures->count; i++) free(captures->found[i].path);
  free(captures->found);
  *captures = (struct gpm_captures){NULL, 0};
}
