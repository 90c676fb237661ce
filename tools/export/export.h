/* export.h - formats of others: what each export_NAME.c gets, and what several of them need.
 *
 * cmd_export.c opens the capture and the file, calls one of the table exports.def, and keeps the
 * file if that returns true. Everything is written as it is found, so that memory is bounded by the
 * places and paths of a program, and by its live blocks, not by its events.
 */
#ifndef GPM_TOOLS_EXPORT_H
#define GPM_TOOLS_EXPORT_H

#include "analysis/frames.h"

#include <stdio.h>

/* Figures of a call path that add up over paths: those of a report's rows by path. */
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
  const char *path; /* DATABASE: a name to write to, and no file */
  enum gpm_export_value value;
};

/* False after it said what is wrong; that writing failed is noticed by who closes the file. */
#define GPM_EXPORT(NAME, name, suffix, from, form, what, viewers)                                  \
  bool gpm_export_##NAME(const struct gpm_export *x);
#include "export/exports.def"

/* By node, to be freed. */
uint64_t *gpm_export_sums(const struct gpm_export *x, enum gpm_export_value value);
/* Of a cell, at the peak of its device, in how many blocks. */
uint64_t gpm_export_blocks_at_peak(const struct gpm_export *x,
                                   const struct gpumemprof_capture_cell *cell);
/* Between quotes, as JSON has it. The text has to be clean (text.h). */
void gpm_export_quote(FILE *f, const char *text);
/* The program's command line, clean, to be freed. */
char *gpm_export_command(const struct gpm_export *x);

#endif
