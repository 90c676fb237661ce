/* through.h - finds the call through which most of what a line holds was requested. One line may
 * allocate for the whole program; only the callers distinguish what it holds then. For the
 * sentences of a page, and the advice of `gpumemprof oom`. */
#ifndef GPM_TOOLS_THROUGH_H
#define GPM_TOOLS_THROUGH_H

#include "model/profile.h"

/* A call path to the line and what it holds. The same path may occur more than once. */
struct gpm_through_path {
  uint32_t node;
  uint64_t bytes;
};
struct gpm_through_paths {
  struct gpm_through_path *path;
  uint32_t count, room;
};
void gpm_through_paths_add(struct gpm_through_paths *paths, uint32_t node, uint64_t bytes);
void gpm_through_paths_free(struct gpm_through_paths *paths);

struct gpm_through {
  char *caller;   /* "main.c:9 step"; "": there is none, or it is not known. The caller frees it */
  uint64_t bytes; /* bytes of the line that were requested through it */
};
/* rest: bytes of the line that are on none of these paths. Modifies the list. */
struct gpm_through gpm_through_find(const struct gpm_profile *profile,
                                    struct gpm_through_paths *paths, uint64_t rest);

#endif
