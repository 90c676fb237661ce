/* suppressions.h - which leaks a user does not want to hear of, in LeakSanitizer's format:
 *
 *   # a comment
 *   leak:make_cache        a function, source file or module on the call path has this in its name
 *   leak:^ns::*::init$     ^ and $ are its ends, * is anything
 */
#ifndef GPM_TOOLS_SUPPRESSIONS_H
#define GPM_TOOLS_SUPPRESSIONS_H

#include "model/profile.h"

struct gpm_suppression {
  char *pattern;          /* without "leak:" */
  uint64_t bytes, blocks; /* the caller's: what it hid ... */
  uint64_t lines;         /* ... or of what grew */
};
struct gpm_suppressions {
  struct gpm_suppression *one;
  uint32_t count;
};

/* Null, or what is wrong with the file, with its line, to be freed. */
char *gpm_suppressions_read(struct gpm_suppressions *suppressions, const char *path);
void gpm_suppressions_free(struct gpm_suppressions *suppressions);

/* The first that is about a call path; null: none. */
struct gpm_suppression *gpm_suppressions_find(const struct gpm_suppressions *suppressions,
                                              const struct gpm_profile *profile, uint32_t node);

#endif
