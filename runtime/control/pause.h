/* pause.h - events without locations while recording is paused: see pause.c. */
#ifndef GPM_PAUSE_H
#define GPM_PAUSE_H

void gpm_pause_start(void);
void gpm_pause_forked(void);

#endif /* GPM_PAUSE_H */
