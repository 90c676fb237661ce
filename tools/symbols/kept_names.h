/* kept_names.h - the names that are found for a capture, to be added to it.
 *
 * A program is soon rebuilt at its place, and a capture is copied to other machines. So running/
 * looks names up once when the program has ended, as every report would, and the capture keeps them
 * (gpumemprof/capture_names.h).
 */
#ifndef GPM_TOOLS_KEPT_NAMES_H
#define GPM_TOOLS_KEPT_NAMES_H

#include "capture/texts.h"
#include "symbols/symbols.h"

struct gpm_kept_names {
  struct gpumemprof_capture_name *name;
  size_t count, room;
  struct gpm_texts texts;
  struct gpm_map known; /* module and address, mixed -> any number */
};

/* Adds what is known of the addresses of a module, by its record of NATIVE_MODULES. */
void gpm_kept_names_add(struct gpm_kept_names *kept, uint32_t module,
                        const struct gpm_source *sources, size_t count);

/* Looks up the addresses of a capture whose program has ended and that has none, and adds their
 * names to the file. Without a message: what cannot be named or written is so in each report. */
void gpm_kept_names_write(const char *path);

#endif
