/* export_folded.c - writes folded stacks, one line such as "main (a.cu:11);step (a.cu:4) 367001600"
 * for each call path whose figure is not 0. Functions that several formats share are here too. */
#include "export/export.h"
#include "model/split_cells.h"

#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>

uint64_t gpm_export_blocks_at_peak(const struct gpm_export *x,
                                   const struct gpumemprof_capture_cell *c) {
  if (c->peak_epoch == x->reader->devices[c->device].peak_epoch) return c->at_peak.blocks;
  return c->allocated.blocks - c->freed.blocks;
}

static uint64_t of_cell(const struct gpm_export *x, enum gpm_export_value value,
                        const struct gpumemprof_capture_cell *c) {
  bool stays = c->kind == GPUMEMPROF_KIND_STATIC; /* variables are never freed */
  switch (value) {
  case GPM_EXPORT_VALUE_at_peak:
    return gpm_profile_at_peak(x->reader, c);
  case GPM_EXPORT_VALUE_self_alloc:
    return c->allocated.bytes;
  case GPM_EXPORT_VALUE_self_requested:
    return c->allocated.bytes - c->padding;
  case GPM_EXPORT_VALUE_leaked:
    return stays ? 0 : c->allocated.bytes - c->freed.bytes;
  case GPM_EXPORT_VALUE_blocks:
    return c->allocated.blocks;
  case GPM_EXPORT_VALUE_leaked_blocks:
    return stays ? 0 : c->allocated.blocks - c->freed.blocks;
  case GPM_EXPORT_VALUE_temporary_blocks:
    return c->temporary_blocks;
  case GPM_EXPORT_VALUE_self_freed:
    return 0; /* counted at the path that frees, which this is not */
  }
  return 0;
}

/* A block that was live before the window was not allocated in it. */
static bool is_older(const struct gpm_export *x, uint64_t cell) {
  return gpm_split_is_older(x->reader, cell);
}

uint64_t *gpm_export_sums(const struct gpm_export *x, enum gpm_export_value value) {
  bool at_peak = value == GPM_EXPORT_VALUE_at_peak;
  uint64_t *sum = gpm_memory_array(x->profile->node_count, sizeof *sum);
  struct gpm_cursor cells = {.records = &x->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));)
    if (x->profile->cell_shown[cells.number] && (at_peak || !is_older(x, cells.number)))
      sum[c->node] += of_cell(x, value, c);
  if (value != GPM_EXPORT_VALUE_self_freed) return sum;
  struct gpm_cursor pairs = {.records = &x->reader->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));)
    if (x->profile->cell_shown[q->cell]) sum[q->free_node] += q->freed.bytes;
  return sum;
}

void gpm_export_quote(FILE *f, const char *text) {
  putc('"', f);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putc('\\', f);
    putc(*text, f);
  }
  putc('"', f);
}

char *gpm_export_command(const struct gpm_export *x) {
  const struct gpumemprof_capture_header *h = &x->reader->header;
  return gpm_text_clean(*h->command_line ? h->command_line : h->executable);
}

/* A semicolon would end the frame. */
static char *name_of(const struct gpm_export *x, uint32_t frame) {
  char *text = gpm_frames_text(x->frames, frame);
  for (char *at = text; *at; at++)
    if (*at == ';') *at = ',';
  return text;
}

bool gpm_export_folded(const struct gpm_export *x) {
  uint32_t frames = x->frames->keys.count;
  uint64_t *sum = gpm_export_sums(x, x->value);
  char **name = gpm_memory_array(frames, sizeof *name);
  for (uint32_t n = 0; n < x->profile->node_count; n++) {
    if (!sum[n]) continue;
    for (uint32_t i = gpm_frames_path(x->frames, n); i-- > 0;) {
      uint32_t frame = x->frames->stack[i];
      if (!name[frame]) name[frame] = name_of(x, frame);
      fprintf(x->file, "%s%c", name[frame], i ? ';' : ' ');
    }
    fprintf(x->file, "%" PRIu64 "\n", sum[n]);
  }
  for (uint32_t i = 0; i < frames; i++) free(name[i]);
  free(name);
  free(sum);
  return true;
}
