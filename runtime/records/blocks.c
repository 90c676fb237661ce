/* blocks.c - live blocks by address: a radix tree over the address in granules of 512 bytes.
 *
 *   bits 46..34 -> root   33..21 -> middle   20..9 -> leaf slot, the record itself
 *
 * On AArch64, where programs have addresses of 48 bits, the root has one bit more.
 *
 * ledger.c inserts, finds and removes; each hit takes three dependent loads and no lock: tables are
 * added by compare-and-swap and never removed, a slot is written under the lock of its block's
 * device. repeats.c stays within the table its thread used last (`near`); here that would only make
 * look-ups longer, and fewer of them would be under way at a time. CUDA hands out device memory in
 * units of at least 512 bytes; other addresses (array handles, small sub-blocks) live in a hash
 * table beside it.
 */
#include "records/blocks.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/memory.h"
#include "threads/threads.h"

#include <string.h>

#define GRANULE_BITS GPM_GRANULE_BITS
#define LEAF_BITS 12
#define TABLE_BITS 13
#if defined(__aarch64__)
#define ROOT_BITS 14
#else
#define ROOT_BITS 13
#endif
#define LEAF_SLOTS (1u << LEAF_BITS)
#define TABLE_SLOTS (1u << TABLE_BITS)
#define ROOT_SLOTS (1u << ROOT_BITS)
_Static_assert(LEAF_SLOTS == GPM_NEAR_SLOTS, "near is a leaf");
#define ADDRESS_BITS (GRANULE_BITS + LEAF_BITS + TABLE_BITS + ROOT_BITS)

struct leaf {
  struct gpm_block slots[LEAF_SLOTS];
};
struct middle {
  struct leaf *_Atomic leaves[TABLE_SLOTS];
};
static struct {
  struct middle *_Atomic middles[ROOT_SLOTS];
} root; /* not a pointer, which saves a load in each look-up */

struct irregular_block { /* a block whose address the tree does not cover */
  uint64_t address;
  struct gpm_block block;
  struct irregular_block *next;
};
#define IRREGULAR_BUCKETS 4096u
static struct irregular_block *_Atomic
    *irregular; /* buckets: entries are added by CAS, never removed, but reused */

bool gpm_blocks_start(void) {
  for (unsigned i = 0; i < ROOT_SLOTS; i++) /* a forked child leaves its parent's tables */
    if (atomic_load(&root.middles[i])) atomic_store(&root.middles[i], NULL);
  irregular = gpm_memory_map(IRREGULAR_BUCKETS * sizeof *irregular);
  return irregular;
}

static bool regular(uint64_t address) {
  return !(address & ((1u << GRANULE_BITS) - 1)) && !(address >> ADDRESS_BITS);
}

static uint32_t leaf_index(uint64_t address) {
  return (uint32_t)(address >> GRANULE_BITS) & (LEAF_SLOTS - 1);
}
static uint32_t middle_index(uint64_t address) {
  return (uint32_t)(address >> (GRANULE_BITS + LEAF_BITS)) & (TABLE_SLOTS - 1);
}
static uint32_t root_index(uint64_t address) {
  return (uint32_t)(address >> (GRANULE_BITS + LEAF_BITS + TABLE_BITS)) & (ROOT_SLOTS - 1);
}

static struct leaf *leaf_of(uint64_t address) {
  struct middle *m = atomic_load_explicit(&root.middles[root_index(address)], memory_order_acquire);
  if (!m) return NULL;
  return atomic_load_explicit(&m->leaves[middle_index(address)], memory_order_acquire);
}

/* Adds the tables on the way to address; a thread that loses the race frees its table. */
static GPM_COLD struct leaf *make_leaf(uint64_t address) {
  struct middle *_Atomic *m_at = &root.middles[root_index(address)];
  struct middle *m = atomic_load(m_at);
  if (!m) {
    struct middle *fresh = gpm_memory_map(sizeof *fresh);
    if (!fresh) return NULL;
    if (atomic_compare_exchange_strong(m_at, &m, fresh)) m = fresh;
    else gpm_memory_unmap(fresh, sizeof *fresh);
  }
  struct leaf *_Atomic *l_at = &m->leaves[middle_index(address)];
  struct leaf *l = atomic_load(l_at);
  if (!l) {
    struct leaf *fresh = gpm_memory_map(sizeof *fresh);
    if (!fresh) return NULL;
    if (atomic_compare_exchange_strong(l_at, &l, fresh)) l = fresh;
    else gpm_memory_unmap(fresh, sizeof *fresh);
  }
  return l;
}

static struct irregular_block *_Atomic *irregular_bucket(uint64_t address) {
  uint64_t h = address * 0x9e3779b97f4a7c15ULL;
  return &irregular[h >> 52 & (IRREGULAR_BUCKETS - 1)];
}

static struct gpm_block *irregular_find(uint64_t address) {
  struct irregular_block *b = atomic_load_explicit(irregular_bucket(address), memory_order_acquire);
  while (b && b->address != address) b = b->next;
  return b ? &b->block : NULL;
}

