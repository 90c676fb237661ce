/* sink.h - an output file that is written completely or not at all.
 *
 * It is written under another name in the same folder and renamed when it is complete; if the tool
 * ends earlier, the partial file is removed. Anything but a regular file (a pipe, a device) is
 * written directly.
 */
#ifndef GPM_TOOLS_SINK_H
#define GPM_TOOLS_SINK_H

#include <stdbool.h>
#include <stdio.h>

struct gpm_sink {
  FILE *file;      /* the stream to write to; it compresses if that was asked for */
  FILE *below;     /* the stream that gets the compressed bytes, or the same as `file` */
  char *path;      /* null: standard output */
  char *temporary; /* null: none */
};

/* path: "-" is standard output. False: it failed, which was reported. */
bool gpm_sink_open(struct gpm_sink *sink, const char *path, bool gzip);
/* For code that opens the file itself: `temporary` is the path to write, and there is no `file`. */
bool gpm_sink_name(struct gpm_sink *sink, const char *path);
/* keep: the file is complete; otherwise nothing is left of it. False: it could not be completed,
 * which was reported. */
bool gpm_sink_close(struct gpm_sink *sink, bool keep);

#endif
