/* index.h - records by the hash of their contents: a table that grows with what is in it.
 *
 * labels.c, made_sites.c and custom_pools.c find names in it, cells.c the cells of a path. The
 * caller compares contents and has a lock for additions; a record stays for ever. Readers without
 * the lock see a table as it was when they began, so tables that were replaced stay mapped where
 * there are such readers. An index begins as all zeros. */
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

/* The records that have a hash, one after the other, then null. *at: the hash at first. */
static inline void *gpm_index_next(const struct gpm_index *index, uint32_t hash, uint32_t *at) {
  const struct gpm_index_table *t = atomic_load_explicit(&index->table, memory_order_acquire);
  if (!t) return NULL;
  for (;;) {
    const struct gpm_index_slot *slot = &t->slots[(*at)++ & (t->room - 1)];
    void *record = atomic_load_explicit(&slot->record, memory_order_acquire);
    if (!record || slot->hash == hash) return record;
  }
}

/* False: no memory, and nothing changed. read_freely: others read it without the lock. */
bool gpm_index_add(struct gpm_index *index, uint32_t hash, void *record, bool read_freely);

/* Of a text, up to *length bytes, which becomes how many it has; seed: what else is part of it.
 * FNV-1a. */
static inline uint32_t gpm_index_hash(uint32_t seed, const char *text, size_t *length) {
  uint32_t hash = 2166136261u ^ seed;
  size_t i = 0;
  for (; i < *length && text[i]; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  *length = i;
  return hash;
}

#endif /* GPM_INDEX_H */
