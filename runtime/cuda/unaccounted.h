/* unaccounted.h - free memory around calls into libraries (unaccounted=calls): see unaccounted.c.
 */
#ifndef GPM_UNACCOUNTED_H
#define GPM_UNACCOUNTED_H

void gpm_unaccounted_forked(void);
void gpm_unaccounted_reset(void); /* discards what was sampled so far */
void gpm_unaccounted_end(void);   /* prints a message if nothing was sampled */

#endif /* GPM_UNACCOUNTED_H */
