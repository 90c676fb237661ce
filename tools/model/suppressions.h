/* suppressions.h - the leaks that a user does not want to see, in LeakSanitizer's format:
 *
 *   # a comment
 *   leak:make_cache        a function, source file or module on the call path has this in its name
 *   leak:^ns::*::init$     ^ and $ are the ends of the name, * matches anything
 */
#ifndef GPM_TOOLS_SUPPRESSIONS_H
#define GPM_TOOLS_SUPPRESSIONS_H

#include "model/profile.h"

struct gpm_suppression {
  char *pattern;          /* without "leak:" */
  uint64_t bytes, blocks; /* set by the caller: the leaks that it hid ... */
  uint64_t lines;         /* ... or the growing lines that it hid */
};
struct gpm_suppressions {
  struct gpm_suppression *one;
  uint32_t count;
};

/* Returns null, or a text that says what is wrong with the file and in which line; the caller frees
 * it. */
char *gpm_suppressions_read(struct gpm_suppressions *suppressions, const char *path);
void gpm_suppressions_free(struct gpm_suppressions *suppressions);

/* Returns the first suppression that matches a call path, or null. */
struct gpm_suppression *gpm_suppressions_find(const struct gpm_suppressions *suppressions,
                                              const struct gpm_profile *profile, uint32_t node);

#endif
