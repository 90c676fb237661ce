/* paths.h - numbers for the call paths of several captures; equal paths have equal numbers. Two
 * steps are equal if their descriptions are (function, file, line, column, callee, variable, type,
 * size, block); ids within a capture do not count.
 *
 * Captures are added one after the other and may be closed after that, because the texts are
 * copied. Memory grows with the number of different paths, not of captures.
 */
#ifndef GPM_TOOLS_PATHS_H
#define GPM_TOOLS_PATHS_H

#include "model/profile.h"
#include "support/map.h"
#include "support/words.h"

struct gpm_path {
  uint32_t parent;
  uint32_t step;       /* word: the whole description of its last step */
  uint32_t occurrence; /* distinguishes equal steps of one capture, by their order */
  uint32_t text;       /* word: "main.c:11 main" */
  uint32_t file, function, block, line; /* words, and the line; 0: none */
  bool hidden;                          /* the step is a function: its lines say so */
  uint32_t capture,
      in_capture; /* the latest capture that has it; the number of such siblings there */
};
struct gpm_paths {
  struct gpm_words words; /* of texts: 0 is "" */
  struct gpm_path *path;  /* 0 is the root */
  uint32_t count, room;
  struct gpm_map by_step; /* hash of parent, step and occurrence -> number */
  uint32_t captures;
};

/* Adds the paths of a profile. Returns the path of each node, an array that the caller frees. A
 * zeroed struct has no paths. */
uint32_t *gpm_paths_add(struct gpm_paths *paths, const struct gpm_profile *profile);
void gpm_paths_free(struct gpm_paths *paths);

/* Returns "main.c:11 main > main.c:4 step > main.c:1 make"; the caller frees it. */
char *gpm_paths_text(const struct gpm_paths *paths, uint32_t path);

#endif
