/* kept_names.c - see kept_names.h. */
#include "symbols/kept_names.h"

#include "capture/add_chunks.h"
#include "symbols/machine_stacks.h"

#include <stdlib.h>
#include <string.h>

static void add_frame(struct gpm_kept_names *k, const struct gpumemprof_capture_name *name) {
  if (k->count == k->room) {
    k->room = k->room ? 2 * k->room : 256;
    k->name = gpm_memory_resize(k->name, k->room, sizeof *k->name);
  }
  k->name[k->count++] = *name;
}

static void add_source(struct gpm_kept_names *k, uint32_t module, const struct gpm_source *s) {
  for (unsigned i = 0; i < s->count; i++) {
    const struct gpm_source_frame *f = &s->frame[i];
    uint32_t inner = i + 1 < s->count ? GPUMEMPROF_NAME_INNER : 0;
    uint32_t standard = f->standard ? GPUMEMPROF_NAME_STANDARD : 0;
    add_frame(k, &(struct gpumemprof_capture_name){
                     .address = s->address,
                     .module = module,
                     .function = gpm_texts_put(&k->texts, f->function),
                     .file = gpm_texts_put(&k->texts, f->file),
                     .line = f->line,
                     .declared_file = gpm_texts_put(&k->texts, f->declared_file),
                     .declared_line = f->declared_line,
                     .flags = inner | standard | (s->partial ? GPUMEMPROF_NAME_PARTIAL : 0)});
  }
}

void gpm_kept_names_add(struct gpm_kept_names *k, uint32_t module, const struct gpm_source *sources,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t *known = gpm_map_at(&k->known, gpm_map_mix(sources[i].address) ^ module, 0);
    if (*known) continue;
    *known = 1;
    add_source(k, module, &sources[i]);
  }
}

static void add_to_capture(const struct gpm_kept_names *k, const struct gpm_reader *r) {
  char *texts = gpm_memory_array(1 + k->texts.size, 1);
  if (k->texts.size) memcpy(texts + 1, k->texts.text, k->texts.size);
  struct gpm_new_chunk chunks[] = {
      {GPUMEMPROF_CHUNK_NAMES, sizeof *k->name, k->name, k->count * sizeof *k->name},
      {GPUMEMPROF_CHUNK_NAME_TEXTS, 1, texts, 1 + k->texts.size}};
  gpm_capture_add_chunks(r, chunks, 2);
  free(texts);
}

void gpm_kept_names_write(const char *path) {
  char error[512];
  struct gpm_kept_names kept = {.count = 0};
  struct gpm_reader *r = gpm_reader_open(path, NULL, error, sizeof error);
  if (!r) return;
  if (r->native_modules.count && !r->names.count) {
    struct gpm_machine_stacks stacks;
    r->kept = &kept;
    gpm_machine_stacks_open(&stacks, r);
    gpm_machine_stacks_free(&stacks);
    gpm_symbols_name(r);
    if (kept.count) add_to_capture(&kept, r);
  }
  gpm_reader_close(r);
  free(kept.name);
  free(kept.texts.text);
  gpm_map_free(&kept.texts.known);
  gpm_map_free(&kept.known);
}
