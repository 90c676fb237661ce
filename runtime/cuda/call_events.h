/* call_events.h - the events of calls that allocate or free, for cuda_hooks.c: each first tries to
 * repeat an earlier event (repeats.c); otherwise the device is asked for, and ledger.c records it.
 * Pools are read from time to time.
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
#include "threads/observing.h"
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
  gpm_pools_sample(device);
}

/* Reads the ledger without its lock, because a needless or late reading of the pools does no
 * harm. */
__attribute__((no_sanitize("thread"))) static inline bool
pools_are_due(struct gpm_thread *thread, const struct gpm_device *device) {
  const volatile uint64_t *live = &device->record->live[GPUMEMPROF_KIND_POOL].bytes;
  return *live > __atomic_load_n(&device->pools_reserved, __ATOMIC_RELAXED) ||
         ++thread->pool_events >= POOL_EVENTS_PER_SAMPLE;
}

/* Records the operands of the call under way if they differ from those of the call before. The
 * event may then repeat an earlier one. */
static inline void note_operands(uint64_t requested) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  const struct gpm_cell *cell = f->cell;
  if (GPM_LIKELY(!cell || !cell->operands || cell->operands->count > 2) ||
      atomic_load_explicit(&cell->site, memory_order_relaxed) != f->call ||
      f->stack < gpm_thread_machine_stack() || gpm_operands_same(cell->operands, f))
    return;
  gpm_operands_note_others(cell->operands, f, requested);
}

/* Repeats an event that the quick way did not try: for the history, or on one of several devices.
 */
static inline bool repeats_in_general(struct gpm_thread *thread, const struct gpm_device *device,
                                      uint16_t kind, uint64_t block, uint64_t bytes) {
  bool in_history = gpm_repeats_in_history(thread);
  if (!device || (!in_history && (gpm_cuda_one_device || gpm_thread_watched(thread)))) return false;
  return gpm_repeats_allocated(thread, in_history ? GPM_REPEATING_IN_HISTORY : GPM_REPEATING_SLOWLY,
                               device, kind, block, bytes) == GPM_REPEAT_DONE;
}

