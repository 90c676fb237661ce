/* lz4.c - see lz4.h. A block is a sequence of literals and of copies of what was decoded before:
 *
 *   token    literals: upper 4 bits, copy: lower 4 bits; 15 means that bytes with more of the
 * length follow
 *   ...      the literals
 *   distance 2 bytes, of the copy; the last sequence has no copy
 */
#include "facts/lz4.h"

#include <stdint.h>
#include <string.h>

enum { SHORTEST_COPY = 4 };

struct block {
  const unsigned char *next, *end;
};

/* A length whose first 4 bits are in the token. False: the block ends within it, or it is larger
 * than `most`. */
static bool read_length(struct block *b, size_t *length, size_t most) {
  bool more = *length == 15;
  while (more) {
    if (b->next == b->end || *length > most) return false;
    more = *b->next == 255;
    *length += *b->next++;
  }
  return *length <= most;
}

bool gpm_lz4_decode(const unsigned char *block, size_t size, unsigned char *out, size_t room) {
  struct block b = {block, block + size};
  size_t done = 0;
  while (b.next < b.end) {
    unsigned token = *b.next++;
    size_t literals = token >> 4, copied = token & 15;
    if (!read_length(&b, &literals, room - done) || literals > (size_t)(b.end - b.next))
      return false;
    if (literals) memcpy(out + done, b.next, literals);
    done += literals;
    b.next += literals;
    if (b.next == b.end) return done == room;
    if (b.end - b.next < 2) return false;
    size_t distance = b.next[0] | (size_t)b.next[1] << 8;
    b.next += 2;
    if (!read_length(&b, &copied, room - done)) return false;
    copied += SHORTEST_COPY;
    if (!distance || distance > done || copied > room - done) return false;
    for (size_t i = 0; i < copied; i++, done++) out[done] = out[done - distance];
  }
  return false; /* the last sequence has no copy */
}
