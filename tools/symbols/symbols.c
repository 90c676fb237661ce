/* symbols.c - see symbols.h. Called by command.c when a capture was opened.
 *
 * A NATIVE site is "0x1a2b via libclosed.so" at the addresses "1a2b 3c4d" of a module. It becomes
 * `closed.c:17 reserve via libclosed.so called from closed_grow closed.c:31`: the innermost
 * function, inlined or not, and those around it. Without debug information, symbols give the
 * functions; without symbols, the addresses stay. Where each function is a scope (stacks=native),
 * native_sites.c and native_tree.c make others of them. New texts form one more span after the
 * capture's strings.
 */
#include "symbols/native_sites.h"

#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a module and the addresses in it ----------------------------------------------------------
 */

struct module {
  const char *path, *build_id;
  struct gpm_source *sources;
  size_t source_count, source_room;
  struct gpm_map known; /* address -> index in sources */
  bool has_functions;   /* as scopes: it was recorded by the machine stack */
};

static void want(struct module *m, uint64_t address) {
  if (*gpm_map_at(&m->known, address, m->source_count) != m->source_count) return;
  if (m->source_count == m->source_room) {
    m->source_room = m->source_room ? 2 * m->source_room : 16;
    m->sources = gpm_memory_resize(m->sources, m->source_room, sizeof *m->sources);
  }
  m->sources[m->source_count++] = (struct gpm_source){.address = address};
}

/* What is known of an address; never null. */
static const struct gpm_source *source_of(const struct module *m, uint64_t address) {
  static const struct gpm_source unknown;
  uint64_t at = gpm_map_find(&m->known, address, m->source_count);
  return at < m->source_count ? &m->sources[at] : &unknown;
}

/* Calls `each` for every address of a site. */
static void for_addresses(const char *text, void (*each)(void *to, uint64_t address), void *to) {
  for (char *end; *text; text = end) {
    uint64_t address = strtoull(text, &end, 16);
    if (end == text) return;
    each(to, address);
  }
}

static void want_address(void *to, uint64_t address) {
  want(to, address);
}

static void say_what_is_lacking(const struct module *m, const struct gpm_found *found,
                                struct gpm_host *host) {
  if (!found->can_find_lines && host && !host->lacks_libdw) {
    host->lacks_libdw = true;
    gpm_host_say(host, "this gpumemprof was built without libdw: lines and inlined functions in "
                       "libraries are not named");
  }
  if (found->files) return;
  char *clean = gpm_text_clean(m->path);
  gpm_host_say(host, "%s %s; functions in it are not named", clean,
               found->match != GPM_ELF_OTHER ? "is not on this machine"
               : *m->build_id ? "is not the file any more that was loaded in the run"
                              : "has no build-id, and was changed or put there after "
                                "the run (-Wl,--build-id lets it be known)");
  free(clean);
}

/* ---- sites -------------------------------------------------------------------------------------
 */

/* The frames of one site, innermost first. */
struct chain {
  const struct module *module;
  const struct gpm_source_frame *innermost;
  char *around; /* "called from B b.c:2, A a.c:1" */
  const struct gpm_host *host;
};

static void add_frame(struct chain *c, const struct gpm_source_frame *f) {
  if (gpm_symbols_is_cuda_runtime(f)) return;
  if (!c->innermost) {
    c->innermost = f;
    return;
  }
  char *file = f->file ? gpm_text_file(c->host, f->file) : gpm_memory_text(""), line[16] = "";
  if (f->line && f->file) snprintf(line, sizeof line, ":%u", f->line);
  char *longer = gpm_memory_format("%s%s%s%s%s%s", c->around ? c->around : "called from ",
                                   c->around ? ", " : "", f->function ? f->function : "",
                                   *file && f->function ? " " : "", file, line);
  free(file);
  free(c->around);
  c->around = longer;
}

static void add_address(void *to, uint64_t address) {
  struct chain *c = to;
  const struct gpm_source *s = source_of(c->module, address);
  for (unsigned k = 0; k < s->count; k++) add_frame(c, &s->frame[k]);
  static const struct gpm_source_frame unknown = {0};
  if (!s->count && !c->innermost) c->innermost = &unknown;
}

static void name_site(struct gpm_texts *t, const struct module *m, bool with_via,
                      struct gpumemprof_capture_site *s) {
  struct chain c = {.module = m, .host = t->reader->host};
  for_addresses(gpm_reader_string(t->reader, s->variable), add_address, &c);
  const char *recorded = gpm_reader_string(t->reader, s->function),
             *via = strstr(recorded, " via ");
  if (c.innermost && c.innermost->function) {
    char *name = gpm_memory_format("%s%s", c.innermost->function, with_via && via ? via : "");
    s->function = gpm_texts_put(t, name);
    free(name);
  }
  s->file = c.innermost ? gpm_texts_put(t, c.innermost->file) : 0;
  s->line = c.innermost && c.innermost->file ? c.innermost->line : 0;
  s->variable = 0;
  s->name = gpm_texts_put(t, c.around);
  free(c.around);
}

/* If several addresses are on one line, how much of them was live at once is not known, so a line
 * record takes the name of the location only if it has a single address. */
