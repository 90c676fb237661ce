/* machine_paths.c - see machine_paths.h. Checks the lines of call paths against a second source.
 *
 * With verify=paths the runtime keeps, for each call path, the return addresses that were on the
 * machine stack when the path was first recorded. The debug information of the program has the
 * lines of these addresses, inlined functions included; none of it comes from the frames and sites
 * of which the path consists. Every line of the path must be among those lines, in the same order.
 * One machine frame may have several lines (inlining), and lines of functions without a frame lie
 * in between.
 *
 * Lines that the runtime made are not compared. A line of a file without debug information cannot
 * be compared, nor can any line of a program whose file is no longer the one that ran. Such paths
 * are counted separately. Machine frames that the optimiser left without a line agree with any line
 * of their file.
 */
#include "analysis/machine_paths.h"

#include "capture/symbols.h"
#include "support/memory.h"
#include "support/string.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_SHOWN 60 /* innermost frames of a machine stack that are shown */

struct module {
  char *path;
  struct gpm_source *sources; /* each address once; sorted by address later */
  size_t count, room;
  struct gpm_map known;     /* an address -> any number, if `sources` has it */
  enum gpm_elf_match match; /* whether it is the file that ran */
};
struct place { /* one line of the machine stack */
  const char *file, *function;
  uint32_t line;
};
struct verify {
  const struct gpm_reader *reader;
  struct module *modules;
  size_t module_count;
  struct place *stack; /* of the current node, innermost first */
  size_t depth, room;
  bool whole;   /* the whole stack was recorded, and its modules are the files that ran */
  bool changed; /* the file of some module is not the one that ran */
  size_t paths, compared, differences, unverified;
  struct gpm_map files; /* a file's text -> whether debug information knows it */
  struct gpm_map wrong; /* the site of a line missing on the machine stack -> its index */
  struct gpm_machine_paths *found; /* null: paths are only counted */
};

static struct module *module_of(struct verify *v, const char *path, size_t length) {
  for (size_t i = 0; i < v->module_count; i++)
    if (strlen(v->modules[i].path) == length && !memcmp(v->modules[i].path, path, length))
      return &v->modules[i];
  v->modules = gpm_memory_resize(v->modules, v->module_count + 1, sizeof *v->modules);
  struct module *m = &v->modules[v->module_count++];
  *m = (struct module){.path = gpm_memory_format("%.*s", (int)length, path)};
  return m;
}

/* Calls `each` for the addresses of a stack, and returns whether they are the whole stack. */
static bool for_calls(struct verify *v, const char *text,
                      void (*each)(struct verify *v, struct module *m, uint64_t address)) {
  while (*text) {
    const char *end = text + strcspn(text, "\n"), *at = end;
    /* The file name of a module may contain blanks, so the addresses are the hexadecimal numbers at
     * the end. */
    if (end - text >= 4 && !memcmp(end - 4, " ...", 4)) at = end - 4;
    bool whole = at == end;
    const char *last = at;
    while (at > text && (strchr("0123456789abcdef ", at[-1]))) at--;
    while (at < last && *at != ' ') at++;
    struct module *m = module_of(v, text, (size_t)(at - text));
    size_t number = (size_t)(m - v->modules);
    for (char *next; at < last; at = next) {
      uint64_t address = strtoull(at, &next, 16);
      if (next == at) break;
      each(v, &v->modules[number], address);
    }
    if (!whole) return false;
    text = *end ? end + 1 : end;
  }
  return true;
}

/* True for the profiler itself and CUDA, to which no line of a path belongs. */
static bool is_foreign(const struct module *m) {
  static const char *const names[] = {"libgpumemprof.so", "libcuda.so", "libcudart.so",
                                      "libcupti.so"};
  const char *base = gpm_text_base(m->path);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(base, names[i], strlen(names[i]))) return true;
  return false;
}

static void want(struct verify *v, struct module *m, uint64_t address) {
  (void)v;
  if (is_foreign(m) || *gpm_map_at(&m->known, address, m->count) != m->count) return;
  if (m->count == m->room) {
    m->room = m->room ? 2 * m->room : 64;
    m->sources = gpm_memory_resize(m->sources, m->room, sizeof *m->sources);
  }
  m->sources[m->count++] = (struct gpm_source){.address = address};
}

