/* seal.h - the capture's checksums: see seal.c.
 */
#ifndef GPM_SEAL_H
#define GPM_SEAL_H

void gpm_seal(void);       /* the program has ended: the capture gets its checksums */
void gpm_seal_break(void); /* removes them before a later event; signals are held */

#endif /* GPM_SEAL_H */
