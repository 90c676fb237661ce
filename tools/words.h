/* words.h - texts of several captures as numbers that are equal where the texts are.
 *
 * Blanks do not count, so that a formatted line is the line it was; nor does the number that a
 * compiler gives a lambda, which changes with every lambda before it.
 */
#ifndef GPM_TOOLS_WORDS_H
#define GPM_TOOLS_WORDS_H

#include "memory.h"

struct gpm_words {
  char **text; /* by number, without what does not count */
  uint32_t count, room;
  struct gpm_map by_hash; /* of the text -> its number */
};

/* Numbers begin at 0. A zeroed struct has none. */
uint32_t gpm_words_get(struct gpm_words *words, const char *text);
void gpm_words_free(struct gpm_words *words);

#endif
