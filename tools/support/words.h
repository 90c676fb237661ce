/* words.h - texts of several captures as numbers that are equal where the texts are. Between edits
 * of a source (match.c) or letter by letter (merged.c, paths.c): one table is of one of them.
 */
#ifndef GPM_TOOLS_WORDS_H
#define GPM_TOOLS_WORDS_H

#include "support/memory.h"

struct gpm_words {
  char **text; /* by number; without what does not count */
  uint32_t count, room;
  struct gpm_map by_hash; /* of the text -> its number */
};

/* Numbers begin at 0. A zeroed struct has none. */
/* Blanks do not count, so that a formatted line is the line it was; nor does the number that a
 * compiler gives a lambda, which changes with every lambda before it. */
uint32_t gpm_words_get(struct gpm_words *words, const char *text);
/* Everything counts. */
uint32_t gpm_words_exact(struct gpm_words *words, const char *text);
void gpm_words_free(struct gpm_words *words);

#endif
