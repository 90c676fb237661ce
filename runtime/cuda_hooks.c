/* cuda_hooks.c - where CUDA calls come in: one handler per entry point, expanded from cuda_api.def.
 *
 * The plugin's thunks call pre_NAME and post_NAME around the real NAME with its arguments and
 * result. A signal handler that interrupts the runtime is kept out here (busy); errno is kept where
 * system calls are made. An allocation is recorded after it succeeded, a free before the call and
 * taken back if it fails.
 */
#include "bias.h"

/* The calling thread, marked busy, when it is not known to be alone; null when the event cannot be
 * stored (which is counted). */
static struct gpm_thread *enter(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (thread && !thread->settled) gpm_bias_settle(thread);
  if (thread && !gpm_busy(thread)) {
    gpm_set_busy(thread, true);
    if (gpm_recording()) return thread; /* a signal handler may have forked before it was busy */
    gpm_set_busy(thread, false);
  }
  gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  return NULL;
}

static inline void leave(struct gpm_thread *thread) {
  gpm_set_busy(thread, false);
}

/* The device is asked for while busy: CUDA may call back into the program. */
static inline void record_event(struct gpm_thread *thread, bool alone, uint16_t kind,
                                uint64_t block, uint64_t acquired, uint64_t requested) {
  int ordinal = kind == GPUMEMPROF_KIND_PINNED     ? GPUMEMPROF_HOST
                : kind == GPUMEMPROF_KIND_IMPORTED ? GPUMEMPROF_IMPORTED
                                                   : gpm_cuda_current_device();
  struct gpm_device *device = gpm_ledger_device(ordinal);
  bool again = alone && !gpm_cuda_one_device && device && acquired == requested &&
               gpm_again_allocated(thread, device, kind, block, acquired);
  if (GPM_LIKELY(device != NULL) && !again)
    gpm_ledger_allocated(thread, alone, device, kind, block, acquired, requested);
  leave(thread);
}

/* A request for 0 bytes gives no block. */
static GPM_NOINLINE void record_shared(uint16_t kind, uint64_t block, uint64_t acquired,
                                       uint64_t requested) {
  struct gpm_thread *thread = block ? enter() : NULL;
  if (thread) record_event(thread, false, kind, block, acquired, requested);
}

static GPM_FLATTEN void record_alone(struct gpm_thread *thread, uint16_t kind, uint64_t block,
                                     uint64_t acquired, uint64_t requested) {
  if (GPM_LIKELY(block)) record_event(thread, true, kind, block, acquired, requested);
  else leave(thread);
}

static GPM_NOINLINE void after_padded_allocation(uint16_t kind, uint64_t block, uint64_t acquired,
                                                 uint64_t requested) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_LIKELY(gpm_bias_enter(thread))) record_alone(thread, kind, block, acquired, requested);
  else record_shared(kind, block, acquired, requested);
}

/* Calls come last in these two, so that an event that brings nothing new needs no machine frame;
 * and they are compiled into each hook, with the kind known. */
static inline void after_allocation(uint16_t kind, uint64_t block, uint64_t bytes) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_UNLIKELY(!gpm_bias_enter(thread))) record_shared(kind, block, bytes, bytes);
  else if (GPM_UNLIKELY(!gpm_again_allocated(thread, NULL, kind, block, bytes)))
    record_alone(thread, kind, block, bytes, bytes);
  else leave(thread);
}

static GPM_COLD void after_failure(uint64_t requested, int result) {
  struct gpm_thread *thread = enter();
  if (!thread) return;
  gpm_ledger_failed(thread, requested, result == GPM_CUDA_OUT_OF_MEMORY);
  leave(thread);
}

static GPM_NOINLINE void free_shared(uint64_t block) {
  struct gpm_thread *thread = block ? enter() : NULL;
  if (!thread) return;
  gpm_ledger_free(thread, false, block);
  leave(thread);
}

static GPM_FLATTEN void free_alone(struct gpm_thread *thread, uint64_t block) {
  if (GPM_LIKELY(block)) gpm_ledger_free(thread, true, block);
  leave(thread);
}

static inline void before_free(uint64_t block) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_UNLIKELY(!gpm_bias_enter(thread))) free_shared(block);
  else if (GPM_UNLIKELY(!gpm_again_freed(thread, block))) free_alone(thread, block);
  else leave(thread);
}

static GPM_COLD void after_failed_free(uint64_t block) {
  struct gpm_thread *thread = gpm_thread_current; /* made by before_free */
  if (!block || !thread || gpm_busy(thread)) return;
  if (thread->pending.address != block) /* a signal handler freed meanwhile */
    return gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  if (!(thread = enter())) return;
  gpm_ledger_free_failed(thread, false);
  leave(thread);
}

/* A reset frees what was there when it was called; other threads may allocate before it returns. */
static void before_reset(void) {
  struct gpm_thread *thread = enter();
  if (!thread) return;
  thread->reset_ordinal = gpm_cuda_current_device();
  thread->reset_clock = __atomic_load_n(&__gpumemprof_clock, __ATOMIC_RELAXED);
  leave(thread);
}

static void after_reset(int result) {
  struct gpm_thread *thread = result == GPM_CUDA_SUCCESS ? enter() : NULL;
  if (!thread) return;
  gpm_ledger_reset(thread, false, gpm_ledger_device(thread->reset_ordinal), thread->reset_clock);
  leave(thread);
}

/* Handlers take every parameter of the call; few use them all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  GPM_EXPORT void __gpumemprof_post_##name(__VA_ARGS__, int result);                               \
  __attribute__((flatten)) void __gpumemprof_post_##name(__VA_ARGS__, int result) {                \
    if (GPM_UNLIKELY(result != GPM_CUDA_SUCCESS)) return after_failure(requested, result);         \
    uint64_t size = acquired, asked = requested;                                                   \
    if (size == asked) after_allocation(GPUMEMPROF_KIND_##kind, (uint64_t)(block), size);          \
    else after_padded_allocation(GPUMEMPROF_KIND_##kind, (uint64_t)(block), size, asked);          \
  }
#define GPUMEMPROF_FREE(name, lib, block, ...)                                                     \
  GPM_EXPORT void __gpumemprof_pre_##name(__VA_ARGS__);                                            \
  __attribute__((flatten)) void __gpumemprof_pre_##name(__VA_ARGS__) {                             \
    before_free((uint64_t)(block));                                                                \
  }                                                                                                \
  GPM_EXPORT void __gpumemprof_post_##name(__VA_ARGS__, int result);                               \
  void __gpumemprof_post_##name(__VA_ARGS__, int result) {                                         \
    if (GPM_UNLIKELY(result != GPM_CUDA_SUCCESS)) after_failed_free((uint64_t)(block));            \
  }
#define GPUMEMPROF_RESET(name, lib)                                                                \
  GPM_EXPORT void __gpumemprof_pre_##name(void);                                                   \
  void __gpumemprof_pre_##name(void) {                                                             \
    before_reset();                                                                                \
  }                                                                                                \
  GPM_EXPORT void __gpumemprof_post_##name(int result);                                            \
  void __gpumemprof_post_##name(int result) {                                                      \
    after_reset(result);                                                                           \
  }
#include "gpumemprof/cuda_api.def"
