/* symbols.c - see symbols.h. Called by command.c when a capture was opened.
 *
 * A NATIVE site is "0x1a2b via libclosed.so" at the addresses "1a2b 3c4d" of a module. It becomes
 * `closed.c:17 reserve via libclosed.so called from closed_grow closed.c:31`: the innermost
 * function, inlined or not, and those around it. Without debug information, symbols give the
 * functions; without symbols, the addresses stay. New texts form one more span after the capture's
 * strings.
 */
#include "symbols/symbols.h"

#include "capture/texts.h"
#include "support/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names -------------------------------------------------------------------------------------
 */

typedef char *(*demangler)(const char *name, char *buffer, size_t *size, int *status);

/* "void f<int>(char) const" -> "void f<int>" */
static void cut_parameters(char *text) {
  size_t end = strlen(text);
  while (end && text[end - 1] != ')') end--;
  for (int depth = 0; end-- > 0;) {
    if (text[end] == ')') depth++;
    if (text[end] == '(' && --depth == 0) {
      if (end) text[end] = 0; /* but not of "(anonymous namespace)::f" */
      return;
    }
  }
}

/* clang says of an argument of a template that it is an `auto`, which older C++ libraries do not
 * know. Returns the name without that, to be freed; null: it says nothing such. */
static char *without_kinds(const char *name) {
  static const char *const kinds[] = {"TnDa", "TnDc"};
  char *rest = gpm_memory_text(name);
  bool any = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (char *at = rest; (at = strstr(at, kinds[i])); any = true)
      memmove(at, at + strlen(kinds[i]), strlen(at + strlen(kinds[i])) + 1);
  if (any) return rest;
  free(rest);
  return NULL;
}

/* "f.cold", "f.part.0.isra.0" -> "f" */
static void cut_copy(char *name) {
  static const char *const words[] = {".cold", ".part",     ".constprop",
                                      ".isra", ".lto_priv", ".llvm"};
  for (char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      size_t size = strlen(words[i]);
      if (dot == name || strncmp(dot, words[i], size) != 0 || (dot[size] && dot[size] != '.'))
        continue;
      *dot = 0;
      return;
    }
}

char *gpm_symbols_readable(char *name) {
  static _Thread_local bool asked;         /* for each thread, which needs no lock */
  static _Thread_local demangler demangle; /* of the C++ library, if this machine has it */
  if (name) cut_copy(name);
  if (!name || strncmp(name, "_Z", 2) != 0) return name;
  void *library = asked ? NULL : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
  if (library) demangle = (demangler)dlsym(library, "__cxa_demangle");
  asked = true;
  int status = 0;
  char *readable = demangle ? demangle(name, NULL, NULL, &status) : NULL;
  char *older = !readable && demangle ? without_kinds(name) : NULL;
  if (older) readable = demangle(older, NULL, NULL, &status);
  free(older);
  if (!readable) return name;
  free(name);
  cut_parameters(readable);
  return readable;
}

/* ---- a module and the addresses in it ----------------------------------------------------------
 */

struct module {
  const char *path;
  struct gpm_source *sources;
  size_t source_count, source_room;
};

static void want(struct module *m, uint64_t address) {
  for (size_t i = 0; i < m->source_count; i++)
    if (m->sources[i].address == address) return;
  if (m->source_count == m->source_room) {
    m->source_room = m->source_room ? 2 * m->source_room : 16;
    m->sources = gpm_memory_resize(m->sources, m->source_room, sizeof *m->sources);
  }
  m->sources[m->source_count++] = (struct gpm_source){.address = address};
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
               found->match == GPM_ELF_OTHER ? "is not the file any more that was loaded in the run"
                                             : "is not on this machine");
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

/* A CUDA runtime that a library has linked in: its own functions have scrambled names. */
static bool is_cuda_runtime(const char *function) {
  return function && (!strncmp(function, "libcudart_static_", 17) ||
                      (!strncmp(function, "cuda", 4) && function[4] >= 'A' && function[4] <= 'Z'));
}

static void add_frame(struct chain *c, const struct gpm_source_frame *f) {
  if (is_cuda_runtime(f->function)) return;
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
  for (size_t i = 0; i < c->module->source_count; i++) {
    const struct gpm_source *s = &c->module->sources[i];
    if (s->address != address) continue;
    for (unsigned k = 0; k < s->count; k++) add_frame(c, &s->frame[k]);
    if (s->count) return;
  }
  static const struct gpm_source_frame unknown = {0};
  if (!c->innermost) c->innermost = &unknown;
}

static void name_site(struct gpm_texts *t, const struct module *m,
                      struct gpumemprof_capture_site *s) {
  struct chain c = {.module = m, .host = t->reader->host};
  for_addresses(gpm_reader_string(t->reader, s->variable), add_address, &c);
  const char *recorded = gpm_reader_string(t->reader, s->function), *via = strstr(recorded, "via ");
  if (c.innermost && c.innermost->function) {
    char *name = gpm_memory_format("%s %s", c.innermost->function, via ? via : "");
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

static void name_module(struct gpm_texts *t, uint32_t path, const char *build_id) {
  struct gpm_reader *r = t->reader;
  struct module m = {.path = gpm_reader_string(r, path)};
  for (int round = 0; round < 2; round++) {
    struct gpm_cursor at = {.records = &r->sites};
    for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));) {
      if (s->kind != GPUMEMPROF_SITE_NATIVE || s->file != path || !s->variable) continue;
      if (!round) for_addresses(gpm_reader_string(r, s->variable), want_address, &m);
      else name_site(t, &m, (struct gpumemprof_capture_site *)(uintptr_t)s);
    }
    if (round || !m.source_count) continue;
    struct gpm_found found = gpm_symbols_find(m.path, build_id, m.sources, m.source_count);
    say_what_is_lacking(&m, &found, r->host);
  }
  gpm_symbols_free_sources(m.sources, m.source_count);
}

void gpm_symbols_name(struct gpm_reader *reader) {
  struct gpm_texts texts = {.reader = reader};
  struct gpm_cursor at = {.records = &reader->native_modules};
  for (const struct gpumemprof_capture_native_module *m; (m = gpm_cursor_next(&at));)
    name_module(&texts, m->path, gpm_reader_string(reader, m->build_id));
  if (reader->native_modules.count) name_lines(reader);
  gpm_texts_publish(&texts);
}
