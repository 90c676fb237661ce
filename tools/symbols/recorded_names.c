/* recorded_names.c - see symbols.h. Asks the capture first, which may hold names since its program
 * has ended (gpumemprof/capture_names.h), and then the files.
 */
#include "symbols/kept_names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names in the capture -----------------------------------------------------------------------
 */

static char *text_at(const struct gpm_reader *r, uint32_t offset) {
  return offset ? gpm_memory_text(gpm_reader_record(&r->name_texts, offset)) : NULL;
}

static void take_frame(const struct gpm_reader *r, const struct gpumemprof_capture_name *n,
                       struct gpm_source *s) {
  s->frame = gpm_memory_resize(s->frame, s->count + 1, sizeof *s->frame);
  s->frame[s->count++] = (struct gpm_source_frame){.function = text_at(r, n->function),
                                                   .file = text_at(r, n->file),
                                                   .line = n->line,
                                                   .declared_file = text_at(r, n->declared_file),
                                                   .declared_line = n->declared_line,
                                                   .standard = n->flags & GPUMEMPROF_NAME_STANDARD};
  s->partial = n->flags & GPUMEMPROF_NAME_PARTIAL;
}

/* Fills the sources that the capture has names for. True: it has some of this module. */
static bool take_recorded(const struct gpm_reader *r, uint32_t module, struct gpm_source *sources,
                          size_t count) {
  struct gpm_map wanted = {0};
  struct gpm_cursor at = {.records = &r->names};
  struct gpm_source *open = NULL; /* its further frames come next */
  bool any = false;
  for (size_t i = 0; i < count && r->names.count; i++)
    *gpm_map_at(&wanted, sources[i].address, count) = i;
  for (const struct gpumemprof_capture_name *n; (n = gpm_cursor_next(&at));) {
    if (n->module != module) continue;
    any = true;
    uint64_t i = gpm_map_find(&wanted, n->address, count);
    if (i < count && (!sources[i].count || open == &sources[i])) take_frame(r, n, &sources[i]);
    open = i < count && n->flags & GPUMEMPROF_NAME_INNER ? &sources[i] : NULL;
  }
  gpm_map_free(&wanted);
  return any;
}

/* ---- names in files -----------------------------------------------------------------------------
 */

static bool has_line(const struct gpm_source *s) {
  for (unsigned i = 0; i < s->count; i++)
    if (s->frame[i].file) return true;
  return false;
}

/* Takes what a file knows of an address, unless the capture knew more. */
static void take_found(struct gpm_source *s, struct gpm_source *found) {
  if (!found->count || (s->count && !has_line(found))) return;
  struct gpm_source known = *s;
  *s = *found;
  *found = known;
}

/* Looks those up that have no line yet. */
static struct gpm_found find_rest(const char *path, const char *build_id,
                                  struct gpm_source *sources, size_t count, bool recorded) {
  struct gpm_source *rest = gpm_memory_array(count, sizeof *rest);
  size_t *number = gpm_memory_array(count, sizeof *number), left = 0;
  for (size_t i = 0; i < count; i++) {
    if (has_line(&sources[i])) continue;
    rest[left] = (struct gpm_source){.address = sources[i].address};
    number[left++] = i;
  }
  struct gpm_found found = {.match = GPM_ELF_SAME, .files = true, .can_find_lines = true};
  if (left) found = gpm_symbols_find(path, build_id, rest, left);
  for (size_t i = 0; i < left; i++) take_found(&sources[number[i]], &rest[i]);
  gpm_symbols_free_sources(rest, left);
  free(number);
  if (!recorded) return found;
  found.match = GPM_ELF_SAME;
  found.files = true;
  return found;
}

/* A file without a build-id may only be taken for the one that ran if nobody has changed it, or put
 * it there, after the run. A program may build a library and load it, so it may be newer than the
 * program's start. */
static enum gpm_elf_match unchanged(const struct gpm_reader *r, const char *path) {
  const struct gpumemprof_capture_header *h = &r->header;
  uint64_t end = h->start_realtime_ns + (h->last_ns > h->first_ns ? h->last_ns - h->first_ns : 0);
  struct stat st;
  if (stat(path, &st)) return GPM_ELF_MISSING;
  const struct timespec *changed =
      st.st_mtim.tv_sec > st.st_ctim.tv_sec ? &st.st_mtim : &st.st_ctim;
  uint64_t ns = (uint64_t)changed->tv_sec * 1000000000u + (uint64_t)changed->tv_nsec;
  return ns > end ? GPM_ELF_OTHER : GPM_ELF_SAME;
}

struct gpm_found gpm_symbols_find_in(const struct gpm_reader *r, uint32_t module,
                                     struct gpm_source *sources, size_t count) {
  const struct gpumemprof_capture_native_module *m = gpm_reader_record(&r->native_modules, module);
  const char *path = gpm_reader_string(r, m->path), *build_id = gpm_reader_string(r, m->build_id);
  bool recorded = take_recorded(r, module, sources, count);
  struct gpm_found found = {.match = GPM_ELF_SAME, .files = true, .can_find_lines = true};
  if (!recorded && !*build_id) found.match = unchanged(r, path);
  found.files = found.match == GPM_ELF_SAME;
  if (*build_id || (!recorded && found.files))
    found = find_rest(path, build_id, sources, count, recorded);
  found.lines = false;
  for (size_t i = 0; i < count; i++) found.lines |= has_line(&sources[i]);
  if (r->kept) gpm_kept_names_add(r->kept, module, sources, count);
  return found;
}
