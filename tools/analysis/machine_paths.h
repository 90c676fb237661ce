/* machine_paths.h - compares call paths with the machine stack: for `gpumemprof info --paths`, and
 * for the losses of a capture that was made with verify=paths. */
#ifndef GPM_TOOLS_MACHINE_PATHS_H
#define GPM_TOOLS_MACHINE_PATHS_H

#include "capture/reader.h"

/* Counts the paths that differ and those that cannot be compared in the counters of the header, so
 * that every command reports them as losses. It costs little if the capture has no machine stacks.
 */
void gpm_machine_paths_count(struct gpm_reader *reader);

/* A line that is not on the machine stack, with the first path that has it. Texts are unchanged
 * from the capture. */
struct gpm_machine_difference {
  char *line, *recorded, *machine;
  uint64_t paths; /* number of paths that have it */
};
struct gpm_machine_paths {
  size_t paths, compared, different, unverified; /* numbers of call paths */
  struct gpm_machine_difference *difference;
  size_t count;
  char **reason; /* why paths could not be compared, each once */
  size_t reason_count;
  bool has_lines; /* at least one line could be compared */
};
void gpm_machine_paths_find(const struct gpm_reader *reader, struct gpm_machine_paths *found);
void gpm_machine_paths_free(struct gpm_machine_paths *found);

#endif
