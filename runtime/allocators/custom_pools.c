/* custom_pools.c - the program's own allocators: their segments, pieces and free memory.
 *
 *   pool "Arena"   reserved  |##segment##########|      |##segment####|
 *                  pieces    |aaaa bb   ccc      |      |dd           |   used = a + b + c + d
 *                  holes          -  ---   ------|      |  -----------|   reserved - used
 *
 * custom.c reports the events and has the ledger count each piece; this file records what only
 * allocators have: how their memory is used. A segment is discovered by the first piece in it, and
 * at that moment the pool grew: what it had free then, and how small the holes were, is the cost of
 * fragmentation. Everything is O(log n) in the pieces of a pool.
 */
#include "allocators/custom_pools.h"
#include "allocators/custom.h"
#include "allocators/holes.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "core/entries.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "tables/map.h"
#include "tables/ranges.h"

#include <string.h>

#define POOLS_MOST (1u << 16) /* have a record of their own, of 192 bytes in the capture */

struct gpm_lock gpm_custom_lock = GPM_LOCK(custom);
static struct gpm_table custom_table;
static uint32_t pools_made; /* in this process */
static struct gpumemprof_capture_custom_pool
    *other_pools;           /* shared by the pools beyond the limit */
static uint32_t generation; /* how many forks lie between this process and the first one */

/* ---- tables by address -------------------------------------------------------------------------
 */
struct entries {
  struct gpm_address_entry **buckets;
  uint64_t room, count; /* room: a power of two */
};
static struct entries pieces_by_address, segments_by_address;

static uint64_t address_hash(uint64_t address, uint64_t room) {
  return address * 0x9e3779b97f4a7c15ULL >> 20 & (room - 1);
}

static bool by_address_grow(struct entries *t) {
  uint64_t room = t->room ? t->room * 2 : 1024;
  struct gpm_address_entry **buckets = gpm_memory_map(room * sizeof(struct gpm_address_entry *));
  if (!buckets) return false;
  for (uint64_t i = 0; i < t->room; i++)
    for (struct gpm_address_entry *s = t->buckets[i], *next; s; s = next) {
      next = s->next;
      struct gpm_address_entry **to = &buckets[address_hash(s->address, room)];
      s->next = *to;
      *to = s;
    }
  gpm_memory_unmap(t->buckets, t->room * sizeof(struct gpm_address_entry *));
  t->buckets = buckets;
  t->room = room;
  return true;
}

static bool by_address_add(struct entries *t, struct gpm_address_entry *entry, uint64_t address) {
  if (t->count >= t->room && !by_address_grow(t)) return false;
  struct gpm_address_entry **to = &t->buckets[address_hash(address, t->room)];
  entry->address = address;
  entry->next = *to;
  *to = entry;
  t->count++;
  return true;
}

static void by_address_remove(struct entries *t, struct gpm_address_entry *entry) {
  struct gpm_address_entry **at = &t->buckets[address_hash(entry->address, t->room)];
  while (*at != entry) at = &(*at)->next;
  *at = entry->next;
  t->count--;
}

static struct gpm_address_entry *by_address_first(const struct entries *t, uint64_t address) {
  return t->room ? t->buckets[address_hash(address, t->room)] : NULL;
}

#define GPM_OF_ADDRESS_ENTRY(type, s) ((type *)(void *)((char *)(s) - offsetof(type, entry)))
#define GPM_OF_RANGE(type, r) ((type *)(void *)(r)) /* its first member */

/* ---- pools -------------------------------------------------------------------------------------
 */
static struct gpm_map known_pools; /* hash of handle and name -> list of the pools with this hash */
static struct gpumemprof_pool *newest_pool;
static struct gpumemprof_pool *spare_custom_pools; /* destroyed lumped pools */

bool gpm_custom_start(void) {
  custom_table = (struct gpm_table){GPUMEMPROF_CHUNK_CUSTOM_POOLS,
                                    sizeof(struct gpumemprof_capture_custom_pool), 0, 0, NULL};
  known_pools = (struct gpm_map){NULL, 0, 0};
  other_pools = NULL;
  pools_made = 0;
  pieces_by_address = segments_by_address = (struct entries){0};
  return true;
}

void gpm_custom_forked(void) {
  atomic_store(&gpm_custom_lock.held, 0);
  gpm_holes_forked();
  generation++;
}

static struct gpumemprof_capture_custom_pool *new_pool_record(const char *name,
                                                              const void *handle) {
  gpm_lock_take(&gpm_tree_lock);
  struct gpumemprof_capture_custom_pool *record = gpm_table_next(&custom_table);
  if (record) {
    record->name = gpm_strings_intern(name);
    record->device = GPUMEMPROF_NONE;
    record->handle = (uintptr_t)handle;
    gpm_table_publish(&custom_table);
  }
  gpm_lock_release(&gpm_tree_lock);
  return record;
}