static GPM_COLD struct gpm_block *irregular_slot(uint64_t address) {
  struct gpm_block *found = irregular_find(address);
  if (found) return found;
  struct irregular_block *fresh = gpm_memory_get(sizeof *fresh);
  if (!fresh) return NULL;
  fresh->address = address;
  struct irregular_block *_Atomic *bucket = irregular_bucket(address);
  fresh->next = atomic_load(bucket);
  while (!atomic_compare_exchange_weak(bucket, &fresh->next, fresh)) continue;
  return &fresh->block;
}

struct gpm_block *gpm_blocks_slot(struct gpm_near *near, uint64_t address) {
  if (GPM_UNLIKELY(!regular(address))) return irregular_slot(address);
  struct leaf *l = leaf_of(address);
  if (GPM_UNLIKELY(!l) && !(l = make_leaf(address))) return NULL;
  uint64_t start = address >> (GRANULE_BITS + LEAF_BITS) << (GRANULE_BITS + LEAF_BITS);
  if (start) *near = (struct gpm_near){start, l->slots};
  GPM_ASSERT(!start || (address - start) >> GRANULE_BITS == leaf_index(address));
  return &l->slots[leaf_index(address)];
}

static bool is_live(struct gpm_block *b) {
  return atomic_load_explicit(&b->cell, memory_order_acquire) != NULL;
}

struct gpm_block *gpm_blocks_find(uint64_t address) {
  struct gpm_block *b;
  if (GPM_UNLIKELY(!regular(address))) b = irregular_find(address);
  else {
    struct leaf *l = leaf_of(address);
    b = l ? &l->slots[leaf_index(address)] : NULL;
  }
  return b && is_live(b) ? b : NULL;
}

struct gpm_block *gpm_blocks_find_interior(uint64_t address, uint64_t *start) {
  for (uint32_t i = 0; i < IRREGULAR_BUCKETS; i++)
    for (struct irregular_block *o = atomic_load(&irregular[i]); o; o = o->next)
      if (is_live(&o->block) && address >= o->address && address - o->address < o->block.bytes)
        return *start = o->address, &o->block;
  return gpm_blocks_find_regular(address, start);
}

struct gpm_block *gpm_blocks_find_regular(uint64_t address, uint64_t *start) {
  if (address >> ADDRESS_BITS) return NULL;
  /* Downwards to the nearest block start, skipping absent tables whole. */
  uint64_t at = address >> GRANULE_BITS << GRANULE_BITS;
  for (;;) {
    struct middle *m = atomic_load_explicit(&root.middles[root_index(at)], memory_order_acquire);
    struct leaf *l =
        m ? atomic_load_explicit(&m->leaves[middle_index(at)], memory_order_acquire) : NULL;
    unsigned skip = !m   ? GRANULE_BITS + LEAF_BITS + TABLE_BITS
                    : !l ? GRANULE_BITS + LEAF_BITS
                         : GRANULE_BITS;
    if (l && is_live(&l->slots[leaf_index(at)])) {
      struct gpm_block *b = &l->slots[leaf_index(at)];
      *start = at;
      return address - at < b->bytes ? b : NULL;
    }
    uint64_t low = at >> skip << skip; /* start of what was just ruled out */
    if (!low) return NULL;
    at = low - (1u << GRANULE_BITS);
  }
}

bool gpm_blocks_bounds(uint64_t *lowest, uint64_t *highest) {
  const unsigned leaf_bits = GRANULE_BITS + LEAF_BITS;
  *lowest = UINT64_MAX, *highest = 0;
  for (uint64_t r = 0; r < ROOT_SLOTS; r++) {
    struct middle *m = atomic_load(&root.middles[r]);
    for (uint64_t i = 0; m && i < TABLE_SLOTS; i++)
      if (atomic_load_explicit(&m->leaves[i], memory_order_relaxed)) {
        uint64_t first = (r << TABLE_BITS | i) << leaf_bits;
        if (first < *lowest) *lowest = first;
        *highest = first + ((uint64_t)1 << leaf_bits);
      }
  }
  return *highest != 0;
}

void gpm_blocks_each(void (*visit)(uint64_t, struct gpm_block *, void *), void *data) {
  for (uint64_t r = 0; r < ROOT_SLOTS; r++) {
    struct middle *m = atomic_load(&root.middles[r]);
    for (uint64_t i = 0; m && i < TABLE_SLOTS; i++) {
      struct leaf *l = atomic_load(&m->leaves[i]);
      uint64_t first = (r << TABLE_BITS | i) << (LEAF_BITS + GRANULE_BITS);
      for (uint64_t s = 0; l && s < LEAF_SLOTS; s++)
        if (is_live(&l->slots[s])) visit(first + (s << GRANULE_BITS), &l->slots[s], data);
    }
  }
  for (uint32_t i = 0; i < IRREGULAR_BUCKETS; i++)
    for (struct irregular_block *o = atomic_load(&irregular[i]); o; o = o->next)
      if (is_live(&o->block)) visit(o->address, &o->block, data);
}
