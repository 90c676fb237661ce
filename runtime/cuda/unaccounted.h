/* unaccounted.h - free memory around calls into libraries (unaccounted=calls): see unaccounted.c.
 */
#ifndef GPM_UNACCOUNTED_H
#define GPM_UNACCOUNTED_H

void gpm_unaccounted_forked(void);
void gpm_unaccounted_reset(void); /* what was sampled so far is forgotten */
void gpm_unaccounted_end(void);   /* says if nothing was sampled */

#endif /* GPM_UNACCOUNTED_H */
