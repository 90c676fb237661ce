/* devices.h - one ledger for each CUDA device that was allocated on, and for memory of other kinds:
 * see devices.c.
 */
#ifndef GPM_DEVICES_H
#define GPM_DEVICES_H

#include "base/lock.h"
#include "capture/capture.h"
#include "records/maxima.h"
#include "tables/map.h"

/* The first CUDA device and what is no CUDA device share one lock. While there is no other one, it
 * protects lines, nodes and the clock, too, which belong to all devices. A second device sets
 * gpm_ledger_many once, under that lock; from then on, these figures are updated atomically. It is
 * read under a device's lock. */
extern bool gpm_ledger_many;

static inline bool gpm_ledger_plain(void) {
  return GPM_LIKELY(!gpm_ledger_many);
}

static inline uint64_t gpm_ledger_add(bool plain, uint64_t *at, uint64_t value) {
  if (!plain) return __atomic_add_fetch(at, value, __ATOMIC_RELAXED);
  uint64_t sum = *at + value;
  GPM_TEST_YIELD();
  __atomic_store_n(at, sum, __ATOMIC_RELAXED);
  return sum;
}

static inline void gpm_ledger_raise(bool plain, uint64_t *at, uint64_t value) {
  uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
  if (GPM_LIKELY(value <= old)) return;
  GPM_TEST_YIELD();
  if (plain) __atomic_store_n(at, value, __ATOMIC_RELAXED);
  else
    while (value > old &&
           !__atomic_compare_exchange_n(at, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
}

struct gpm_device {
  struct gpm_lock *lock; /* protects all below, the record, and cells and blocks of this device */
  struct gpm_lock own_lock; /* the lock of a device that does not share the first one */
  struct gpumemprof_capture_device *record;
  struct gpm_maxima maxima;
  struct gpm_pair **pairs; /* hash (cell, free node), open addressing */
  uint32_t pair_room;
  uint32_t pair_count;
  struct gpm_cell *cells;    /* all of them, under gpm_tree_lock */
  uint64_t pools_reserved;   /* stream_pools.c: by all of its pools, when last read */
  uint64_t reset_clock;      /* baseline.c: events up to it were discarded */
  uint64_t repeats_up_to;    /* gpm_ledger_limit_repeats */
  uint64_t watched_above;    /* measures.c: is notified above this total; UINT64_MAX: never */
  struct gpm_map paddings;   /* padding.c: by block */
  bool pools_known;          /* stream_pools.c: its pools were queried */
  _Atomic bool sampled;      /* cuda_hooks.c: its first sample was taken */
  uint16_t index;            /* record number */
  struct gpm_watch *watches; /* thresholds.c: what it has crossed; null before the first check */
};

/* Reads a figure that another thread may be changing: returns the old or the new value. */
__attribute__((no_sanitize("thread"))) static inline uint64_t gpm_peek(const uint64_t *at) {
  return *(const volatile uint64_t *)at;
}

/* Sets the highest total that repeats.c may reach: none is a new peak, of the device or of a scope
 * that waits for one. Call when either changed, under the lock. */
static inline void gpm_ledger_limit_repeats(struct gpm_device *device) {
  uint64_t peak = device->record->peak, watched = device->watched_above;
  device->repeats_up_to = peak < watched ? peak : watched;
}

/* Whether this is no CUDA device: its memory is in no GPU's total, and scopes do not count it. */
static inline bool gpm_is_not_gpu(const struct gpm_device *device) {
  return device->record->ordinal < 0;
}

bool gpm_ledger_start(void);
void gpm_ledger_forked(void); /* in a forked child: no thread holds a lock */
struct gpm_device *
gpm_ledger_device(int ordinal); /* GPUMEMPROF_HOST or CUDA ordinal; null: no room */
struct gpm_device *gpm_ledger_known_device(int ordinal); /* null: nothing was allocated there */
unsigned gpm_ledger_device_count(void);                  /* host included */
struct gpm_device *gpm_ledger_device_at(unsigned index);
/* The highest total of any one CUDA device since the clock, in bytes. The caller holds no lock. */
GPM_NOINLINE uint64_t gpm_ledger_peak_since(uint64_t clock);
/* An activation ended: its figures go into its node. wall_ticks counts if it was profiled. */
void gpm_ledger_scope_ended(struct gpumemprof_capture_node *node,
                            const struct gpumemprof_capture_activation *activation,
                            uint64_t wall_ticks);

extern struct gpm_device *_Atomic gpm_ledger_first; /* the first CUDA device; null: none yet */

/* Counts an activation in which memory moved, with its own peak. Under the device's lock. */
static inline void gpm_ledger_count_activation(bool plain, struct gpumemprof_capture_node *node,
                                               uint64_t own_peak) {
  gpm_ledger_add(plain, &node->active_calls, 1);
  gpm_ledger_add(plain, &node->own_peak_sum, own_peak);
  gpm_ledger_raise(plain, &node->own_peak_max, own_peak);
}

/* Raises a scope's *peak to the highest total of the device since the clock, if that takes no
 * search; otherwise returns false. Under the device's lock. */
static GPM_INLINE bool gpm_ledger_raise_simply(const struct gpm_device *device, uint64_t clock,
                                               uint64_t *peak) {
  if (GPM_LIKELY(device->record->peak <= *peak)) return true;
  uint64_t before, now = device->record->total;
  if (GPM_UNLIKELY(!gpm_maxima_latest_since(&device->maxima, clock, &before))) return false;
  gpm_ledger_raise(true, peak, before > now ? before : now);
  return true;
}

/* What gpm_ledger_scope_ended does after an activation in which memory moved and which was not
 * profiled, if there is one device, its lock is free, and that takes no search. False: nothing was
 * done. */
static GPM_INLINE bool
gpm_ledger_scope_ended_simply(struct gpumemprof_capture_node *node,
                              const struct gpumemprof_capture_activation *activation) {
  const struct gpm_device *device = atomic_load_explicit(&gpm_ledger_first, memory_order_acquire);
  if (GPM_UNLIKELY(!device || !gpm_lock_take_quickly(device->lock))) return false;
  bool simple = !gpm_ledger_many &&
                gpm_ledger_raise_simply(device, activation->entry_clock, &node->device_peak);
  if (GPM_LIKELY(simple)) gpm_ledger_count_activation(true, node, (uint64_t)activation->peak);
  gpm_lock_release(device->lock);
  return simple;
}

/* The CUDA device is known to be the only one of the process (cuda_query.c). */
extern _Atomic bool gpm_cuda_one_device;

#endif /* GPM_DEVICES_H */
