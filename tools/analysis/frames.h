/* frames.h - call paths as other tools show them: frames with a function, a file and a line.
 *
 * A path of a capture alternates scopes and calls. A call is a frame: its function, at that line.
 * The scope of a function is not a frame, because its calls name the function; a named block is a
 * frame of its own: "main {epoch}".
 */
#ifndef GPM_TOOLS_FRAMES_H
#define GPM_TOOLS_FRAMES_H

#include "model/keys.h"
#include "model/profile.h"

struct gpm_frames {
  const struct gpm_profile *profile;
  struct gpm_keys keys;
  uint32_t *of_node; /* by node: the number of its frame, or NONE */
  uint32_t *stack;   /* the result of the last gpm_frames_path, innermost first */
};
/* The longest stack, as viewers draw no more. The frames outside of it become one frame. */
#define GPM_FRAMES_MOST 1024u

void gpm_frames_make(struct gpm_frames *frames, const struct gpm_profile *profile);
void gpm_frames_free(struct gpm_frames *frames);
/* Fills frames->stack and returns the number of frames, at least 1. */
uint32_t gpm_frames_path(struct gpm_frames *frames, uint32_t node);
/* Returns the frame right above that of a node, and sets *node to its node. NONE: the path begins
 * there. */
uint32_t gpm_frames_above(const struct gpm_frames *frames, uint32_t *node);
/* Returns the innermost frame of a path. */
uint32_t gpm_frames_innermost(const struct gpm_frames *frames, uint32_t node);

/* These return clean texts (text.h), which the caller frees. "step", "main {epoch}"; never "". */
char *gpm_frames_function(const struct gpm_frames *frames, uint32_t frame);
char *gpm_frames_file(const struct gpm_frames *frames, uint32_t frame); /* as compiled; or "" */
static inline uint32_t gpm_frames_line(const struct gpm_frames *frames, uint32_t frame) {
  return frame == 1 ? 0 : frames->keys.key[frame].line; /* 1: see frames.c */
}
/* "step (main.c:11)" */
char *gpm_frames_text(const struct gpm_frames *frames, uint32_t frame);

#endif
