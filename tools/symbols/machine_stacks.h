/* machine_stacks.h - the machine stacks of a capture that was made with verify=paths, as lines of
 * source. machine_paths.c compares call paths with them.
 *
 * With verify=paths the runtime keeps, for each call path, the return addresses that were on the
 * machine stack when the path was first recorded. The debug information of the program has the
 * lines of these addresses, inlined functions included, so one machine frame may have several.
 */
#ifndef GPM_TOOLS_MACHINE_STACKS_H
#define GPM_TOOLS_MACHINE_STACKS_H

#include "support/map.h"
#include "support/memory.h"
#include "symbols/symbols.h"

struct gpm_machine_module {
  char *path;
  struct gpm_source *sources; /* each address once; sorted by address later */
  size_t count, room;
  struct gpm_map known;     /* an address -> any number, if `sources` has it */
  enum gpm_elf_match match; /* whether it is the file that ran */
};
struct gpm_machine_location { /* one line of the machine stack; texts are those of the debug
                              information */
  const char *file, *function;
  uint32_t line;
};
struct gpm_machine_stacks {
  const struct gpm_reader *reader;
  struct gpm_machine_module *modules;
  size_t module_count;
  size_t count;                          /* call paths that have a machine stack */
  struct gpm_machine_location *location; /* of the stack that was read last, innermost first */
  size_t depth, room;
  bool whole; /* the whole stack was recorded, and its modules are the files that ran */
};

/* Looks up the addresses of all stacks. */
void gpm_machine_stacks_open(struct gpm_machine_stacks *stacks, const struct gpm_reader *reader);
/* Reads the stack of a node that has one: fills location, depth and whole. */
void gpm_machine_stacks_read(struct gpm_machine_stacks *stacks,
                             const struct gpumemprof_capture_node *node);
/* Whether the debug information names the file. */
bool gpm_machine_stacks_have_file(const struct gpm_machine_stacks *stacks, const char *file);
void gpm_machine_stacks_free(struct gpm_machine_stacks *stacks);

#endif
