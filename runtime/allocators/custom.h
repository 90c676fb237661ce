/* custom.h - the program's own allocators: see custom.c.
 */
#ifndef GPM_CUSTOM_H
#define GPM_CUSTOM_H

#include <stdbool.h>

bool gpm_custom_start(void); /* called in a forked child, too */
void gpm_custom_forked(void);

#endif /* GPM_CUSTOM_H */