static void name_lines(struct gpm_reader *r) {
  struct gpm_map seen = {0};
  for (int round = 0; round < 2; round++) {
    struct gpm_cursor at = {.records = &r->sites};
    for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));) {
      if (s->kind != GPUMEMPROF_SITE_NATIVE || s->line_id == GPUMEMPROF_NONE) continue;
      uint64_t key = gpm_map_mix((uint64_t)s->file << 32 ^ s->function) ^ s->line;
      uint64_t *line = gpm_map_at(&seen, key, s->line_id);
      if (!round && *line != s->line_id) *line = GPUMEMPROF_NONE;
      if (!round || *line != s->line_id) continue;
      struct gpumemprof_capture_line *l =
          (struct gpumemprof_capture_line *)(uintptr_t)gpm_reader_record(&r->lines, s->line_id);
      l->file = s->file;
      l->line = s->line;
      l->function = s->function;
    }
  }
  gpm_map_free(&seen);
}

/* ---- functions as scopes ------------------------------------------------------------------------
 */

/* The address of a site of a function, or of a call in one. */
static const struct gpm_source *source_of_site(const struct module *m, const struct gpm_reader *r,
                                               const struct gpumemprof_capture_site *s) {
  return source_of(m, strtoull(gpm_reader_string(r, s->variable), NULL, 16));
}

/* Without lines the reader learns why, and what to do. Nobody rebuilds what came with the system.
 */
static void say_what_debug_information_lacks(const struct module *m, const struct gpm_found *found,
                                             struct gpm_host *host) {
  if (!m->has_functions || !found->can_find_lines || !found->files || found->lines ||
      gpm_text_is_of_the_system(m->path))
    return;
  bool named = false;
  for (size_t i = 0; i < m->source_count; i++) named |= m->sources[i].count != 0;
  char *clean = gpm_text_clean(gpm_text_base(m->path));
  gpm_host_say(
      host,
      named ? "%s has no debug information: functions are named, lines are not; build it "
              "with -g1 (nvcc: -Xcompiler -g1), or install its debug information "
              "(.gnu_debuglink, DEBUGINFOD_URLS)"
            : "%s has neither debug information nor symbols: its functions are addresses; "
              "build it with -g1 (nvcc: -Xcompiler -g1), and do not strip it, or install its debug "
              "information (.gnu_debuglink, DEBUGINFOD_URLS)",
      clean);
  free(clean);
}

/* ---- all sites ---------------------------------------------------------------------------------
 */

static void name_one(struct gpm_texts *t, struct gpm_native_sites *n, const struct module *m,
                     uint32_t number, struct gpumemprof_capture_site *s) {
  const struct gpm_source *source = n ? source_of_site(m, t->reader, s) : NULL;
  if (gpm_native_is_scope(s)) {
    if (n && !n->chain[number].count) gpm_native_sites_scope(n, number, m->path, source);
    return;
  }
  if (n && n->is_call[number] && !n->chain[number].count)
    gpm_native_sites_call(n, number, m->path, source);
  bool is_old = !n || n->is_old[number]; /* or of a use of memory, or both a call and old */
  if (is_old || !n->is_call[number]) name_site(t, m, is_old || !m->has_functions, s);
}

static void name_module(struct gpm_texts *t, struct gpm_native_sites *n, uint32_t number) {
  struct gpm_reader *r = t->reader;
  const struct gpumemprof_capture_native_module *record =
      gpm_reader_record(&r->native_modules, number);
  uint32_t path = record->path;
  struct module m = {.path = gpm_reader_string(r, path),
                     .build_id = gpm_reader_string(r, record->build_id)};
  for (int round = 0; round < 2; round++) {
    struct gpm_cursor at = {.records = &r->sites};
    for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));) {
      bool is_scope = gpm_native_is_scope(s);
      if ((!is_scope && s->kind != GPUMEMPROF_SITE_NATIVE) || s->file != path || !s->variable)
        continue;
      m.has_functions |= is_scope;
      if (!round) for_addresses(gpm_reader_string(r, s->variable), want_address, &m);
      else name_one(t, n, &m, (uint32_t)at.number, (struct gpumemprof_capture_site *)(uintptr_t)s);
    }
    if (round || !m.source_count) continue;
    if (gpm_symbols_asks_servers())
      gpm_host_doing(r->host, "asking debuginfod for debug information");
    struct gpm_found found = gpm_symbols_find_in(r, number, m.sources, m.source_count);
    say_what_is_lacking(&m, &found, r->host);
    if (m.has_functions && !found.files && !r->nameless && !gpm_text_is_of_the_system(m.path)) {
      r->nameless = m.path;
      r->nameless_build = m.build_id;
    }
    say_what_debug_information_lacks(&m, &found, r->host);
  }
  gpm_symbols_free_sources(m.sources, m.source_count);
  gpm_map_free(&m.known);
}

void gpm_symbols_name(struct gpm_reader *reader) {
  struct gpm_texts texts = {.reader = reader};
  struct gpm_native_sites sites, *n = reader->has_machine_scopes ? &sites : NULL;
  if (n) gpm_native_sites_begin(n, &texts);
  for (uint64_t i = 0; i < reader->native_modules.count; i++) name_module(&texts, n, (uint32_t)i);
  if (reader->native_modules.count) name_lines(reader);
  gpm_texts_publish(&texts);
  if (!n) return;
  gpm_native_sites_finish(n);
  gpm_native_tree_make(reader, n);
  gpm_native_sites_free(n);
}
