/* text_numbers.h - numbers for texts, for formats that write each text once and refer to it
 * afterwards. */
#ifndef GPM_TOOLS_TEXT_NUMBERS_H
#define GPM_TOOLS_TEXT_NUMBERS_H

#include "support/map.h"

#include <stdbool.h>

/* A zeroed struct has no texts. */
struct gpm_text_numbers {
  struct gpm_map by_hash;
  char **text; /* by number, from 0 in the order in which they came */
  uint64_t count, room;
};

/* Returns the number of a text, and takes ownership of it; *fresh: it is new. */
uint64_t gpm_text_numbers_get(struct gpm_text_numbers *numbers, char *text, bool *fresh);
void gpm_text_numbers_free(struct gpm_text_numbers *numbers);

#endif
