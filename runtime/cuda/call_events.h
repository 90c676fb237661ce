/* call_events.h - the events of calls that allocate or free, for cuda_hooks.c: the owner of the
 * bias and any other thread first try to repeat an earlier event (repeats.c); otherwise the device
 * is asked for, and ledger.c records the event. Pools are read from time to time.
 */
#ifndef GPM_CALL_EVENTS_H
#define GPM_CALL_EVENTS_H

#include "base/compiler.h"
#include "base/state.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/ledger.h"
#include "core/operands.h"
#include "core/repeats.h"
#include "core/shadow_stack.h"
#include "cuda/cuda_query.h"
#include "cuda/effects.h"
#include "cuda/samples.h"
#include "cuda/stream_pools.h"
#include "records/cells.h"
#include "records/devices.h"
#include "threads/bias.h"
#include "threads/threads.h"

/* With GPUMEMPROF=0, or in a rank that was not selected, nothing will be recorded or counted. */
static inline bool is_off(void) {
  return atomic_load_explicit(&gpm_own.state, memory_order_relaxed) == GPM_OFF && !gpm_capture;
}

static inline void leave(struct gpm_thread *thread) {
  gpm_set_busy(thread, false);
}

/* Takes the first sample of a device, after its first event, so that both CUDA and the ledger know
 * the device. */
static GPM_COLD_IN_HEADER void first_sample(struct gpm_device *device) {
  if (!atomic_exchange(&device->sampled, true) && device->record->ordinal >= 0)
    gpm_samples_first(device);
}

/* The pools of a device are read when the ledger shows that they must have grown, and after every
 * 64 pool events of a thread. Their high marks include what happened between two readings. */
#define POOL_EVENTS_PER_SAMPLE 64u
static GPM_COLD_IN_HEADER void sample_pools(struct gpm_thread *thread, struct gpm_device *device) {
  thread->pool_events = 0;
  gpm_pools_sample(thread, device);
}

/* Reads the ledger without its lock, because a needless or late reading of the pools does no
 * harm. */
__attribute__((no_sanitize("thread"))) static inline bool
pools_are_due(struct gpm_thread *thread, const struct gpm_device *device) {
  const volatile uint64_t *live = &device->record->live[GPUMEMPROF_KIND_POOL].bytes;
  return *live > __atomic_load_n(&device->pools_reserved, __ATOMIC_RELAXED) ||
         ++thread->pool_events >= POOL_EVENTS_PER_SAMPLE;
}

/* Records the operands of the call under way if they differ from those of the call before. Returns
 * whether it did: the event may then repeat an earlier one in everything else. Only for the owner
 * of the bias. */
static inline bool note_operands(uint64_t requested) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  const struct gpm_cell *cell = f->cell;
  if (GPM_LIKELY(!cell || !cell->operands) || gpm_operands_same(cell->operands, f) ||
      atomic_load_explicit(&cell->site, memory_order_relaxed) != f->call ||
      f->stack < gpm_thread_machine_stack())
    return false;
  gpm_operands_note_others(cell->operands, f, requested);
  return true;
}

/* Asks for the device while the thread is busy, because CUDA may call back into the program. */
static inline void record_event(struct gpm_thread *thread, bool single, uint16_t kind,
                                uint64_t block, uint64_t acquired, uint64_t requested) {
  int ordinal = kind == GPUMEMPROF_KIND_PINNED     ? GPUMEMPROF_HOST
                : kind == GPUMEMPROF_KIND_IMPORTED ? GPUMEMPROF_IMPORTED
                : kind == GPUMEMPROF_KIND_POOL
                    ? gpm_cuda_pool_device(block, thread->stream, thread->pool)
                    : gpm_cuda_current_device();
  struct gpm_device *device = gpm_ledger_device(ordinal);
  bool repeats = !gpm_cuda_one_device && device && acquired == requested &&
                 gpm_repeats_allocated(thread, single, device, kind, block, acquired);
  if (GPM_LIKELY(device != NULL) && !repeats)
    gpm_ledger_allocated(thread, single, device, kind, block, acquired, requested);
  if (GPM_UNLIKELY(device && !atomic_load_explicit(&device->sampled, memory_order_relaxed)))
    first_sample(device);
  if (kind == GPUMEMPROF_KIND_POOL && device && GPM_UNLIKELY(pools_are_due(thread, device)))
    sample_pools(thread, device);
  if (single) leave(thread);
  else gpm_end(thread);
}

/* Records the operands of a call that asks for a size but gives no block: a call for 0 bytes, or
 * one that a graph captures. */
static GPM_COLD_IN_HEADER void note_size(uint64_t requested) {
  const struct gpm_thread *interrupted = gpm_thread_current;
  struct gpm_thread *thread = interrupted && gpm_busy(interrupted) ? NULL : gpm_event_enter();
  if (!thread) return;
  if (!gpm_observed(GPM_OBSERVING_PAUSED)) gpm_operands_note(thread, NULL, requested);
  gpm_end(thread);
}

/* Where an allocation of kind pool comes from: the call's stream, and the pool if it names one. Of
 * other kinds both are null. */
struct origin {
  gpm_stream stream;
  gpm_pool pool;
};

