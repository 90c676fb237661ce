/* alerts.h - the options warn=, critical= and growth=: see alerts.c. */
#ifndef GPM_ALERTS_H
#define GPM_ALERTS_H

struct gpm_thread;

void gpm_alerts_begin(struct gpm_thread *thread); /* once; the thread is not busy */

#endif /* GPM_ALERTS_H */
