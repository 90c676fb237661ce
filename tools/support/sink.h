/* sink.h - a file that is there as a whole or not at all.
 *
 * It is written beside its place under another name and renamed when it is complete; whatever ends
 * the tool before takes the rest away. What is no regular file (a pipe, a device) is written at
 * once.
 */
#ifndef GPM_TOOLS_SINK_H
#define GPM_TOOLS_SINK_H

#include <stdbool.h>
#include <stdio.h>

struct gpm_sink {
  FILE *file;      /* to be written to: compressed on its way if asked for */
  FILE *below;     /* what gets the compressed bytes, or the same */
  char *path;      /* null: standard output */
  char *temporary; /* null: none */
};

/* path: "-" is standard output. False after it said what is wrong. */
bool gpm_sink_open(struct gpm_sink *sink, const char *path, bool gzip);
/* For what writes a file by its name: `temporary` is that, and there is no `file`. */
bool gpm_sink_name(struct gpm_sink *sink, const char *path);
/* keep: it is complete, else nothing is left of it. False: it could not be, which was said. */
bool gpm_sink_close(struct gpm_sink *sink, bool keep);

#endif