static int by_address(const void *a, const void *b) {
  const struct gpm_source *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

/* Returns whether a module is still the file that ran. Without a build ID the file must not be
 * newer than the run. */
static enum gpm_elf_match open_module(const struct gpm_reader *r, const struct module *m,
                                      struct gpm_elf *elf) {
  const char *build_id = NULL;
  struct gpm_cursor at = {.records = &r->native_modules};
  for (const struct gpumemprof_capture_native_module *n; (n = gpm_cursor_next(&at));) {
    const char *id = gpm_reader_string(r, n->build_id);
    if (strcmp(gpm_reader_string(r, n->path), m->path) != 0) continue;
    if (build_id && strcmp(build_id, id) != 0) return GPM_ELF_OTHER; /* two were loaded */
    build_id = id;
  }
  struct stat st;
  if (!build_id || !*build_id) {
    if (stat(m->path, &st)) return GPM_ELF_MISSING;
    if ((uint64_t)st.st_mtim.tv_sec > r->header.start_realtime_ns / 1000000000)
      return GPM_ELF_OTHER;
  }
  return gpm_elf_open(elf, m->path, build_id ? build_id : "");
}

static void name(const struct gpm_reader *r, struct module *m) {
  if (!m->count) return;
  qsort(m->sources, m->count, sizeof *m->sources, by_address);
  struct gpm_elf elf;
  m->match = open_module(r, m, &elf);
  if (m->match != GPM_ELF_SAME) return;
  gpm_dwarf_find(&elf, m->sources, m->count);
  for (size_t i = 0; i < m->count;
       i++) { /* -g1 names only functions into which others were inlined */
    struct gpm_source *s = &m->sources[i];
    char **function = s->count ? &s->frame[s->count - 1].function : NULL;
    if (function && !*function)
      *function = gpm_symbols_readable(gpm_elf_function(&elf, s->address));
  }
  gpm_elf_close(&elf);
}

static void put(struct verify *v, const struct place *place) {
  if (v->depth == v->room) {
    v->room = v->room ? 2 * v->room : 256;
    v->stack = gpm_memory_resize(v->stack, v->room, sizeof *v->stack);
  }
  v->stack[v->depth++] = *place;
}

static void put_call(struct verify *v, struct module *m, uint64_t address) {
  if (is_foreign(m)) return;
  struct gpm_source key = {.address = address};
  const struct gpm_source *s = bsearch(&key, m->sources, m->count, sizeof key, by_address);
  v->whole &= m->match == GPM_ELF_SAME && !(s && s->partial);
  for (unsigned i = 0; s && i < s->count; i++)
    if (s->frame[i].file)
      put(v, &(struct place){s->frame[i].file, s->frame[i].function, s->frame[i].line});
}

static bool search_debug_information(const struct verify *v, const char *file) {
  for (size_t m = 0; m < v->module_count; m++)
    for (size_t i = 0; i < v->modules[m].count; i++)
      for (unsigned k = 0; k < v->modules[m].sources[i].count; k++) {
        const char *known = v->modules[m].sources[i].frame[k].file;
        if (known && !strcmp(gpm_text_base(known), gpm_text_base(file))) return true;
      }
  return false;
}

static bool has_debug_information(struct verify *v, uint32_t file) {
  enum { NEW = 2 };
  uint64_t *known = gpm_map_at(&v->files, file, NEW);
  if (*known == NEW) *known = search_debug_information(v, gpm_reader_string(v->reader, file));
  return *known;
}

/* Returns the site of a node's call if that can be on the machine stack, else null. */
static const struct gpumemprof_capture_site *call_at(const struct verify *v,
                                                     const struct gpumemprof_capture_node *n) {
  const struct gpm_reader *r = v->reader;
  if (n->site == GPUMEMPROF_NONE || n->parent == GPUMEMPROF_NONE) return NULL;
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, n->site);
  if (s->kind != GPUMEMPROF_SITE_CALL || !s->line) return NULL;
  const struct gpumemprof_capture_node *above = gpm_reader_record(&r->nodes, n->parent);
  if (above->site == GPUMEMPROF_NONE) return NULL;
  const struct gpumemprof_capture_site *scope = gpm_reader_site(r, above->site);
  if (scope->flags & GPUMEMPROF_SITE_MADE) return NULL;
  return s;
}

