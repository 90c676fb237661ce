/* newest.h - `gpumemprof` without a command: what the newest capture of this folder says, and which
 * command answers which question. */
#ifndef GPM_TOOLS_NEWEST_H
#define GPM_TOOLS_NEWEST_H

/* Returns the exit status: 2 if there is no capture that can be read. */
int gpm_newest_show(void);

#endif
