/* dump.h - a copy of the capture: see dump.c.
 */
#ifndef GPM_DUMP_H
#define GPM_DUMP_H

#include <stdbool.h>
#include <stdint.h>

/* path: null to have one chosen. by_helper: an exit of the program ends the dump. Returns 0 or an
 * errno value; an error is reported on stderr unless the one before was the same. */
int gpm_dump(const char *path, const char *reason, bool by_helper);
uint32_t gpm_dump_count(void); /* dumps that have got their name */
void gpm_dump_forked(void);

#endif /* GPM_DUMP_H */
