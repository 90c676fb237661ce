/* text_numbers.c - see text_numbers.h. */
#include "encoding/text_numbers.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

uint64_t gpm_text_numbers_get(struct gpm_text_numbers *n, char *text, bool *fresh) {
  uint64_t hash = 14695981039346656037ULL; /* FNV-1a */
  for (const char *at = text; *at; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211ULL;
  *fresh = false;
  for (;; hash++) {
    uint64_t number = *gpm_map_at(&n->by_hash, hash, n->count);
    if (number == n->count) break;
    if (strcmp(n->text[number], text)) continue;
    free(text);
    return number;
  }
  if (n->count == n->room) {
    n->room = n->room ? n->room * 2 : 256;
    n->text = gpm_memory_resize(n->text, n->room, sizeof *n->text);
  }
  *fresh = true;
  n->text[n->count] = text;
  return n->count++;
}

void gpm_text_numbers_free(struct gpm_text_numbers *n) {
  for (uint64_t i = 0; i < n->count; i++) free(n->text[i]);
  free(n->text);
  gpm_map_free(&n->by_hash);
}
