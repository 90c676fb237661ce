/* index.h - records by the hash of their contents: a table that grows with their number.
 *
 * labels.c, made_sites.c and custom_pools.c find names in it, and cells.c finds the cells of a
 * path. The caller compares contents and holds a lock for additions; records are never removed.
 * Readers without the lock keep using the table that they began with, so replaced tables stay
 * mapped where there are such readers. An index is initialized with zeros. */
#ifndef GPM_INDEX_H
#define GPM_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_index_slot {
  uint32_t hash;
  void *_Atomic record; /* null: the slot is free */
};
struct gpm_index_table {
  uint32_t room; /* power of two, at most half full */
  struct gpm_index_slot slots[];
};
struct gpm_index {
  struct gpm_index_table *_Atomic table;
  uint32_t count;
};

/* Returns the records that have this hash, one per call, then null. The caller sets *at to the hash
 * before the first call. */
static inline void *gpm_index_next(const struct gpm_index *index, uint32_t hash, uint32_t *at) {
  const struct gpm_index_table *t = atomic_load_explicit(&index->table, memory_order_acquire);
  if (!t) return NULL;
  for (;;) {
    const struct gpm_index_slot *slot = &t->slots[(*at)++ & (t->room - 1)];
    void *record = atomic_load_explicit(&slot->record, memory_order_acquire);
    if (!record || slot->hash == hash) return record;
  }
}

/* False: there is no memory, and nothing has changed. read_freely: other threads read the index
 * without the lock. */
bool gpm_index_add(struct gpm_index *index, uint32_t hash, void *record, bool read_freely);

/* The FNV-1a hash of a text, of at most *length bytes; *length becomes the number of bytes hashed.
 * seed: other data that is part of the hash. */
static inline uint32_t gpm_index_hash(uint32_t seed, const char *text, size_t *length) {
  uint32_t hash = 2166136261u ^ seed;
  size_t i = 0;
  for (; i < *length && text[i]; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  *length = i;
  return hash;
}

#endif /* GPM_INDEX_H */
