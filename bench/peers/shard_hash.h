/* shard_hash.h - the peer of the runtime's live table: what most profilers keep their live blocks
 * in.
 *
 * 64 shards with a spin lock each; open addressing with linear probing and backward-shift deletion,
 * so that nothing is left behind by a deletion; a shard doubles at three quarters. A record has the
 * same 32 bytes as the runtime's, beside the address it is found by. */
#ifndef BENCH_SHARD_HASH_H
#define BENCH_SHARD_HASH_H

#include "base/lock.h" /* the runtime's spin lock */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct hash_record {
  uint64_t bytes, clock, cell, ticks;
};
struct hash_entry {
  uint64_t address; /* 0: free */
  struct hash_record record;
};
struct hash_shard {
  _Alignas(64) struct gpm_lock lock;
  unsigned bits; /* 2^bits entries */
  uint64_t count;
  struct hash_entry *entries;
};
#define HASH_SHARD_BITS 6
static struct hash_shard hash_shards[1 << HASH_SHARD_BITS];

static inline uint64_t hash_of(uint64_t address) {
  return (address >> 9) * 0x9e3779b97f4a7c15ULL;
}
static inline struct hash_shard *hash_shard_of(uint64_t hash) {
  return &hash_shards[hash >> (64 - HASH_SHARD_BITS)];
}
static inline uint64_t hash_home(const struct hash_shard *s, uint64_t hash) {
  return hash << HASH_SHARD_BITS >> (64 - s->bits);
}

static inline struct hash_entry *hash_seek(const struct hash_shard *s, uint64_t hash,
                                           uint64_t address) {
  uint64_t mask = (1ULL << s->bits) - 1, i = hash_home(s, hash);
  while (s->entries[i].address && s->entries[i].address != address) i = (i + 1) & mask;
  return &s->entries[i];
}

static __attribute__((noinline)) void hash_grow(struct hash_shard *s) {
  struct hash_entry *old = s->entries;
  uint64_t room = old ? 1ULL << s->bits : 0;
  s->bits = old ? s->bits + 1 : 4;
  s->entries = calloc(1ULL << s->bits, sizeof *s->entries);
  if (!s->entries) abort();
  for (uint64_t i = 0; i < room; i++)
    if (old[i].address) *hash_seek(s, hash_of(old[i].address), old[i].address) = old[i];
  free(old);
}

static inline void hash_insert(uint64_t address, struct hash_record record) {
  uint64_t hash = hash_of(address);
  struct hash_shard *s = hash_shard_of(hash);
  gpm_lock_take(&s->lock);
  if (!s->entries || s->count * 4 >= 3ULL << s->bits) hash_grow(s);
  struct hash_entry *e = hash_seek(s, hash, address);
  s->count += !e->address;
  *e = (struct hash_entry){address, record};
  gpm_lock_release(&s->lock);
}

static inline bool hash_find(uint64_t address, struct hash_record *record) {
  uint64_t hash = hash_of(address);
  struct hash_shard *s = hash_shard_of(hash);
  gpm_lock_take(&s->lock);
  struct hash_entry *e = hash_seek(s, hash, address);
  bool found = e->address == address;
  if (found) *record = e->record;
  gpm_lock_release(&s->lock);
  return found;
}

static inline bool hash_delete(uint64_t address, struct hash_record *record) {
  uint64_t hash = hash_of(address);
  struct hash_shard *s = hash_shard_of(hash);
  gpm_lock_take(&s->lock);
  struct hash_entry *hole = hash_seek(s, hash, address);
  bool found = hole->address == address;
  if (found) {
    *record = hole->record;
    uint64_t mask = (1ULL << s->bits) - 1, at = (uint64_t)(hole - s->entries);
    for (uint64_t i = (at + 1) & mask; s->entries[i].address; i = (i + 1) & mask) {
      uint64_t home = hash_home(s, hash_of(s->entries[i].address));
      if (((i - home) & mask) < ((i - at) & mask)) continue; /* it may not move before its home */
      s->entries[at] = s->entries[i];
      at = i;
    }
    s->entries[at].address = 0;
    s->count--;
  }
  gpm_lock_release(&s->lock);
  return found;
}

#endif /* BENCH_SHARD_HASH_H */
