/* shown.h - the format of an answer, and how much of a list it shows: `--format`, `--limit`. */
#ifndef GPM_TOOLS_SHOWN_H
#define GPM_TOOLS_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

enum gpm_format { GPM_FORMAT_TABLE, GPM_FORMAT_JSON, GPM_FORMAT_CSV };

struct gpm_shown {
  bool given;
  uint32_t most; /* 0: all */
};
/* How many of `count` are shown; without --limit, `usual` of them in a table and all in other
 * formats. */
static inline uint32_t gpm_shown_of(const struct gpm_shown *shown, enum gpm_format format,
                                    uint32_t usual, uint32_t count) {
  uint32_t most = shown->given ? shown->most : format == GPM_FORMAT_TABLE ? usual : 0;
  return most && most < count ? most : count;
}

#endif
