/* export_folded.c - writes folded stacks, one line such as "main (a.cu:11);step (a.cu:4) 367001600"
 * for each call path whose figure is not 0. */
#include "export/export.h"
#include "export/path_sums.h"

#include <inttypes.h>
#include <stdlib.h>

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
