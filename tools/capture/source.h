/* source.h - a source file from disk, line by line: `gpumemprof annotate`. */
#ifndef GPM_TOOLS_SOURCE_H
#define GPM_TOOLS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct gpm_source {
  char **line; /* clean (text.h), tabs expanded; null: the file can not be read */
  uint32_t count;
  uint64_t modified_ns; /* when the file was modified last, of CLOCK_REALTIME */
};

/* Keeps no reference to its argument. A file that cannot be read, or is too large for source, has
 * no lines. */
struct gpm_source gpm_source_read(const char *path);
void gpm_source_free(struct gpm_source *source);

/* Line `number`, from 1, owned by the source; null if there is none. */
const char *gpm_source_line(const struct gpm_source *source, uint32_t number);

/* Whether two texts of a line are the same but for space around them. */
bool gpm_source_same(const char *one, const char *other);

/* Whether PATH of a capture is what the user calls NAME: all of it, its end ("src/train.cu"), or a
 * path from here that leads to the same file. */
bool gpm_source_is(const char *path, const char *name);

#endif
