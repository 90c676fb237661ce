/* run_notes.c - what a process tells the `gpumemprof run` that started it, beside its capture.
 *
 * process.c calls it when it has decided whether the process records. Without a capture, the tool
 * could not tell a program that does not use CUDA from one whose capture could not be written.
 * gpumemprof/run_notes.h describes the file.
 */
#include "life/run_notes.h"
#include "base/private_files.h"
#include "options/options.h"

#include "gpumemprof/run_notes.h"

#include <fcntl.h>
#include <stddef.h>

static void write_run_note(void *argument) {
  const enum gpumemprof_run_note *note = argument;
  const char *path = gpm_options_variable(GPUMEMPROF_RUN_NOTES_VARIABLE);
  const char *text = gpm_options_variable("GPUMEMPROF_RUN");
  uint64_t run, found = 0;
  if (!path || !text || !gpm_values_uint(text, &run)) return;
  int fd = gpm_private_files_open(path, O_RDWR | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0) return;
  int64_t bytes = gpm_private_files_read(fd, &found, sizeof found, 0);
  if (bytes == sizeof found && found == run)
    gpm_private_files_write(fd, "\1", 1, sizeof found + (uint64_t)*note);
  gpm_private_files_close(fd);
}

void gpm_run_notes_start(bool recording) {
  enum gpumemprof_run_note note = recording                ? GPUMEMPROF_RUN_NOTE_RECORDED
                                  : gpm_options.other_rank ? GPUMEMPROF_RUN_NOTE_OTHER_RANK
                                  : gpm_options.enabled    ? GPUMEMPROF_RUN_NOTE_EXPLAINED
                                                           : GPUMEMPROF_RUN_NOTE_OFF;
  if (gpm_options_variable(GPUMEMPROF_RUN_NOTES_VARIABLE))
    gpm_private_files_run(write_run_note, &note);
}
