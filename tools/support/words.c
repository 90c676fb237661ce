/* words.c - see words.h. It compares texts, not only their hashes, because two locations must never
 * be mistaken for one. */
#include "support/words.h"

#include <stdlib.h>
#include <string.h>

static const char lambda[] = "'lambda";

/* A copy without blanks and numbers of lambdas, to be freed. */
static char *reduce(const char *text) {
  char *reduced = gpm_memory_array(strlen(text) + 1, 1), *to = reduced;
  while (*text) {
    if (!strncmp(text, lambda, sizeof lambda - 1)) {
      memcpy(to, lambda, sizeof lambda - 1);
      to += sizeof lambda - 1;
      text += sizeof lambda - 1;
      text += strspn(text, "0123456789");
    } else if (strchr(" \t\r\n\v\f", *text)) text++;
    else *to++ = *text++;
  }
  return reduced;
}

static uint64_t hash(const char *text) {
  uint64_t h = 14695981039346656037ULL; /* FNV-1a */
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211ULL;
  return h;
}

/* own: the same text, which this function keeps or frees; null: it keeps a copy. */
static uint32_t find(struct gpm_words *words, const char *text, char *own) {
  for (uint64_t h = hash(text);; h++) {
    uint64_t number = *gpm_map_at(&words->by_hash, h, words->count);
    if (number < words->count) {
      if (strcmp(words->text[number], text)) continue; /* another text with the same hash */
      free(own);
      return (uint32_t)number;
    }
    if (words->count == words->room) {
      words->room = words->room ? words->room * 2 : 256;
      words->text = gpm_memory_resize(words->text, words->room, sizeof *words->text);
    }
    words->text[words->count] = own ? own : gpm_memory_text(text);
    return words->count++;
  }
}

uint32_t gpm_words_get(struct gpm_words *words, const char *text) {
  char *reduced = reduce(text);
  return find(words, reduced, reduced);
}

uint32_t gpm_words_exact(struct gpm_words *words, const char *text) {
  return find(words, text, NULL);
}

uint32_t gpm_words_own(struct gpm_words *words, char *text, bool *fresh) {
  uint32_t before = words->count, number = find(words, text, text);
  *fresh = number == before;
  return number;
}

void gpm_words_free(struct gpm_words *words) {
  for (uint32_t i = 0; i < words->count; i++) free(words->text[i]);
  free(words->text);
  gpm_map_free(&words->by_hash);
}
