/* through.h - through which call most of what a line holds was asked for: one line may allocate for
 * everybody, and then it is who asked that tells one holder from another. For the sentences of a
 * page, and the advice of `gpumemprof oom`. */
#ifndef GPM_TOOLS_THROUGH_H
#define GPM_TOOLS_THROUGH_H

#include "model/profile.h"

/* A call path to the line and what it holds; a path may be there more than once. */
struct gpm_way {
  uint32_t node;
  uint64_t bytes;
};
struct gpm_ways {
  struct gpm_way *way;
  uint32_t count, room;
};
void gpm_ways_add(struct gpm_ways *ways, uint32_t node, uint64_t bytes);
void gpm_ways_free(struct gpm_ways *ways);

struct gpm_through {
  char *caller;   /* "main.c:9 step"; "": nobody, or it is not known. To be freed */
  uint64_t bytes; /* of the line that were asked for through it */
};
/* rest: bytes of the line that are on none of these paths. Changes the list. */
struct gpm_through gpm_through_find(const struct gpm_profile *profile, struct gpm_ways *ways,
                                    uint64_t rest);

#endif
