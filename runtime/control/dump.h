/* dump.h - a copy of the capture: see dump.c.
 */
#ifndef GPM_DUMP_H
#define GPM_DUMP_H

#include <stdbool.h>
#include <stdint.h>

/* path: null for one of its own. by_helper: an exit ends it. 0 or an errno value, with a sentence
 * unless the one before had the same. */
int gpm_dump(const char *path, const char *reason, bool by_helper);
uint32_t gpm_dump_count(void); /* that were given a name */
void gpm_dump_forked(void);

#endif /* GPM_DUMP_H */
