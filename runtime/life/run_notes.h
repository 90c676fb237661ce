/* run_notes.h - what a process tells the `gpumemprof run` that started it: see run_notes.c.
 */
#ifndef GPM_RUN_NOTES_H
#define GPM_RUN_NOTES_H

#include <stdbool.h>

void gpm_run_notes_start(bool recording);

#endif /* GPM_RUN_NOTES_H */
