/* ledger.h - what ledger.c, pairs.c and devices.c share: one device's ledger and its pair table. */
#ifndef GPM_LEDGER_H
#define GPM_LEDGER_H

#include "base/map.h"
#include "records/maxima.h"
#include "threads/bias.h"

struct gpm_pair {
  struct gpumemprof_capture_pair *record;
  struct gpm_cell *cell;
  const void *_Atomic call;     /* site of the freeing call; null once unloaded */
  const struct gpm_node *scope; /* it is made in; the root for memory that no scope counts */
  const struct gpm_node *from;  /* the freeing call's */
  struct gpm_pair *next;        /* of the node's list */
  uint32_t id;
};
extern struct gpm_pair gpm_pairs_none; /* of a cell that nothing was freed of */

/* While one CUDA device and `host` are all that is in use, they share one lock, so that lines,
 * nodes and the clock, which belong to all devices, need no atomic operation either. A second
 * device (taken once, under that lock) sets `many`: from then on threads that are not alone update
 * those atomically. Read it under a device's lock. */
extern bool gpm_ledger_many;

static inline bool gpm_ledger_plain(bool alone) {
  return alone || GPM_LIKELY(!gpm_ledger_many);
}

static inline uint64_t gpm_ledger_add(bool alone, uint64_t *at, uint64_t value) {
  if (!gpm_ledger_plain(alone)) return __atomic_add_fetch(at, value, __ATOMIC_RELAXED);
  uint64_t sum = *at + value;
  GPM_TEST_YIELD();
  __atomic_store_n(at, sum, __ATOMIC_RELAXED);
  return sum;
}

static inline void gpm_ledger_raise(bool alone, uint64_t *at, uint64_t value) {
  uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
  if (GPM_LIKELY(value <= old)) return;
  GPM_TEST_YIELD();
  if (gpm_ledger_plain(alone)) __atomic_store_n(at, value, __ATOMIC_RELAXED);
  else
    while (value > old &&
           !__atomic_compare_exchange_n(at, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
}

struct gpm_device {
  struct gpm_lock *lock;    /* protects all below, the record, and cells and blocks of this device;
                             * taken by gpm_section_enter */
  struct gpm_lock own_lock; /* unless it shares the first */
  struct gpumemprof_capture_device *record;
  struct gpm_maxima maxima;
  struct gpm_pair **pairs; /* hash (cell, free node), open addressing */
  uint32_t pair_room;
  uint32_t pair_count;
  struct gpm_cell *cells;    /* all of them, under gpm_tree_lock */
  uint64_t pools_reserved;   /* stream_pools.c: by all of its pools, when looked at last */
  uint64_t reset_clock;      /* baseline.c: events up to it were forgotten */
  uint64_t watched_above;    /* measures.c: a total to be told of; UINT64_MAX: none */
  struct gpm_map paddings;   /* padding.c: by block */
  bool pools_known;          /* stream_pools.c: its own were asked for */
  _Atomic bool sampled;      /* cuda_hooks.c: at first sight */
  uint16_t index;            /* record number */
  struct gpm_watch *watches; /* thresholds.c: what it has crossed; null before the first look */
};

/* A figure that a thread may be changing: the one before or the one after. */
__attribute__((no_sanitize("thread"))) static inline uint64_t gpm_peek(const uint64_t *at) {
  return *(const volatile uint64_t *)at;
}

/* No CUDA device: what it holds is in no GPU's total, and scopes do not count it. */
static inline bool gpm_is_apart(const struct gpm_device *device) {
  return device->record->ordinal < 0;
}

/* ---- padding.c: what blocks have beyond what was asked for. Under the device's lock. */
GPM_COLD void gpm_padding_begins(struct gpm_device *device, struct gpm_block *block,
                                 uint64_t bytes);
uint64_t gpm_padding_of(const struct gpm_device *device, const struct gpm_block *block);
GPM_COLD void gpm_padding_ends(struct gpm_device *device, const struct gpm_block *block);
GPM_COLD void gpm_padding_again(struct gpm_device *device, const struct gpm_block *block);

/* The pair of a cell and a freeing node; null when there is no room. Under the device's lock. */
struct gpm_pair *gpm_pairs_get(struct gpm_cell *cell, struct gpm_node *node);
void gpm_pairs_start(void);
void gpm_pairs_forked(void);

#endif /* GPM_LEDGER_H */
