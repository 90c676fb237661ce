/* run_notes.h - what the processes of a run say beside their captures: see gpumemprof/run_notes.h.
 */
#ifndef GPM_TOOLS_RUN_NOTES_H
#define GPM_TOOLS_RUN_NOTES_H

#include "gpumemprof/run_notes.h"

#include <stdbool.h>
#include <stdint.h>

/* Makes the file, and names it in the environment. Returns its descriptor; -1: there are no notes.
 */
int gpm_run_notes_open(uint64_t run);
bool gpm_run_notes_has(int notes, enum gpumemprof_run_note note);

#endif
