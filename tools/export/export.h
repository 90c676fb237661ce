/* export.h - exports to the formats of other tools: the arguments of each export_NAME.c, and what
 * several of them share.
 *
 * cmd_export.c opens the capture and the file, calls one function of the table exports.def, and
 * keeps the file if that returns true. Exports write while they read, so that the memory they need
 * is bounded by the sites and call paths of a program and by its live blocks, not by its events.
 */
#ifndef GPM_TOOLS_EXPORT_H
#define GPM_TOOLS_EXPORT_H

#include "analysis/frames.h"

#include <stdio.h>

/* The figures of a call path that add up over paths. They are those of a report's rows by path. */
#define GPM_EXPORT_VALUES(value)                                                                   \
  value(at_peak) value(self_alloc) value(self_requested) value(self_freed) value(leaked)           \
      value(blocks) value(leaked_blocks) value(temporary_blocks)
enum gpm_export_value {
#define GPM_EXPORT_VALUE(name) GPM_EXPORT_VALUE_##name,
  GPM_EXPORT_VALUES(GPM_EXPORT_VALUE)
#undef GPM_EXPORT_VALUE
};

struct gpm_export {
  struct gpm_reader *reader;
  const struct gpm_profile *profile;
  struct gpm_frames *frames;
  FILE *file;
  const char *path; /* DATABASE: the export opens this name itself */
  enum gpm_export_value value;
};

/* Each export returns false after an error message. It does not check for write errors: the caller
 * finds them when it closes the file. */
#define GPM_EXPORT(NAME, name, suffix, from, form, what, viewers)                                  \
  bool gpm_export_##NAME(const struct gpm_export *x);
#include "export/exports.def"

/* Returns the sum of a figure for each node. The caller frees it. */
uint64_t *gpm_export_sums(const struct gpm_export *x, enum gpm_export_value value);
/* Returns how many blocks of a cell were live at the peak of its device. */
uint64_t gpm_export_blocks_at_peak(const struct gpm_export *x,
                                   const struct gpumemprof_capture_cell *cell);
/* Writes the text as a JSON string. The text has to be clean (text.h). */
void gpm_export_quote(FILE *f, const char *text);
/* Returns the program's command line, clean. The caller frees it. */
char *gpm_export_command(const struct gpm_export *x);

#endif
