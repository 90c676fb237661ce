/* machine_paths.h - call paths against the machine stack: `gpumemprof info --paths`,
 * and the losses of a capture that was made with verify=paths. */
#ifndef GPM_TOOLS_MACHINE_PATHS_H
#define GPM_TOOLS_MACHINE_PATHS_H

#include "capture/reader.h"

/* Counts the paths that differ and those that cannot be compared in the counters of the header, as
 * losses of every command. Cheap where the capture has no machine stacks. */
void gpm_machine_paths_count(struct gpm_reader *reader);

/* A line on which the machine was not, by the first path that has it. Texts are as they were
 * recorded. */
struct gpm_machine_difference {
  char *line, *recorded, *machine;
  uint64_t paths; /* that have it */
};
struct gpm_machine_paths {
  size_t paths, compared, different, unverified; /* call paths */
  struct gpm_machine_difference *difference;
  size_t count;
  char **reason; /* why paths could not be compared, each once */
  size_t reason_count;
  bool has_lines; /* there is a line that could be compared */
};
void gpm_machine_paths_find(const struct gpm_reader *reader, struct gpm_machine_paths *found);
void gpm_machine_paths_free(struct gpm_machine_paths *found);

#endif
