/* page_sources.c - the section `sources` of a page: text of the files that rows name.
 *
 * The page has the whole text of a file from disk if the file is below the folder of the sources,
 * has the name of a source file, and still reads as it was compiled in a line that has memory. Of a
 * file that is elsewhere, gone, too large or another one by now, the page has the lines that the
 * capture holds.
 *
 * A capture from somebody else may name any file of this machine. So a file is taken from disk only
 * if it is below the folder of the user's project (source_root.h).
 */
#include "analysis/annotated.h"
#include "capture/source_root.h"
#include "output/json.h"
#include "page/page.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES ((size_t)4 << 20) /* of a file: a larger one is assumed to be generated */
#define MOST_LINES                                                                                 \
  ((uint32_t)1 << 20) /* from the first that has memory, where the file is gone                    \
                       */

/* Rows of one file, by line. */
struct file {
  struct gpm_annotated annotated;
  const char *name;
};

static int by_file_and_line(const void *x, const void *y, void *data) {
  const struct gpm_rows *rows = data;
  struct gpm_key a = gpm_locations_key(rows, *(const struct gpm_row *const *)x),
                 b = gpm_locations_key(rows, *(const struct gpm_row *const *)y);
  const struct gpm_reader *r = rows->profile->reader;
  int by =
      a.file == b.file ? 0 : strcmp(gpm_reader_string(r, a.file), gpm_reader_string(r, b.file));
  return by ? by : a.line < b.line ? -1 : a.line > b.line;
}

/* ---- which text --------------------------------------------------------------------------------
 */

static bool is_called_as_source(const char *name) {
  static const char *const endings[] = {".c",   ".cc",  ".cpp", ".cxx", ".C",   ".cu",
                                        ".cuh", ".h",   ".hh",  ".hpp", ".hxx", ".inl",
                                        ".ipp", ".tcc", ".tpp", NULL};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && endings[i]; i++)
    if (!strcmp(dot, endings[i])) return true;
  return false;
}

static size_t bytes_of(const struct gpm_source *s) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < s->count; i++) bytes += strlen(s->line[i]) + 1;
  return bytes;
}

/* Whether the file is the one that was compiled. */
static bool is_the_same(const struct file *f) {
  const struct gpm_annotated *a = &f->annotated;
  if (!a->source.line || bytes_of(&a->source) > MOST_BYTES || !is_called_as_source(f->name))
    return false;
  bool reported = false;
  for (uint32_t i = 0; i < a->count; i++) {
    if (!*gpm_annotated_then(a, a->row[i])) continue;
    if (!gpm_annotated_has_changed(a, a->row[i])) return true;
    reported = true;
  }
  return !reported;
}

/* ---- writing -----------------------------------------------------------------------------------
 */

static void write_disk(const struct file *f, json_t *changed, json_t *lines) {
  const struct gpm_annotated *a = &f->annotated;
  for (uint32_t i = 0; i < a->source.count; i++)
    json_array_append_new(lines, json_string(a->source.line[i]));
  for (uint32_t i = 0, last = 0; i < a->count; i++) {
    uint32_t line = gpm_annotated_line(a, i);
    if (line == last || !gpm_annotated_has_changed(a, a->row[i])) continue;
    json_array_append_new(changed, json_integer(line));
    last = line;
  }
}

/* The first line that has a text; 0: there is none. */
static uint32_t write_captured(const struct file *f, json_t *lines) {
  const struct gpm_annotated *a = &f->annotated;
  uint32_t first = 0, next = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    const char *then = gpm_annotated_then(a, a->row[i]);
    uint32_t line = gpm_annotated_line(a, i);
    if (!*then || !line || line < next || (first && line - first > MOST_LINES)) continue;
    if (!first) first = next = line;
    while (next++ < line) json_array_append_new(lines, json_null());
    json_array_append_new(lines, gpm_json_text(then));
  }
  return first;
}

/* Whether the file was written after the program started, and so may not be what was compiled. */
static bool is_newer(const struct gpm_page *page, const struct file *f) {
  uint64_t start = page->reader->header.start_realtime_ns;
  struct stat st;
  if (!start || stat(f->name, &st)) return false;
  return (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec > start;
}

static json_t *json_of(struct gpm_page *page, const struct file *f) {
  bool same = is_the_same(f), disk = same && gpm_source_root_has(page->source_root, f->name);
  if (same && !disk && !page->outside++) page->first_outside = f->name;
  json_t *one = json_object(), *changed = json_array(), *lines = json_array();
  uint32_t first = 1;
  if (disk) write_disk(f, changed, lines);
  else first = write_captured(f, lines);
  json_object_set_new(one, "file", gpm_json_text(f->name));
  json_object_set_new(one, "from", json_string(disk ? "disk" : "capture"));
  json_object_set_new(one, "newer", json_boolean(disk && is_newer(page, f)));
  json_object_set_new(one, "changed", changed);
  json_object_set_new(one, "first", json_integer(first ? first : 1));
  json_object_set_new(one, "lines", lines);
  return one;
}

static void write_files(struct gpm_page *page, FILE *to) {
  const struct gpm_rows *rows = &page->lines;
  const struct gpm_reader *r = page->reader;
  const struct gpm_row **row = gpm_memory_array(rows->count, sizeof(const struct gpm_row *));
  uint32_t count = 0;
  bool any = false;
  for (uint32_t i = 0; i < rows->count; i++)
    if (gpm_rows_is_shown(rows, i) && gpm_locations_key(rows, &rows->row[i]).file)
      row[count++] = &rows->row[i];
  if (count) qsort_r(row, count, sizeof *row, by_file_and_line, (void *)(uintptr_t)rows);
  for (uint32_t i = 0, end; i < count; i = end) {
    struct file f = {.name = gpm_reader_string(r, gpm_locations_key(rows, row[i]).file)};
    for (end = i + 1;
         end < count &&
         !strcmp(f.name, gpm_reader_string(r, gpm_locations_key(rows, row[end]).file));)
      end++;
    f.annotated = (struct gpm_annotated){
        .rows = rows, .row = row + i, .count = end - i, .source = gpm_source_read(f.name)};
    fputs(any ? ",\n" : "\n", to);
    gpm_json_item(json_of(page, &f), true);
    any = true;
    gpm_source_free(&f.annotated.source);
  }
  free(row);
}

bool gpm_page_sources(struct gpm_page *page, uint64_t *size) {
  struct gpm_page_section section;
  if (!gpm_page_section_begin(&section, page->file, "sources")) return false;
  gpm_json_to(section.file);
  fputs("{\"files\": [", section.file);
  write_files(page, section.file);
  fputs("]}\n", section.file);
  gpm_json_to(NULL);
  bool ok = gpm_page_section_end(&section);
  *size = section.size;
  return ok;
}
