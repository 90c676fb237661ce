/* capture_checksum.h - the checksums of a capture: what the runtime writes when the program ends
 * and a dump is whole, and the tools compare.
 *
 * A capture has two, in its header, so that who does not read the events need not read their bytes:
 * `figures_checksum` of the header and of every chunk but EVENTS, `events_checksum` of the EVENTS
 * chunks. 0: there is none. Each is a sum, modulo 2^64, over its parts, so the parts may be visited
 * in any order:
 *
 *   header  XXH64(the 4096 bytes with both checksums taken as 0, seed 0)
 *   chunk   XXH64(its header of 64 bytes, seed = XXH64(its first `used` bytes of payload,
 *                                                      seed = its position in the file))
 *
 * What a chunk has room for and does not use is in neither. A sum of 0 is written as 1.
 *
 * Method: XXH64, Yann Collet, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
 * All functions are pure; they read `size` bytes at `data`, of any alignment. Little-endian.
 */
#ifndef GPUMEMPROF_CAPTURE_CHECKSUM_H
#define GPUMEMPROF_CAPTURE_CHECKSUM_H

#include "gpumemprof/capture.h"

#include <string.h>

#define GPUMEMPROF_XXH_PRIME1 UINT64_C(0x9E3779B185EBCA87)
#define GPUMEMPROF_XXH_PRIME2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define GPUMEMPROF_XXH_PRIME3 UINT64_C(0x165667B19E3779F9)
#define GPUMEMPROF_XXH_PRIME4 UINT64_C(0x85EBCA77C2B2AE63)
#define GPUMEMPROF_XXH_PRIME5 UINT64_C(0x27D4EB2F165667C5)
#define GPUMEMPROF_CHECKSUM_BLOCK 32u

/* Of data that comes piece by piece: begin, blocks (as often as wanted), end. */
struct gpumemprof_checksum {
  uint64_t lane[4];
  uint64_t seed;
  uint64_t size; /* bytes so far */
};

static inline uint64_t gpumemprof_xxh_rotate(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

static inline uint64_t gpumemprof_xxh_word(const unsigned char *data) {
  uint64_t word;
  memcpy(&word, data, sizeof word);
  return word;
}

static inline uint64_t gpumemprof_xxh_round(uint64_t lane, uint64_t word) {
  return gpumemprof_xxh_rotate(lane + word * GPUMEMPROF_XXH_PRIME2, 31) * GPUMEMPROF_XXH_PRIME1;
}

static inline void gpumemprof_checksum_begin(struct gpumemprof_checksum *c, uint64_t seed) {
  c->lane[0] = seed + GPUMEMPROF_XXH_PRIME1 + GPUMEMPROF_XXH_PRIME2;
  c->lane[1] = seed + GPUMEMPROF_XXH_PRIME2;
  c->lane[2] = seed;
  c->lane[3] = seed - GPUMEMPROF_XXH_PRIME1;
  c->seed = seed;
  c->size = 0;
}

/* size: a multiple of GPUMEMPROF_CHECKSUM_BLOCK. */
static inline void gpumemprof_checksum_blocks(struct gpumemprof_checksum *c, const void *data,
                                              uint64_t size) {
  const unsigned char *at = data;
  uint64_t a = c->lane[0], b = c->lane[1], d = c->lane[2], e = c->lane[3];
  for (uint64_t done = 0; done < size; done += GPUMEMPROF_CHECKSUM_BLOCK, at += 32) {
    a = gpumemprof_xxh_round(a, gpumemprof_xxh_word(at));
    b = gpumemprof_xxh_round(b, gpumemprof_xxh_word(at + 8));
    d = gpumemprof_xxh_round(d, gpumemprof_xxh_word(at + 16));
    e = gpumemprof_xxh_round(e, gpumemprof_xxh_word(at + 24));
  }
  c->lane[0] = a;
  c->lane[1] = b;
  c->lane[2] = d;
  c->lane[3] = e;
  c->size += size;
}

/* The last bytes, fewer than a block. Returns the XXH64 of all. */
static inline uint64_t gpumemprof_checksum_end(const struct gpumemprof_checksum *c,
                                               const void *rest, uint64_t size) {
  const unsigned char *at = rest;
  uint64_t h = c->seed + GPUMEMPROF_XXH_PRIME5;
  if (c->size) {
    h = gpumemprof_xxh_rotate(c->lane[0], 1) + gpumemprof_xxh_rotate(c->lane[1], 7) +
        gpumemprof_xxh_rotate(c->lane[2], 12) + gpumemprof_xxh_rotate(c->lane[3], 18);
    for (int i = 0; i < 4; i++)
      h = (h ^ gpumemprof_xxh_round(0, c->lane[i])) * GPUMEMPROF_XXH_PRIME1 + GPUMEMPROF_XXH_PRIME4;
  }
  h += c->size + size;
  for (; size >= 8; size -= 8, at += 8) {
    h ^= gpumemprof_xxh_round(0, gpumemprof_xxh_word(at));
    h = gpumemprof_xxh_rotate(h, 27) * GPUMEMPROF_XXH_PRIME1 + GPUMEMPROF_XXH_PRIME4;
  }
  if (size >= 4) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    h ^= word * GPUMEMPROF_XXH_PRIME1;
    h = gpumemprof_xxh_rotate(h, 23) * GPUMEMPROF_XXH_PRIME2 + GPUMEMPROF_XXH_PRIME3;
    size -= 4;
    at += 4;
  }
  for (; size; size--, at++)
    h = gpumemprof_xxh_rotate(h ^ *at * GPUMEMPROF_XXH_PRIME5, 11) * GPUMEMPROF_XXH_PRIME1;
  h = (h ^ h >> 33) * GPUMEMPROF_XXH_PRIME2;
  h = (h ^ h >> 29) * GPUMEMPROF_XXH_PRIME3;
  return h ^ h >> 32;
}

static inline uint64_t gpumemprof_checksum(const void *data, uint64_t size, uint64_t seed) {
  struct gpumemprof_checksum c;
  uint64_t blocks = size & ~(uint64_t)(GPUMEMPROF_CHECKSUM_BLOCK - 1);
  gpumemprof_checksum_begin(&c, seed);
  gpumemprof_checksum_blocks(&c, data, blocks);
  return gpumemprof_checksum_end(&c, (const unsigned char *)data + blocks, size - blocks);
}

/* The part of a chunk that is at byte `at` of the file, with its payload after its header. */
static inline uint64_t gpumemprof_checksum_chunk(const struct gpumemprof_chunk *chunk,
                                                 uint64_t at) {
  return gpumemprof_checksum(chunk, sizeof *chunk, gpumemprof_checksum(chunk + 1, chunk->used, at));
}

/* The part of a header. */
static inline uint64_t gpumemprof_checksum_header(const struct gpumemprof_capture_header *header) {
  struct gpumemprof_capture_header h = *header;
  h.figures_checksum = h.events_checksum = 0;
  return gpumemprof_checksum(&h, sizeof h, 0);
}

/* A sum as it is written. */
static inline uint64_t gpumemprof_checksum_written(uint64_t sum) {
  return sum ? sum : 1;
}

#endif /* GPUMEMPROF_CAPTURE_CHECKSUM_H */