/* Asks for the device while the thread is busy, because CUDA may call back into the program. */
static inline void record_event(struct gpm_thread *thread, uint16_t kind, uint64_t block,
                                uint64_t acquired, uint64_t requested) {
  int ordinal = kind == GPUMEMPROF_KIND_PINNED     ? GPUMEMPROF_HOST
                : kind == GPUMEMPROF_KIND_IMPORTED ? GPUMEMPROF_IMPORTED
                : kind == GPUMEMPROF_KIND_POOL
                    ? gpm_cuda_pool_device(block, thread->stream, thread->pool)
                    : gpm_cuda_current_device();
  struct gpm_device *device = gpm_ledger_device(ordinal);
  bool repeats = acquired == requested && repeats_in_general(thread, device, kind, block, acquired);
  if (GPM_LIKELY(device != NULL) && !repeats)
    gpm_ledger_allocated(thread, device, kind, block, acquired, requested);
  if (GPM_UNLIKELY(device && !atomic_load_explicit(&device->sampled, memory_order_relaxed)))
    first_sample(device);
  if (kind == GPUMEMPROF_KIND_POOL && device && GPM_UNLIKELY(pools_are_due(thread, device)))
    sample_pools(thread, device);
  gpm_end(thread);
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

static inline void note_origin(struct gpm_thread *thread, uint16_t kind, struct origin from) {
  if (kind != GPUMEMPROF_KIND_POOL) return;
  thread->stream = from.stream;
  thread->pool = from.pool;
}

/* Records an allocation that the quick way did not. The thread is busy. */
static GPM_NOINLINE_IN_HEADER void allocate_entered(struct gpm_thread *thread, uint16_t kind,
                                                    uint64_t block, uint64_t acquired,
                                                    uint64_t requested) {
  gpm_count_ended(thread);
  if (GPM_UNLIKELY(!block)) {
    leave(thread);
    note_size(requested);
  } else record_event(thread, kind, block, acquired, requested);
}

static GPM_NOINLINE_IN_HEADER void allocate_in_general(uint16_t kind, uint64_t block,
                                                       uint64_t acquired, uint64_t requested,
                                                       struct origin from) {
  if (GPM_UNLIKELY(is_off())) return;
  struct gpm_thread *thread = block ? gpm_event_enter() : NULL;
  if (thread) {
    note_origin(thread, kind, from);
    allocate_entered(thread, kind, block, acquired, requested);
  } else if (!block) note_size(requested);
}

/* Records an allocation that is the first in its scope, has other operands than the one before, or
 * has to wait. */
static GPM_FLATTEN void allocate_slowly(struct gpm_thread *thread, uint16_t kind, uint64_t block,
                                        uint64_t bytes) {
  gpm_count_ended(thread);
  if (gpm_thread_top()->active) note_operands(bytes);
  else if (block) gpm_repeats_opened(thread, kind);
  enum gpm_repeat repeat =
      block ? gpm_repeats_allocated(thread, GPM_REPEATING_SLOWLY, NULL, kind, block, bytes)
            : GPM_REPEAT_NONE;
  if (GPM_UNLIKELY(repeat != GPM_REPEAT_DONE))
    return allocate_entered(thread, kind, block, bytes, bytes);
  leave(thread);
}

/* In the following functions calls come last, so that neither the hook nor an event that repeats an
 * earlier one needs a machine frame. This is the end of an allocation that was tried quickly. */
static inline void allocate_otherwise(enum gpm_repeat repeat, struct gpm_thread *thread,
                                      uint16_t kind, uint64_t block, uint64_t bytes) {
  if (GPM_LIKELY(repeat == GPM_REPEAT_DONE)) leave(thread);
  else if (repeat == GPM_REPEAT_SLOWLY) allocate_slowly(thread, kind, block, bytes);
  else allocate_entered(thread, kind, block, bytes, bytes);
}

static GPM_FLATTEN void allocate_block(uint16_t kind, uint64_t block, uint64_t bytes) {
  const struct origin from = {0};
  if (kind == GPUMEMPROF_KIND_POOL) __builtin_unreachable();
  struct gpm_thread *thread = gpm_thread_enter_quickly();
  if (GPM_UNLIKELY(!thread)) return allocate_in_general(kind, block, bytes, bytes, from);
  enum gpm_repeat repeat =
      gpm_repeats_allocated(thread, GPM_REPEATING_QUICKLY, NULL, kind, block, bytes);
  allocate_otherwise(repeat, thread, kind, block, bytes);
}

static GPM_FLATTEN void allocate_from_pool(uint64_t block, uint64_t bytes, struct origin from) {
  const uint16_t kind = GPUMEMPROF_KIND_POOL;
  struct gpm_thread *thread = gpm_thread_enter_quickly();
  if (GPM_UNLIKELY(!thread)) return allocate_in_general(kind, block, bytes, bytes, from);
  note_origin(thread, kind, from);
  enum gpm_repeat repeat =
      gpm_repeats_allocated(thread, GPM_REPEATING_QUICKLY, NULL, kind, block, bytes);
  allocate_otherwise(repeat, thread, kind, block, bytes);
}

/* ---- frees --------------------------------------------------------------------------------------
 */

/* Records a free that the quick way did not. The thread is busy. */
static GPM_NOINLINE_IN_HEADER void free_entered(struct gpm_thread *thread, uint64_t block) {
  gpm_count_ended(thread);
  if (block && gpm_observed(GPM_OBSERVING_HISTORY)) gpm_pages_freeing(block);
  if (GPM_LIKELY(block) &&
      (!gpm_repeats_in_history(thread) ||
       gpm_repeats_freed(thread, GPM_REPEATING_IN_HISTORY, block) != GPM_REPEAT_DONE))
    gpm_event_free(thread, block);
  gpm_end(thread);
}

static GPM_NOINLINE_IN_HEADER void free_in_general(uint64_t block) {
  if (GPM_UNLIKELY(is_off())) return;
  struct gpm_thread *thread = block ? gpm_event_enter() : NULL;
  if (thread) free_entered(thread, block);
}

static GPM_FLATTEN void free_slowly(struct gpm_thread *thread, uint64_t block) {
  gpm_count_ended(thread);
  enum gpm_repeat repeat = gpm_repeats_freed(thread, GPM_REPEATING_SLOWLY, block);
  if (GPM_UNLIKELY(repeat != GPM_REPEAT_DONE)) return free_entered(thread, block);
  leave(thread);
}

static GPM_FLATTEN void free_block_at(uint64_t block) {
  struct gpm_thread *thread = gpm_thread_enter_quickly();
  if (GPM_UNLIKELY(!thread)) return free_in_general(block);
  enum gpm_repeat repeat = gpm_repeats_freed(thread, GPM_REPEATING_QUICKLY, block);
  if (GPM_LIKELY(repeat == GPM_REPEAT_DONE)) leave(thread);
  else if (repeat == GPM_REPEAT_SLOWLY) free_slowly(thread, block);
  else free_entered(thread, block);
}

#endif /* GPM_CALL_EVENTS_H */
