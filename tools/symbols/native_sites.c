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

/* Nothing is known of the address: "0x1a2b in app". */
static void put_address(struct gpm_native_sites *n, struct gpm_chain *chain, uint32_t recorded) {
  struct gpumemprof_capture_site site = *gpm_reader_site(n->texts->reader, recorded);
  const char *text = gpm_reader_string(n->texts->reader, site.function),
             *via = strstr(text, " via ");
  char *in = via ? gpm_memory_format("%.*s in %s", (int)(via - text), text, via + 5) : NULL;
  if (in) site.function = gpm_texts_put(n->texts, in);
  free(in);
  site.variable = 0;
  put(n, chain, site);
}

/* ---- functions ---------------------------------------------------------------------------------
 */

void gpm_native_sites_scope(struct gpm_native_sites *n, uint32_t site, const char *module,
                            const struct gpm_source *source) {
  struct gpm_chain *chain = &n->chain[site];
  struct gpm_source_frame f = {0};
  if (source->count) f = source->frame[source->count - 1];
  chain->left_out = gpm_symbols_left_out(module, &f);
  if (!f.declared_file && source->count == 1) { /* where its code begins will do */
    f.declared_file = f.file;
    f.declared_line = f.line;
  }
  if (f.function) put_scope(n, chain, &f);
  else put_address(n, chain, site);
}

/* Functions that are left out have no steps: what a header has inlined is charged to the line that
 * calls it, and a callback hangs below that line. */
void gpm_native_sites_call(struct gpm_native_sites *n, uint32_t site, const char *module,
                           const struct gpm_source *source) {
  struct gpm_chain *chain = &n->chain[site], itself = {0};
  unsigned named = 0;
  while (named < source->count && source->frame[source->count - 1 - named].function) named++;
  if (named) put_call(n, &itself, &source->frame[source->count - 1]);
  else put_address(n, &itself, site);
  chain->itself = n->step[itself.first];
  for (unsigned i = 0; i < named; i++) {
    const struct gpm_source_frame *f = &source->frame[source->count - 1 - i];
    bool left_out = gpm_symbols_left_out(module, f) == GPM_LEFT_OUT_ALWAYS;
    if (!i) chain->from_scope = left_out;
    if (left_out) continue;
    if (i) put_scope(n, chain, f);
    put_call(n, chain, f);
  }
  if (!named) put_address(n, chain, site);
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
