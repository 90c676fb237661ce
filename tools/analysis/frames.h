/* frames.h - call paths as other tools see them: frames with a function, a file and a line.
 *
 * A path of a capture alternates scopes and calls. A call is a frame: its function, at that line. A
 * function's scope is none, its calls say so; a named block is one of its own: "main {epoch}".
 */
#ifndef GPM_TOOLS_FRAMES_H
#define GPM_TOOLS_FRAMES_H

#include "model/keys.h"
#include "model/profile.h"

struct gpm_frames {
  const struct gpm_profile *profile;
  struct gpm_keys keys;
  uint32_t *of_node; /* by node: number of its frame, or NONE */
  uint32_t *stack;   /* of the path that was asked for last, innermost first */
};
/* The longest stack: viewers draw no more. What is outside of it is one frame. */
#define GPM_FRAMES_MOST 1024u

void gpm_frames_make(struct gpm_frames *frames, const struct gpm_profile *profile);
void gpm_frames_free(struct gpm_frames *frames);
/* Fills frames->stack, never empty; how many they are. */
uint32_t gpm_frames_path(struct gpm_frames *frames, uint32_t node);
/* The frame right above a node's own: *node becomes its node. NONE: the path begins there. */
uint32_t gpm_frames_above(const struct gpm_frames *frames, uint32_t *node);
/* The first of a path's frames: what its end is called. */
uint32_t gpm_frames_innermost(const struct gpm_frames *frames, uint32_t node);

/* Texts are clean (text.h) and to be freed. "step", "main {epoch}"; never "". */
char *gpm_frames_function(const struct gpm_frames *frames, uint32_t frame);
char *gpm_frames_file(const struct gpm_frames *frames, uint32_t frame); /* as compiled; or "" */
static inline uint32_t gpm_frames_line(const struct gpm_frames *frames, uint32_t frame) {
  return frame == 1 ? 0 : frames->keys.key[frame].line; /* 1: see frames.c */
}
/* "step (main.c:11)" */
char *gpm_frames_text(const struct gpm_frames *frames, uint32_t frame);

#endif
