/* annotated.c - see annotated.h. */
#include "analysis/annotated.h"

#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

const char *gpm_annotated_then(const struct gpm_annotated *a, const struct gpm_row *row) {
  const struct gpm_reader *r = a->rows->profile->reader;
  if (row->site == GPUMEMPROF_NONE) return "";
  return gpm_reader_string(r, gpm_reader_site(r, row->site)->source_line);
}

struct names {
  const char **name; /* borrowed; null ends the list */
  uint32_t count;
};

static void add_name(struct names *names, const char *name) {
  for (uint32_t i = 0; i < names->count; i++)
    if (!strcmp(names->name[i], name)) return;
  names->name = gpm_memory_resize(names->name, names->count + 2, sizeof *names->name);
  names->name[names->count++] = name;
  names->name[names->count] = NULL;
}

/* Returns a text that says that nothing has this name, and which names there are. */
static char *missing(const char *what, const char *name, const struct names *there) {
  const char *nearest = there->count ? gpm_text_nearest(name, there->name) : NULL;
  if (!nearest && there->count == 1) nearest = there->name[0];
  return gpm_memory_format(
      "no memory was moved in a %s `%s`%s%s%s", what, name, nearest ? "; there is `" : "",
      nearest ? nearest : "; `gpumemprof report` has the locations where it was",
      nearest ? "`" : "");
}

/* Returns the file of the capture with this name; 0 if there is none or two, which *wrong says. */
static uint32_t find_file(const struct gpm_rows *rows, const char *name, char **wrong) {
  const struct gpm_reader *r = rows->profile->reader;
  uint32_t found = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    uint32_t file = gpm_locations_key(rows, &rows->row[i]).file;
    if (!file || file == found || !gpm_source_is(gpm_reader_string(r, file), name)) continue;
    if (!strcmp(gpm_reader_string(r, file), name)) {
      free(*wrong);
      *wrong = NULL;
      return file;
    }
    if (found && !*wrong)
      *wrong = gpm_memory_format("`%s` may be %s or %s; name more of its path", name,
                                 gpm_reader_string(r, found), gpm_reader_string(r, file));
    found = file;
  }
  return *wrong ? 0 : found;
}

/* Returns null or what is wrong, as do the functions below. */
static char *find_location(struct gpm_annotated *a, const char *what) {
  const struct gpm_reader *r = a->rows->profile->reader;
  char *name = gpm_memory_text(what), *colon = strchr(name, ':');
  char *wrong = NULL;
  a->file = find_file(a->rows, name, &wrong);
  if (!a->file && !wrong && colon) {
    *colon = '\0';
    a->file = find_file(a->rows, name, &wrong);
    a->function = gpm_memory_text(colon + 1);
  }
  if (!a->file && !wrong) {
    struct names files = {NULL, 0};
    for (uint32_t i = 0; i < a->rows->count; i++) {
      uint32_t file = gpm_locations_key(a->rows, &a->rows->row[i]).file;
      if (file) add_name(&files, gpm_text_base(gpm_reader_string(r, file)));
    }
    wrong = missing("file", gpm_text_base(name), &files);
    free(files.name);
  }
  free(name);
  return wrong;
}

static int by_line(const void *x, const void *y, void *data) {
  const struct gpm_rows *rows = data;
  struct gpm_key a = gpm_locations_key(rows, *(const struct gpm_row *const *)x),
                 b = gpm_locations_key(rows, *(const struct gpm_row *const *)y);
  if (a.line != b.line) return a.line < b.line ? -1 : 1;
  const struct gpm_reader *r = rows->profile->reader;
  return strcmp(gpm_reader_string(r, a.function), gpm_reader_string(r, b.function));
}

static char *find_rows(struct gpm_annotated *a) {
  const struct gpm_profile *p = a->rows->profile;
  struct names functions = {NULL, 0};
  a->row = gpm_memory_array(a->rows->count + 1, sizeof *a->row);
  for (uint32_t i = 0; i < a->rows->count; i++) {
    struct gpm_key key = gpm_locations_key(a->rows, &a->rows->row[i]);
    if (key.file != a->file) continue;
    const char *function = gpm_reader_string(p->reader, key.function);
    add_name(&functions, function);
    if (!a->function || gpm_locations_is_called(function, a->function))
      a->row[a->count++] = &a->rows->row[i];
  }
  char *wrong = a->count ? NULL : missing("function", a->function, &functions);
  free(functions.name);
  if (wrong) return wrong;
  qsort_r(a->row, a->count, sizeof *a->row, by_line, (void *)a->rows);
  uint32_t first = gpm_locations_key(a->rows, a->row[0]).line;
  for (uint32_t n = 0; a->function && n < p->node_count; n++) { /* from the head of the function */
    if (p->kind[n] != GPUMEMPROF_SITE_FUNCTION) continue;
    const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[n]);
    if (s->line && s->line < first &&
        gpm_locations_is_called(gpm_reader_string(p->reader, s->function), a->function) &&
        !strcmp(gpm_reader_string(p->reader, s->file), gpm_reader_string(p->reader, a->file)))
      first = s->line;
  }
  a->first = first;
  return NULL;
}

uint32_t gpm_annotated_line(const struct gpm_annotated *a, uint32_t i) {
  return gpm_locations_key(a->rows, a->row[i]).line;
}

bool gpm_annotated_has_changed(const struct gpm_annotated *a, const struct gpm_row *row) {
  const char *then = gpm_annotated_then(a, row),
             *now = gpm_source_line(&a->source, gpm_locations_key(a->rows, row).line);
  if (!*then || !a->source.line) return false;
  char *clean = gpm_text_clean(then);
  bool same = now && gpm_source_same(clean, now);
  free(clean);
  return !same;
}

char *gpm_annotated_make(struct gpm_annotated *a, const struct gpm_rows *rows, const char *what) {
  *a = (struct gpm_annotated){.rows = rows};
  char *wrong = find_location(a, what);
  if (!wrong) wrong = find_rows(a);
  if (wrong) return wrong;
  a->source = gpm_source_read(gpm_reader_string(rows->profile->reader, a->file));
  for (uint32_t i = 0; i < a->count; i++) a->changed += gpm_annotated_has_changed(a, a->row[i]);
  return NULL;
}

void gpm_annotated_free(struct gpm_annotated *a) {
  free(a->row);
  free(a->function);
  gpm_source_free(&a->source);
}
