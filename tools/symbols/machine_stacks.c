/* machine_stacks.c - see machine_stacks.h. */
#include "symbols/machine_stacks.h"

#include "support/text.h"

#include <stdlib.h>
#include <string.h>

static struct gpm_machine_module *module_of(struct gpm_machine_stacks *s, const char *path,
                                            size_t length) {
  for (size_t i = 0; i < s->module_count; i++)
    if (strlen(s->modules[i].path) == length && !memcmp(s->modules[i].path, path, length))
      return &s->modules[i];
  s->modules = gpm_memory_resize(s->modules, s->module_count + 1, sizeof *s->modules);
  struct gpm_machine_module *m = &s->modules[s->module_count++];
  *m = (struct gpm_machine_module){.path = gpm_memory_format("%.*s", (int)length, path)};
  return m;
}

/* Calls `each` for the addresses of a stack, and returns whether they are the whole stack. */
static bool for_calls(struct gpm_machine_stacks *s, const char *text,
                      void (*each)(struct gpm_machine_stacks *s, struct gpm_machine_module *m,
                                   uint64_t address)) {
  while (*text) {
    const char *end = text + strcspn(text, "\n"), *at = end;
    /* The file name of a module may contain blanks, so the addresses are the hexadecimal numbers at
     * the end. */
    if (end - text >= 4 && !memcmp(end - 4, " ...", 4)) at = end - 4;
    bool whole = at == end;
    const char *last = at;
    while (at > text && (strchr("0123456789abcdef ", at[-1]))) at--;
    while (at < last && *at != ' ') at++;
    struct gpm_machine_module *m = module_of(s, text, (size_t)(at - text));
    size_t number = (size_t)(m - s->modules);
    for (char *next; at < last; at = next) {
      uint64_t address = strtoull(at, &next, 16);
      if (next == at) break;
      each(s, &s->modules[number], address);
    }
    if (!whole) return false;
    text = *end ? end + 1 : end;
  }
  return true;
}

/* True for the profiler itself and CUDA, to which no line of a path belongs. */
static bool is_foreign(const struct gpm_machine_module *m) {
  static const char *const names[] = {"libgpumemprof.so", "libcuda.so", "libcudart.so",
                                      "libcupti.so"};
  const char *base = gpm_text_base(m->path);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(base, names[i], strlen(names[i]))) return true;
  return false;
}

static void want(struct gpm_machine_stacks *s, struct gpm_machine_module *m, uint64_t address) {
  (void)s;
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

/* The record of the module in the capture, which has its build-id; GPUMEMPROF_NONE: there is none,
 * or two files were loaded from the path. */
static uint32_t record_of(const struct gpm_reader *r, const struct gpm_machine_module *m) {
  uint32_t record = GPUMEMPROF_NONE;
  const char *build_id = NULL;
  struct gpm_cursor at = {.records = &r->native_modules};
  for (const struct gpumemprof_capture_native_module *n; (n = gpm_cursor_next(&at));) {
    const char *id = gpm_reader_string(r, n->build_id);
    if (strcmp(gpm_reader_string(r, n->path), m->path) != 0) continue;
    if (build_id && strcmp(build_id, id) != 0) return GPUMEMPROF_NONE;
    build_id = id;
    record = (uint32_t)at.number;
  }
  return record;
}

static void name(const struct gpm_reader *r, struct gpm_machine_module *m) {
  if (!m->count) return;
  qsort(m->sources, m->count, sizeof *m->sources, by_address);
  uint32_t record = record_of(r, m);
  m->match = record == GPUMEMPROF_NONE ? GPM_ELF_OTHER
                                       : gpm_symbols_find_in(r, record, m->sources, m->count).match;
}

/* ---- all of a capture --------------------------------------------------------------------------
 */

void gpm_machine_stacks_open(struct gpm_machine_stacks *s, const struct gpm_reader *r) {
  *s = (struct gpm_machine_stacks){.reader = r};
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    if (n->machine_stack) {
      s->count++;
      for_calls(s, gpm_reader_string(r, n->machine_stack), want);
    }
  for (size_t i = 0; i < s->module_count; i++) name(r, &s->modules[i]);
}

void gpm_machine_stacks_free(struct gpm_machine_stacks *s) {
  for (size_t m = 0; m < s->module_count; m++) {
    struct gpm_machine_module *module = &s->modules[m];
    gpm_symbols_free_sources(module->sources, module->count);
    gpm_map_free(&module->known);
    free(module->path);
  }
  free(s->modules);
  free(s->location);
}

/* ---- one of them --------------------------------------------------------------------------------
 */

static void put(struct gpm_machine_stacks *s, const struct gpm_machine_location *location) {
  if (s->depth == s->room) {
    s->room = s->room ? 2 * s->room : 256;
    s->location = gpm_memory_resize(s->location, s->room, sizeof *s->location);
  }
  s->location[s->depth++] = *location;
}

static void put_call(struct gpm_machine_stacks *s, struct gpm_machine_module *m, uint64_t address) {
  if (is_foreign(m)) return;
  struct gpm_source key = {.address = address};
  const struct gpm_source *source = bsearch(&key, m->sources, m->count, sizeof key, by_address);
  s->whole &= m->match == GPM_ELF_SAME && !(source && source->partial);
  for (unsigned i = 0; source && i < source->count; i++)
    if (source->frame[i].file)
      put(s, &(struct gpm_machine_location){source->frame[i].file, source->frame[i].function,
                                            source->frame[i].line});
}

void gpm_machine_stacks_read(struct gpm_machine_stacks *s,
                             const struct gpumemprof_capture_node *node) {
  s->depth = 0;
  s->whole = true; /* put_call clears it if not */
  bool to_its_end = for_calls(s, gpm_reader_string(s->reader, node->machine_stack), put_call);
  s->whole &= to_its_end;
}

bool gpm_machine_stacks_have_file(const struct gpm_machine_stacks *s, const char *file) {
  for (size_t m = 0; m < s->module_count; m++)
    for (size_t i = 0; i < s->modules[m].count; i++)
      for (unsigned k = 0; k < s->modules[m].sources[i].count; k++) {
        const char *known = s->modules[m].sources[i].frame[k].file;
        if (known && !strcmp(gpm_text_base(known), gpm_text_base(file))) return true;
      }
  return false;
}
