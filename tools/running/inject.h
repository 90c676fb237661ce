/* inject.h - lets a program load the runtime by itself, whether it was rebuilt or not: see
 * inject.c.
 */
#ifndef GPM_TOOLS_INJECT_H
#define GPM_TOOLS_INJECT_H

#include <stdbool.h>

/* Sets the variables for a program that is about to be started. */
void gpm_inject_offer(const char *path);
/* Whether CUDA_INJECTION64_PATH is that of another tool. */
bool gpm_inject_is_taken(void);

#endif