/* Takes ownership of the text. */
static void add_reason(struct verify *v, char *text) {
  struct gpm_machine_paths *to = v->found;
  bool is_new = to != NULL;
  for (size_t i = 0; is_new && i < to->reason_count; i++) is_new = strcmp(to->reason[i], text) != 0;
  if (!is_new) {
    free(text);
    return;
  }
  to->reason = gpm_memory_resize(to->reason, to->reason_count + 1, sizeof *to->reason);
  to->reason[to->reason_count++] = text;
}

static bool is_there(const struct verify *v, const struct gpumemprof_capture_site *call,
                     const struct place *place) {
  if (place->line && place->line != call->line) return false;
  const char *file = gpm_reader_string(v->reader, call->file);
  return !strcmp(gpm_text_base(file), gpm_text_base(place->file));
}

struct outcome {
  const struct gpumemprof_capture_node
      *missing;    /* the innermost line that is not on the machine stack */
  bool any, whole; /* some lines were compared; all of them were */
};

static struct outcome search(struct verify *v, const struct gpumemprof_capture_node *n) {
  struct outcome out = {.whole = true};
  size_t at = 0;
  for (; n->parent != GPUMEMPROF_NONE; n = gpm_reader_record(&v->reader->nodes, n->parent)) {
    const struct gpumemprof_capture_site *call = call_at(v, n);
    if (!call) continue;
    if (!has_debug_information(v, call->file)) {
      out.whole = false;
      if (!v->changed) /* a changed file may be the reason otherwise */
        add_reason(v, gpm_memory_format("%s has no debug information; compile it with -g",
                                        gpm_text_base(gpm_reader_string(v->reader, call->file))));
      continue;
    }
    out.any = true;
    while (at < v->depth && !is_there(v, call, &v->stack[at])) at++;
    if (at == v->depth) {
      if (v->whole) out.missing = n;
      else
        add_reason(v, gpm_memory_text("a machine stack was not recorded, or is not known, as "
                                      "far as the line of its path"));
      out.whole = false;
      return out;
    }
    if (v->stack[at].line) at++; /* a machine frame without a line may match several lines */
  }
  return out;
}

static void put_place(struct gpm_string *to, const char *before, const char *file, uint32_t line,
                      const char *function) {
  gpm_string_add(to, "%s%s:%u %s", before, gpm_text_base(file), line, function ? function : "");
}

struct difference {
  const struct verify *v;
  const struct gpumemprof_capture_node *node; /* the innermost node of the path */
  const struct gpumemprof_capture_site *call; /* the call whose line is missing */
};

/* Writes the lines of a path, outermost first; of a long path, only the innermost. */
static void put_recorded(struct gpm_string *to, const struct difference *d) {
  const struct gpm_reader *r = d->v->reader;
  const struct gpumemprof_capture_site *line[MOST_SHOWN];
  size_t count = 0, more = 0;
  for (const struct gpumemprof_capture_node *n = d->node; n->parent != GPUMEMPROF_NONE;
       n = gpm_reader_record(&r->nodes, n->parent)) {
    const struct gpumemprof_capture_site *s = gpm_reader_site(r, n->site);
    if (s->kind == GPUMEMPROF_SITE_FUNCTION || s->kind == GPUMEMPROF_SITE_BLOCK) continue;
    if (count < MOST_SHOWN) line[count++] = s;
    else more++;
  }
  if (more) gpm_string_add(to, "(%zu more)", more);
  for (size_t i = count; i-- > 0;)
    put_place(to, i + 1 < count || more ? " > " : "", gpm_reader_string(r, line[i]->file),
              line[i]->line, gpm_reader_string(r, line[i]->function));
}

static void put_machine(struct gpm_string *to, const struct difference *d) {
  const struct verify *v = d->v;
  size_t shown = v->depth < MOST_SHOWN ? v->depth : MOST_SHOWN;
  if (shown < v->depth) gpm_string_add(to, "(%zu more)", v->depth - shown);
  for (size_t i = shown; i-- > 0;)
    put_place(to, i + 1 < v->depth ? " > " : "", v->stack[i].file, v->stack[i].line,
              v->stack[i].function);
}

static void put_line(struct gpm_string *to, const struct difference *d) {
  put_place(to, "", gpm_reader_string(d->v->reader, d->call->file), d->call->line,
            gpm_reader_string(d->v->reader, d->call->function));
}

