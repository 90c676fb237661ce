/* xxh64.c - see xxh64.h. The constants and their numbers are those of the specification. */
#include "uses/xxh64.h"

#include <string.h>

#define PRIME_1 0x9E3779B185EBCA87u
#define PRIME_2 0xC2B2AE3D27D4EB4Fu
#define PRIME_3 0x165667B19E3779F9u
#define PRIME_4 0x85EBCA77C2B2AE63u
#define PRIME_5 0x27D4EB2F165667C5u
#define STRIPE 32u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as they are");

static inline uint64_t rotated_left(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

static inline uint64_t mixed_lane(uint64_t lane, uint64_t word) {
  return rotated_left(lane + word * PRIME_2, 31) * PRIME_1;
}

static inline void add_stripe(struct gpm_xxh64 *h, const uint8_t *at) {
  uint64_t word[4];
  memcpy(word, at, sizeof word);
  for (int i = 0; i < 4; i++) h->lane[i] = mixed_lane(h->lane[i], word[i]);
}

void gpm_xxh64_begin(struct gpm_xxh64 *h) {
  *h = (struct gpm_xxh64){.lane = {PRIME_1 + PRIME_2, PRIME_2, 0, 0 - PRIME_1}};
}

void gpm_xxh64_add(struct gpm_xxh64 *h, const void *from, uint64_t bytes) {
  const uint8_t *at = from;
  uint64_t held = h->bytes % STRIPE;
  h->bytes += bytes;
  if (held) {
    uint64_t lacks = STRIPE - held, now = bytes < lacks ? bytes : lacks;
    memcpy(h->rest + held, at, now);
    if (now < lacks) return;
    add_stripe(h, h->rest);
    at += now;
    bytes -= now;
  }
  for (; bytes >= STRIPE; bytes -= STRIPE, at += STRIPE) add_stripe(h, at);
  memcpy(h->rest, at, bytes);
}

static uint64_t joined_lanes(const struct gpm_xxh64 *h) {
  if (h->bytes < STRIPE) return PRIME_5;
  uint64_t all = rotated_left(h->lane[0], 1) + rotated_left(h->lane[1], 7) +
                 rotated_left(h->lane[2], 12) + rotated_left(h->lane[3], 18);
  for (int i = 0; i < 4; i++) all = (all ^ mixed_lane(0, h->lane[i])) * PRIME_1 + PRIME_4;
  return all;
}

uint64_t gpm_xxh64_end(const struct gpm_xxh64 *h) {
  uint64_t all = joined_lanes(h) + h->bytes;
  const uint8_t *at = h->rest;
  uint64_t left = h->bytes % STRIPE, word;
  for (; left >= 8; left -= 8, at += 8) {
    memcpy(&word, at, 8);
    all = rotated_left(all ^ mixed_lane(0, word), 27) * PRIME_1 + PRIME_4;
  }
  if (left >= 4) {
    uint32_t half;
    memcpy(&half, at, 4);
    all = rotated_left(all ^ half * PRIME_1, 23) * PRIME_2 + PRIME_3;
    left -= 4;
    at += 4;
  }
  for (; left; left--, at++) all = rotated_left(all ^ *at * PRIME_5, 11) * PRIME_1;
  all = (all ^ all >> 33) * PRIME_2;
  all = (all ^ all >> 29) * PRIME_3;
  return all ^ all >> 32;
}
