/* next.h - the last lines of `gpumemprof report`: the command that tells more about what the
 * capture has. */
#ifndef GPM_TOOLS_NEXT_H
#define GPM_TOOLS_NEXT_H

#include "model/profile.h"

/* Prints "Next: gpumemprof leaks app.gmprof   what was never freed", or nothing where nothing was
 * recorded. What went wrong comes first: out of memory, a broken budget, leaks. A second line names
 * a function that looks like an allocator, and how to see who called it. advice: what `gpumemprof
 * advise` says in a line, which is printed as well; or null. */
void gpm_next_print(const struct gpm_profile *profile, const char *advice);

#endif
