/* run_notes.h - what the processes of a `gpumemprof run` tell the tool beside their captures.
 *
 * The variable GPUMEMPROF_RUN_NOTES names a file that the tool holds open, as /proc/PID/fd/NUMBER.
 * It contains the number of the run (that of GPUMEMPROF_RUN, as 8 bytes), and after that one byte
 * for each note, which is 1 if some process of the run made it. A process that does not find the
 * number there makes no note: in another container the same path is another file.
 */
#ifndef GPUMEMPROF_RUN_NOTES_H
#define GPUMEMPROF_RUN_NOTES_H

#define GPUMEMPROF_RUN_NOTES_VARIABLE "GPUMEMPROF_RUN_NOTES"

enum gpumemprof_run_note {
  GPUMEMPROF_RUN_NOTE_RECORDED,   /* a capture was begun */
  GPUMEMPROF_RUN_NOTE_EXPLAINED,  /* none was, and a message of the runtime said why */
  GPUMEMPROF_RUN_NOTE_OFF,        /* the options of the run switched it off */
  GPUMEMPROF_RUN_NOTE_OTHER_RANK, /* ranks= left the process out */
  GPUMEMPROF_RUN_NOTES
};

#endif /* GPUMEMPROF_RUN_NOTES_H */
