/* frames.c - see frames.h. Frame 0 is code that was not rebuilt; frame 1 replaces the outer frames
 * of a path that is longer than the longest stack. */
#include "analysis/frames.h"

#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>

enum { FRAME_UNKNOWN, FRAME_MORE };

static uint32_t frame_of(struct gpm_frames *f, uint32_t node) {
  const struct gpm_profile *p = f->profile;
  if (!node || p->kind[node] == GPUMEMPROF_SITE_FUNCTION) return GPUMEMPROF_NONE;
  bool known = gpm_profile_is_call(p, node) || p->kind[node] == GPUMEMPROF_SITE_BLOCK;
  uint32_t at = known ? node : p->scope[node];
  if (at == GPUMEMPROF_NONE) return FRAME_UNKNOWN;
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[at]);
  return gpm_keys_get(&f->keys,
                      (struct gpm_key){.file = s->file,
                                       .line = known ? s->line : 0,
                                       .function = s->function,
                                       .name = gpm_profile_is_call(p, node) ? 0 : s->name});
}

void gpm_frames_make(struct gpm_frames *f, const struct gpm_profile *profile) {
  *f = (struct gpm_frames){.profile = profile, .keys.reader = profile->reader};
  gpm_keys_get(&f->keys, (struct gpm_key){0});
  gpm_keys_get(&f->keys, (struct gpm_key){.line = UINT32_MAX});
  f->of_node = gpm_memory_array(profile->node_count, sizeof *f->of_node);
  for (uint32_t n = 0; n < profile->node_count; n++) f->of_node[n] = frame_of(f, n);
  f->stack = gpm_memory_array(GPM_FRAMES_MOST, sizeof *f->stack);
}

void gpm_frames_free(struct gpm_frames *f) {
  gpm_keys_free(&f->keys);
  free(f->of_node);
  free(f->stack);
}

uint32_t gpm_frames_above(const struct gpm_frames *f, uint32_t *node) {
  while (*node) {
    *node = f->profile->tree.node[*node].parent;
    if (f->of_node[*node] != GPUMEMPROF_NONE) return f->of_node[*node];
  }
  return GPUMEMPROF_NONE;
}

uint32_t gpm_frames_innermost(const struct gpm_frames *f, uint32_t node) {
  uint32_t frame = f->of_node[node];
  if (frame == GPUMEMPROF_NONE) frame = gpm_frames_above(f, &node);
  return frame == GPUMEMPROF_NONE ? FRAME_UNKNOWN : frame;
}

uint32_t gpm_frames_path(struct gpm_frames *f, uint32_t node) {
  uint32_t count = 0, frame = f->of_node[node];
  if (frame == GPUMEMPROF_NONE) frame = gpm_frames_above(f, &node);
  for (; frame != GPUMEMPROF_NONE; frame = gpm_frames_above(f, &node)) {
    if (count == GPM_FRAMES_MOST) {
      f->stack[count - 1] = FRAME_MORE;
      break;
    }
    f->stack[count++] = frame;
  }
  if (!count) f->stack[count++] = FRAME_UNKNOWN;
  return count;
}

char *gpm_frames_function(const struct gpm_frames *f, uint32_t frame) {
  if (frame == FRAME_MORE) return gpm_memory_text("(more callers)");
  const struct gpm_key *k = &f->keys.key[frame];
  const struct gpm_reader *r = f->profile->reader;
  if (!k->function && !k->file && !k->name) return gpm_memory_text("(code that was not rebuilt)");
  char *function = gpm_locations_text(r, k->function), *block = gpm_locations_text(r, k->name),
       *text;
  if (!*function && !*block) text = gpm_memory_text("(unknown function)");
  else if (*block) text = gpm_memory_format("%s%s{%s}", function, *function ? " " : "", block);
  else text = gpm_memory_text(function);
  free(function);
  free(block);
  return text;
}

char *gpm_frames_file(const struct gpm_frames *f, uint32_t frame) {
  return gpm_locations_text(f->profile->reader, f->keys.key[frame].file);
}

char *gpm_frames_text(const struct gpm_frames *f, uint32_t frame) {
  char *function = gpm_frames_function(f, frame), *file = gpm_frames_file(f, frame), *text;
  uint32_t line = gpm_frames_line(f, frame);
  if (*file && line) text = gpm_memory_format("%s (%s:%u)", function, file, line);
  else if (*file) text = gpm_memory_format("%s (%s)", function, file);
  else text = gpm_memory_text(function);
  free(function);
  free(file);
  return text;
}
