/* paths.h - call paths of several captures as numbers that are equal where the paths are: what each
 * step says of itself (function, file, line, column, callee, variable, type, size, block) counts,
 * and no number of a capture.
 *
 * Captures are added one after the other and may be closed meanwhile: texts are kept. Memory grows
 * with different paths, not with captures.
 */
#ifndef GPM_TOOLS_PATHS_H
#define GPM_TOOLS_PATHS_H

#include "model/profile.h"
#include "support/words.h"

struct gpm_path {
  uint32_t parent;
  uint32_t step;  /* word: all that its last step says */
  uint32_t again; /* distinguishes equal steps of one capture, by their order */
  uint32_t text;  /* word: "main.c:11 main" */
  uint32_t file, function, block, line; /* words, and the line; 0: none */
  bool hidden;                          /* the step is a function: its lines say so */
  uint32_t capture, in_capture;         /* the latest that has it; how many such siblings there */
};
struct gpm_paths {
  struct gpm_words words; /* of texts: 0 is "" */
  struct gpm_path *path;  /* 0 is the root */
  uint32_t count, room;
  struct gpm_map by_step; /* hash of parent, step and again -> number */
  uint32_t captures;
};

/* By node of the profile, its path; to be freed. A zeroed struct has no paths. */
uint32_t *gpm_paths_add(struct gpm_paths *paths, const struct gpm_profile *profile);
void gpm_paths_free(struct gpm_paths *paths);

/* "main.c:11 main > main.c:4 step > main.c:1 make"; to be freed. */
char *gpm_paths_text(const struct gpm_paths *paths, uint32_t path);

#endif
