/* export.h - exports to the formats of other tools: the arguments of each export_NAME.c.
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

#endif
