/* index.c - see index.h. Open addressing with linear probing. A slot keeps its record's hash, so
 * that a table grows without reading the records; for 2^16 records this takes about a millisecond,
 * once. A new table is complete before the index names it, so a fork in between leaves the child
 * the old one.
 */
#include "tables/index.h"
#include "base/memory.h"

static size_t index_bytes(uint32_t room) {
  return sizeof(struct gpm_index_table) + room * sizeof(struct gpm_index_slot);
}

static void index_put(struct gpm_index_table *t, uint32_t hash, void *record) {
  uint32_t at = hash & (t->room - 1);
  while (atomic_load_explicit(&t->slots[at].record, memory_order_relaxed))
    at = (at + 1) & (t->room - 1);
  t->slots[at].hash = hash;
  atomic_store_explicit(&t->slots[at].record, record, memory_order_release);
}

static struct gpm_index_table *index_grow(struct gpm_index *index, bool read_freely) {
  struct gpm_index_table *old = atomic_load(&index->table);
  uint32_t room = old ? old->room * 2 : 128;
  struct gpm_index_table *t = gpm_memory_map(index_bytes(room));
  if (!t) return NULL;
  t->room = room;
  for (uint32_t i = 0; old && i < old->room; i++) {
    void *record = atomic_load_explicit(&old->slots[i].record, memory_order_relaxed);
    if (record) index_put(t, old->slots[i].hash, record);
  }
  atomic_store_explicit(&index->table, t, memory_order_release);
  if (old && !read_freely) gpm_memory_unmap(old, index_bytes(old->room));
  return t;
}

bool gpm_index_add(struct gpm_index *index, uint32_t hash, void *record, bool read_freely) {
  struct gpm_index_table *t = atomic_load(&index->table);
  if ((!t || index->count * 2 >= t->room) && !(t = index_grow(index, read_freely))) return false;
  index_put(t, hash, record);
  index->count++;
  return true;
}