static GPM_COLD struct gpumemprof_capture_custom_pool *shared_pool_record(void) {
  gpm_capture_count(GPUMEMPROF_COUNTER_pools_lumped);
  if (!other_pools && (other_pools = new_pool_record("(other pools)", NULL)))
    other_pools->flags |= GPUMEMPROF_CUSTOM_POOL_OTHERS;
  return other_pools;
}

/* Each pool has its own number, which distinguishes its pieces from those of other pools. */
static bool give_record(struct gpumemprof_pool *pool) {
  pool->lumped = pools_made >= POOLS_MOST;
  pool->record = pool->lumped ? shared_pool_record() : new_pool_record(pool->name, pool->handle);
  pool->number = pools_made++;
  pool->process = generation;
  return pool->record;
}

/* Returns a pool that can be reused, or null. Only pools of pool_create are known to end. */
static struct gpumemprof_pool *take_spare(void) {
  struct gpumemprof_pool *pool = spare_custom_pools;
  if (!pool) return NULL;
  spare_custom_pools = pool->next;
  struct gpumemprof_pool *older = pool->older;
  *pool = (struct gpumemprof_pool){.older = older, .name = ""};
  return give_record(pool) ? pool : NULL;
}

void gpm_custom_destroyed(struct gpumemprof_pool *pool) {
  pool->destroyed = true;
  if (!pool->lumped || pool->handle) return;
  pool->next = spare_custom_pools;
  spare_custom_pools = pool;
}

struct gpumemprof_pool *gpm_custom_make(const void *handle, const char *name) {
  struct gpumemprof_pool *pool = handle || pools_made < POOLS_MOST ? NULL : take_spare();
  if (pool) return pool;
  size_t length = strlen(name);
  pool = gpm_memory_get(sizeof *pool + length + 1);
  if (!pool) return NULL;
  pool->handle = handle;
  pool->name = memcpy((void *)(pool + 1), name, length + 1);
  if (!give_record(pool)) return NULL;
  pool->older = newest_pool;
  return newest_pool = pool;
}

struct gpumemprof_pool *gpm_custom_next(const struct gpumemprof_pool *pool) {
  struct gpumemprof_pool *next = pool ? pool->older : newest_pool;
  while (next && (next->process != generation || !next->record)) next = next->older;
  return next;
}

bool gpm_custom_renew(struct gpumemprof_pool *pool) {
  if (GPM_LIKELY(pool->process == generation)) return pool->record;
  pool->pieces = pool->segments = NULL;
  pool->holes = (struct gpm_holes){0};
  return give_record(pool);
}

static uint64_t pool_key(const void *handle, const char *name) {
  uint64_t h = (uintptr_t)handle;
  if (!h)
    for (const char *c = name; *c; c++) h = h * 31 + (unsigned char)*c;
  return h;
}

struct gpumemprof_pool *gpm_custom_known(const void *handle, const char *name) {
  struct gpumemprof_pool *pool = gpm_map_get(&known_pools, pool_key(handle, name));
  while (pool && (pool->handle != handle || strcmp(pool->name, name))) pool = pool->next;
  return pool;
}

struct gpumemprof_pool *gpm_custom_get(const void *handle, const char *name) {
  struct gpumemprof_pool *pool = gpm_custom_known(handle, name);
  if (GPM_LIKELY(pool) || !(pool = gpm_custom_make(handle, name))) return pool;
  uint64_t key = pool_key(handle, name);
  pool->next = gpm_map_get(&known_pools, key);
  return gpm_map_put(&known_pools, key, pool) ? pool : NULL;
}

/* ---- pieces ------------------------------------------------------------------------------------
 */

/* Returns the last range that overlaps this one, or null. */
static struct gpm_range *overlapping(struct gpm_range *tree, uint64_t start, uint64_t bytes) {
  struct gpm_range *r = gpm_ranges_floor(tree, start + (bytes - 1));
  return r && (r->start >= start || start - r->start < r->bytes) ? r : NULL;
}

struct gpm_piece *gpm_custom_find(const struct gpumemprof_pool *pool, uint64_t address) {
  for (struct gpm_address_entry *s = by_address_first(&pieces_by_address, address); s;
       s = s->next) {
    struct gpm_piece *p = GPM_OF_ADDRESS_ENTRY(struct gpm_piece, s);
    if (s->address == address && p->pool == pool) return p;
  }
  return NULL;
}

struct gpm_piece *gpm_custom_find_any(const void *handle, uint64_t address) {
  struct gpm_piece *best = NULL;
  for (struct gpm_address_entry *s = by_address_first(&pieces_by_address, address); s;
       s = s->next) {
    struct gpm_piece *p = GPM_OF_ADDRESS_ENTRY(struct gpm_piece, s);
    if (s->address != address) continue;
    if (handle && p->pool->handle == handle) return p;
    if (!best || p->block.clock > best->block.clock) best = p;
  }
  return best;
}

struct gpm_piece *gpm_custom_holding(struct gpumemprof_pool *pool, uint64_t address) {
  return GPM_OF_RANGE(struct gpm_piece, gpm_ranges_holding(pool->pieces, address));
}