static char *text_of(const struct difference *d,
                     void (*write)(struct gpm_string *to, const struct difference *d)) {
  struct gpm_string text = {NULL, 0, 0};
  write(&text, d);
  return gpm_string_take(&text);
}

static void note(struct verify *v, const struct gpumemprof_capture_node *n, uint32_t site) {
  struct gpm_machine_paths *to = v->found;
  uint64_t last = to->count, number = *gpm_map_at(&v->wrong, site, last);
  if (number != last) {
    to->difference[number].paths++;
    return;
  }
  struct difference d = {v, n, gpm_reader_site(v->reader, site)};
  to->difference = gpm_memory_resize(to->difference, to->count + 1, sizeof *to->difference);
  to->difference[to->count++] =
      (struct gpm_machine_difference){.line = text_of(&d, put_line),
                                      .recorded = text_of(&d, put_recorded),
                                      .machine = text_of(&d, put_machine),
                                      .paths = 1};
}

static void compare(struct verify *v, const struct gpumemprof_capture_node *n) {
  v->depth = 0;
  v->whole = true; /* put_call clears it if not */
  bool to_its_end = for_calls(v, gpm_reader_string(v->reader, n->machine_stack), put_call);
  v->whole &= to_its_end;
  struct outcome out = search(v, n);
  v->compared += out.any;
  v->differences += out.missing != NULL;
  v->unverified += !out.missing && !out.whole;
  if (out.missing && v->found) note(v, n, out.missing->site);
}

static void compare_all(struct verify *v) {
  const struct gpm_reader *r = v->reader;
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    if (n->machine_stack) {
      v->paths++;
      for_calls(v, gpm_reader_string(r, n->machine_stack), want);
    }
  if (!v->paths) return;
  for (size_t i = 0; i < v->module_count; i++) {
    struct module *m = &v->modules[i];
    name(r, m);
    if (m->match == GPM_ELF_SAME) continue;
    v->changed = true;
    add_reason(v, gpm_memory_format("%s %s", m->path,
                                    m->match == GPM_ELF_OTHER
                                        ? "is not the file any more that was loaded in the run"
                                        : "is not on this machine"));
  }
  at = (struct gpm_cursor){.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    if (n->machine_stack) compare(v, n);
}

static void end(struct verify *v) {
  for (size_t m = 0; m < v->module_count; m++) {
    for (size_t i = 0; i < v->modules[m].count; i++)
      for (unsigned k = 0; k < v->modules[m].sources[i].count; k++) {
        free(v->modules[m].sources[i].frame[k].file);
        free(v->modules[m].sources[i].frame[k].function);
      }
    free(v->modules[m].sources);
    gpm_map_free(&v->modules[m].known);
    free(v->modules[m].path);
  }
  free(v->modules);
  free(v->stack);
  gpm_map_free(&v->files);
  gpm_map_free(&v->wrong);
}

void gpm_machine_paths_count(struct gpm_reader *reader) {
  struct verify v = {.reader = reader};
  compare_all(&v);
  reader->header.counters[GPUMEMPROF_COUNTER_different_paths] = v.differences;
  reader->header.counters[GPUMEMPROF_COUNTER_unverified_paths] = v.unverified;
  end(&v);
}

static bool has_lines(const struct verify *v) {
  struct gpm_cursor at = {.records = &v->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    if (call_at(v, n)) return true;
  return false;
}

void gpm_machine_paths_find(const struct gpm_reader *reader, struct gpm_machine_paths *found) {
  *found = (struct gpm_machine_paths){0};
  struct verify v = {.reader = reader, .found = found};
  compare_all(&v);
  found->paths = v.paths;
  found->compared = v.compared;
  found->different = v.differences;
  found->unverified = v.unverified;
  found->has_lines = v.paths || has_lines(&v);
  end(&v);
}

void gpm_machine_paths_free(struct gpm_machine_paths *found) {
  for (size_t i = 0; i < found->count; i++) {
    free(found->difference[i].line);
    free(found->difference[i].recorded);
    free(found->difference[i].machine);
  }
  for (size_t i = 0; i < found->reason_count; i++) free(found->reason[i]);
  free(found->difference);
  free(found->reason);
}
