/* words.h - numbers for texts; equal texts have equal numbers. A table compares either texts that
 * survive edits of a source (match.c) or exact ones (merged.c, paths.c; exports that write each
 * text once), never both.
 */
#ifndef GPM_TOOLS_WORDS_H
#define GPM_TOOLS_WORDS_H

#include "support/map.h"
#include "support/memory.h"

#include <stdbool.h>

struct gpm_words {
  char **text; /* by number; without the parts that are not compared */
  uint32_t count, room;
  struct gpm_map by_hash; /* of the text -> its number */
};

/* Numbers begin at 0. A zeroed struct has none. */
/* Ignores blanks, so that a reformatted line is still the same line, and the number that a compiler
 * gives a lambda, because it changes with every lambda before it. */
uint32_t gpm_words_get(struct gpm_words *words, const char *text);
/* Compares the whole text. */
uint32_t gpm_words_exact(struct gpm_words *words, const char *text);
/* The same, and takes ownership of the text; *fresh: it had no number yet. */
uint32_t gpm_words_own(struct gpm_words *words, char *text, bool *fresh);
void gpm_words_free(struct gpm_words *words);

#endif
