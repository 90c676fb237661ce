/* dump.h - a copy of the capture: see dump.c.
 */
#ifndef GPM_DUMP_H
#define GPM_DUMP_H

#include <stdbool.h>
#include <stdint.h>

/* path: null to have one chosen. by_helper: an exit of the program ends the dump. Returns 0 or an
 * errno value; an error other than ECANCELED is reported on stderr, unless the dump before failed
 * with the same one. */
int gpm_dump(const char *path, const char *reason, bool by_helper);
uint32_t gpm_dump_count(void); /* complete dumps whose name was chosen here */
void gpm_dump_forked(void);

#endif /* GPM_DUMP_H */