struct gpm_piece *gpm_custom_overlapping(struct gpumemprof_pool *pool, uint64_t address,
                                         uint64_t bytes) {
  if (!bytes) return gpm_custom_find(pool, address);
  return GPM_OF_RANGE(struct gpm_piece, overlapping(pool->pieces, address, bytes));
}

static void note_hole(struct gpumemprof_pool *pool) {
  if (GPM_LIKELY(!pool->lumped)) pool->record->hole = gpm_holes_largest(&pool->holes);
}

struct gpm_piece *gpm_custom_add(struct gpumemprof_pool *pool, uint64_t address, uint64_t bytes,
                                 struct gpm_segment *segment) {
  struct gpm_piece *p = gpm_holes_spare();
  if (!p || !by_address_add(&pieces_by_address, &p->entry, address)) return NULL;
  p->pool = pool;
  p->range.start = address;
  p->range.bytes = bytes;
  if (segment && (!bytes || gpm_holes_take(&pool->holes, address, bytes))) p->segment = segment;
  gpm_ranges_insert(&pool->pieces, &p->range);
  struct gpumemprof_capture_custom_pool *r = pool->record;
  r->pieces++;
  gpm_amount_add(&r->used, bytes, 1);
  if (!p->segment) gpm_amount_add(&r->outside, bytes, 1);
  if (r->used.bytes > r->used_peak) r->used_peak = r->used.bytes;
  note_hole(pool);
  if (pool->grew) { /* to its highest, for this piece */
    r->peak_free = pool->lumped ? 0 : pool->holes.bytes;
    r->peak_hole = r->hole;
    pool->grew = false;
  }
  return p;
}

void gpm_custom_remove(struct gpm_piece *p) {
  struct gpumemprof_pool *pool = p->pool;
  const struct gpm_segment *s = p->segment;
  uint64_t bytes = p->range.bytes;
  if (s && bytes)
    gpm_holes_give(&pool->holes, p->range.start, bytes, s->range.start,
                   s->range.start + s->range.bytes);
  gpm_amount_sub(&pool->record->used, bytes, 1);
  if (!s) gpm_amount_sub(&pool->record->outside, bytes, 1);
  note_hole(pool);
  gpm_ranges_remove(&pool->pieces, &p->range);
  by_address_remove(&pieces_by_address, &p->entry);
  gpm_holes_spared(p);
}

/* ---- segments ----------------------------------------------------------------------------------
 */

struct gpm_segment *gpm_custom_segment(struct gpumemprof_pool *pool, uint64_t address) {
  return GPM_OF_RANGE(struct gpm_segment, gpm_ranges_holding(pool->segments, address));
}

struct gpm_segment *gpm_custom_segment_in(struct gpumemprof_pool *pool, uint64_t start,
                                          uint64_t bytes) {
  return GPM_OF_RANGE(struct gpm_segment, overlapping(pool->segments, start, bytes));
}

struct gpm_segment *gpm_custom_segment_at(uint64_t address) {
  struct gpm_address_entry *s = by_address_first(&segments_by_address, address);
  while (s && s->address != address) s = s->next;
  return s ? GPM_OF_ADDRESS_ENTRY(struct gpm_segment, s) : NULL;
}

struct gpm_segment *gpm_custom_grow(struct gpumemprof_pool *pool, uint64_t start,
                                    struct gpm_block *block, uint32_t device, uint64_t need) {
  struct gpumemprof_capture_custom_pool *r = pool->record;
  uint64_t free = pool->holes.bytes, hole = gpm_holes_largest(&pool->holes);
  struct gpm_segment *s = gpm_holes_spare();
  if (!s || !by_address_add(&segments_by_address, &s->entry, start)) return NULL;
  s->pool = pool;
  s->block = block;
  s->clock = block->clock;
  s->range.start = start;
  s->range.bytes = block->bytes;
  if (!gpm_holes_give(&pool->holes, start, block->bytes, start, start + block->bytes)) return NULL;
  gpm_ranges_insert(&pool->segments, &s->range);
  if (free) {
    r->growths++;
    r->fragmented += free >= need && hole < need;
    r->passed_over += hole >= need;
    r->growth_need = need;
    r->growth_free = free;
    r->growth_hole = hole;
  }
  if (r->device == GPUMEMPROF_NONE) r->device = device;
  else if (r->device != device) r->flags |= GPUMEMPROF_CUSTOM_POOL_SEVERAL_DEVICES;
  r->segments++;
  gpm_amount_add(&r->reserved, block->bytes, 1);
  if (r->reserved.bytes > r->reserved_peak) {
    r->reserved_peak = r->reserved.bytes;
    pool->grew = true;
  }
  return s;
}

void gpm_custom_shrink(struct gpm_segment *s) {
  struct gpumemprof_pool *pool = s->pool;
  gpm_holes_drop(&pool->holes, s->range.start, s->range.bytes);
  gpm_amount_sub(&pool->record->reserved, s->range.bytes, 1);
  note_hole(pool);
  gpm_ranges_remove(&pool->segments, &s->range);
  by_address_remove(&segments_by_address, &s->entry);
  gpm_holes_spared(s);
}
