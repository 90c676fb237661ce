/* native_sites.c - see native_sites.h. */
#include "symbols/native_sites.h"

#include "support/text.h"

#include <string.h>

void gpm_native_sites_begin(struct gpm_native_sites *n, struct gpm_texts *texts) {
  const struct gpm_reader *r = texts->reader;
  *n = (struct gpm_native_sites){.texts = texts, .recorded = (uint32_t)r->sites.count};
  n->is_call = gpm_memory_array(n->recorded, 1);
  n->is_old = gpm_memory_array(n->recorded, 1);
  n->chain = gpm_memory_array(n->recorded, sizeof *n->chain);
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *node; (node = gpm_cursor_next(&at));) {
    if (node->site == GPUMEMPROF_NONE || !at.number) continue;
    if (gpm_reader_site(r, node->site)->kind != GPUMEMPROF_SITE_NATIVE) continue;
    const struct gpumemprof_capture_node *above = gpm_reader_record(&r->nodes, node->parent);
    bool in_function =
        above->site != GPUMEMPROF_NONE && gpm_native_is_scope(gpm_reader_site(r, above->site));
    (in_function ? n->is_call : n->is_old)[node->site] = 1;
  }
}

/* ---- new sites ---------------------------------------------------------------------------------
 */

/* The number of a site; sites of the same content are one. */
static uint32_t number_of(struct gpm_native_sites *n, struct gpumemprof_capture_site site) {
  uint64_t key = gpm_map_mix((uint64_t)site.file << 32 | site.line);
  key = gpm_map_mix(key ^ ((uint64_t)site.function << 32 | site.variable));
  key = gpm_map_mix(key ^ site.kind);
  uint64_t at = *gpm_map_at(&n->by_content, key, n->made_count);
  if (at == n->made_count) {
    if (n->made_count == n->made_room) {
      n->made_room = n->made_room ? 2 * n->made_room : 64;
      n->made = gpm_memory_resize(n->made, n->made_room, sizeof *n->made);
    }
    n->made[n->made_count++] = site;
  }
  return n->recorded + (uint32_t)at;
}

static void put(struct gpm_native_sites *n, struct gpm_chain *chain,
                struct gpumemprof_capture_site site) {
  site.inlined_at = site.line_id = GPUMEMPROF_NONE;
  if (n->step_count == n->step_room) {
    n->step_room = n->step_room ? 2 * n->step_room : 64;
    n->step = gpm_memory_resize(n->step, n->step_room, sizeof *n->step);
  }
  if (!chain->count++) chain->first = n->step_count;
  n->step[n->step_count++] = number_of(n, site);
}

static void put_scope(struct gpm_native_sites *n, struct gpm_chain *chain,
                      const struct gpm_source_frame *f) {
  put(n, chain,
      (struct gpumemprof_capture_site){.kind = GPUMEMPROF_SITE_FUNCTION,
                                       .flags = GPUMEMPROF_SITE_AT_ADDRESS,
                                       .line = f->declared_file ? f->declared_line : 0,
                                       .file = gpm_texts_put(n->texts, f->declared_file),
                                       .function = gpm_texts_put(n->texts, f->function)});
}

static void put_call(struct gpm_native_sites *n, struct gpm_chain *chain,
                     const struct gpm_source_frame *f) {
  bool known = f->file && f->line;
  put(n, chain,
      (struct gpumemprof_capture_site){.kind =
                                           known ? GPUMEMPROF_SITE_CALL : GPUMEMPROF_SITE_NATIVE,
                                       .line = known ? f->line : 0,
                                       .file = gpm_texts_put(n->texts, f->file),
                                       .function = gpm_texts_put(n->texts, f->function)});
}

/* ---- functions ---------------------------------------------------------------------------------
 */

/* The C library, whose functions at the bottom of a stack start programs, threads and handlers. */
static bool is_c_library(const char *module) {
  static const char *const names[] = {"libc.so", "libc-", "libpthread",
                                      "ld-",     "ld.so", "libc.musl"};
  const char *base = gpm_text_base(module);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(base, names[i], strlen(names[i]))) return true;
  return false;
}

/* The same in the program itself, which has the first of them and, if it is static, all. */
static bool is_start(const char *function) {
  static const char *const names[] = {"_start",
                                      "__libc_start_main",
                                      "__libc_start_main_impl",
                                      "__libc_start_call_main",
                                      "__libc_csu_init",
                                      "start_thread",
                                      "clone",
                                      "clone3",
                                      "__clone",
                                      "__clone3"};
  for (size_t i = 0; function && i < sizeof names / sizeof *names; i++)
    if (!strcmp(function, names[i])) return true;
  return false;
}

/* The runtime itself has no debug information, and its headers are called cuda_runtime.h and so on.
 * A program's own helper may well be called cudaCheck; it stays. */
static bool is_cuda_runtime(const struct gpm_source_frame *f) {
  const char *file = f->declared_file;
  return gpm_symbols_is_cuda_runtime(f->function) &&
         (!file || gpm_text_is_of_the_system(file) || !strncmp(gpm_text_base(file), "cuda_", 5));
}

void gpm_native_sites_scope(struct gpm_native_sites *n, uint32_t site, const char *module,
                            const struct gpm_source *source) {
  const struct gpumemprof_capture_site *recorded = gpm_reader_site(n->texts->reader, site);
  struct gpm_chain *chain = &n->chain[site];
  struct gpm_source_frame f = {0};
  if (source->count) f = source->frame[source->count - 1];
  if (is_c_library(module) || is_start(f.function)) chain->left_out = GPM_LEFT_OUT_AT_BOTTOM;
  if (is_cuda_runtime(&f)) chain->left_out = GPM_LEFT_OUT_ALWAYS;
  if (!f.declared_file && source->count == 1) { /* where its code begins will do */
    f.declared_file = f.file;
    f.declared_line = f.line;
  }
  if (f.function) put_scope(n, chain, &f);
  else put(n, chain, *recorded);
}

/* How many frames are the program's, from the outermost one on: calls of CUDA are charged to the
 * line that makes them, also where a header has inlined something of its own in between. */
static unsigned own_frames(const struct gpm_source *source) {
  unsigned own = 0;
  while (own < source->count) {
    const struct gpm_source_frame *f = &source->frame[source->count - 1 - own];
    if (!f->function || is_cuda_runtime(f)) break;
    own++;
  }
  return own;
}

void gpm_native_sites_call(struct gpm_native_sites *n, uint32_t site,
                           const struct gpm_source *source) {
  struct gpm_chain *chain = &n->chain[site];
  unsigned own = own_frames(source);
  for (unsigned i = 0; i < own; i++) {
    const struct gpm_source_frame *f = &source->frame[source->count - 1 - i];
    if (i) put_scope(n, chain, f);
    put_call(n, chain, f);
  }
  if (!own) put(n, chain, *gpm_reader_site(n->texts->reader, site));
}

void gpm_native_sites_finish(struct gpm_native_sites *n) {
  struct gpm_reader *r = n->texts->reader;
  if (!n->made_count) return;
  memcpy(gpm_reader_append(&r->sites, n->made_count), n->made, n->made_count * sizeof *n->made);
}

void gpm_native_sites_free(struct gpm_native_sites *n) {
  free(n->is_call);
  free(n->is_old);
  free(n->chain);
  free(n->step);
  free(n->made);
  gpm_map_free(&n->by_content);
}