/* Marks a thread busy that has had an event before; null: the general way is needed. */
static inline struct gpm_thread *enter_repeating(void) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_UNLIKELY(!thread || !thread->settled || gpm_busy(thread))) return NULL;
  gpm_set_busy(thread, true);
  atomic_signal_fence(memory_order_seq_cst); /* as in gpm_bias_enter */
  if (GPM_LIKELY(atomic_load_explicit(&gpm_own.state, memory_order_acquire) == GPM_RECORDING))
    return thread;
  leave(thread);
  return NULL;
}

static GPM_NOINLINE_IN_HEADER void record_in_general(uint16_t kind, uint64_t block,
                                                     uint64_t acquired, uint64_t requested,
                                                     struct origin from) {
  if (GPM_UNLIKELY(is_off())) return;
  struct gpm_thread *thread = block ? gpm_event_enter() : NULL;
  if (thread) {
    thread->stream = from.stream;
    thread->pool = from.pool;
    record_event(thread, false, kind, block, acquired, requested);
  } else if (!block) note_size(requested);
}

static GPM_FLATTEN void record_shared(uint16_t kind, uint64_t block, uint64_t acquired,
                                      uint64_t requested, struct origin from) {
  struct gpm_thread *thread = block && acquired == requested ? enter_repeating() : NULL;
  if (GPM_LIKELY(thread != NULL)) {
    thread->stream = from.stream;
    bool repeats = gpm_repeats_allocated(thread, false, NULL, kind, block, acquired) ||
                   (gpm_repeats_opened(thread, false, kind) &&
                    gpm_repeats_allocated(thread, false, NULL, kind, block, acquired));
    leave(thread);
    if (GPM_LIKELY(repeats)) return;
  }
  record_in_general(kind, block, acquired, requested, from);
}

static GPM_FLATTEN void record_single(struct gpm_thread *thread, uint16_t kind, uint64_t block,
                                      uint64_t acquired, uint64_t requested) {
  bool untried = note_operands(requested) && gpm_cuda_one_device && acquired == requested;
  if (untried && block && gpm_repeats_allocated(thread, true, NULL, kind, block, acquired))
    leave(thread);
  else if (GPM_LIKELY(block)) record_event(thread, true, kind, block, acquired, requested);
  else {
    leave(thread);
    note_size(requested);
  }
}

static GPM_NOINLINE_IN_HEADER void after_padded_allocation(uint16_t kind, uint64_t block,
                                                           uint64_t acquired, uint64_t requested) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_LIKELY(gpm_bias_enter(thread))) record_single(thread, kind, block, acquired, requested);
  else record_shared(kind, block, acquired, requested, (struct origin){0});
}

/* The first allocation in a scope. */
static GPM_FLATTEN void allocate_first(struct gpm_thread *thread, uint16_t kind, uint64_t block,
                                       uint64_t bytes) {
  if (GPM_LIKELY(gpm_repeats_opened(thread, true, kind)) &&
      GPM_LIKELY(gpm_repeats_allocated(thread, true, NULL, kind, block, bytes)))
    leave(thread);
  else record_single(thread, kind, block, bytes, bytes);
}

/* In the following functions calls come last, so that neither the hook nor an event that repeats an
 * earlier one needs a machine frame. */
static GPM_FLATTEN void allocate_single(struct gpm_thread *thread, uint16_t kind, uint64_t block,
                                        uint64_t bytes) {
  if (GPM_LIKELY(gpm_repeats_allocated(thread, true, NULL, kind, block, bytes))) leave(thread);
  else if (block && !gpm_thread_top()->active) allocate_first(thread, kind, block, bytes);
  else record_single(thread, kind, block, bytes, bytes);
}

static inline void after_allocation(uint16_t kind, uint64_t block, uint64_t bytes,
                                    struct origin from) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_UNLIKELY(!gpm_bias_enter(thread))) return record_shared(kind, block, bytes, bytes, from);
  if (kind == GPUMEMPROF_KIND_POOL) {
    thread->stream = from.stream;
    thread->pool = from.pool;
  }
  allocate_single(thread, kind, block, bytes);
}

/* ---- frees --------------------------------------------------------------------------------------
 */

static GPM_NOINLINE_IN_HEADER void free_in_general(uint64_t block) {
  if (GPM_UNLIKELY(is_off())) return;
  struct gpm_thread *thread = block ? gpm_event_enter() : NULL;
  if (!thread) return;
  gpm_event_free(thread, block);
  gpm_end(thread);
}

static GPM_FLATTEN void free_shared(uint64_t block) {
  struct gpm_thread *thread = block ? enter_repeating() : NULL;
  if (GPM_LIKELY(thread != NULL)) {
    bool repeats = gpm_repeats_freed(thread, false, block);
    leave(thread);
    if (GPM_LIKELY(repeats)) return;
  }
  free_in_general(block);
}

static GPM_FLATTEN void record_free_single(struct gpm_thread *thread, uint64_t block) {
  if (GPM_LIKELY(block)) gpm_ledger_free(thread, true, block);
  leave(thread);
}

static GPM_FLATTEN void free_single(struct gpm_thread *thread, uint64_t block) {
  if (GPM_LIKELY(gpm_repeats_freed(thread, true, block))) leave(thread);
  else record_free_single(thread, block);
}

static inline void before_free(uint64_t block) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_LIKELY(gpm_bias_enter(thread))) free_single(thread, block);
  else free_shared(block);
}

#endif /* GPM_CALL_EVENTS_H */
