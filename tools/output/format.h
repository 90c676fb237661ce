/* format.h - how an answer is written (--format), and how much of a list (--limit). */
#ifndef GPM_TOOLS_FORMAT_H
#define GPM_TOOLS_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum gpm_format { GPM_FORMAT_TABLE, GPM_FORMAT_JSON, GPM_FORMAT_CSV };

/* --limit: how much of a list is shown. */
struct gpm_shown {
  bool given;
  uint32_t most; /* 0: all */
};
/* How many of `count`; if the user did not say, `usual` of a table and all of other formats. */
uint32_t gpm_shown_of(const struct gpm_shown *shown, enum gpm_format format, uint32_t usual,
                      uint32_t count);

#endif
