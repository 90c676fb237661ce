/* cuda_hooks.c - where CUDA calls come in: one handler per entry point, expanded from cuda_api.def.
 *
 * The plugin's thunks call pre_NAME and post_NAME around the real NAME with its arguments and
 * result. A signal handler that interrupts the runtime is kept out here (busy); errno is kept where
 * system calls are made. An allocation is recorded after it succeeded, a free before the call and
 * taken back if it fails.
 */
#include "runtime.h"

static GPM_COLD struct gpm_thread *enter_slow(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (thread && !thread->busy) {
    thread->busy = true;
    return thread;
  }
  gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  return NULL;
}

/* The calling thread, marked busy; null when the event cannot be stored (which is counted). */
static inline struct gpm_thread *enter(void) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_UNLIKELY(!thread || thread->busy ||
                   atomic_load_explicit(&gpm_process_state, memory_order_acquire) != GPM_RECORDING))
    return enter_slow();
  thread->busy = true;
  return thread;
}

static void leave(struct gpm_thread *thread) {
  atomic_signal_fence(memory_order_release);
  thread->busy = false;
}

static GPM_FLATTEN void after_allocation(enum gpm_library library, uint16_t kind, uint64_t block,
                                         uint64_t acquired, uint64_t requested) {
  struct gpm_thread *thread = block ? enter() : NULL; /* a request for 0 bytes gives no block */
  if (thread) {
    int ordinal =
        kind == GPUMEMPROF_KIND_PINNED ? GPUMEMPROF_HOST : gpm_cuda_current_device(library);
    struct gpm_device *device = gpm_ledger_device(ordinal);
    if (device) gpm_ledger_allocated(thread, device, kind, block, acquired, requested);
    leave(thread);
  }
}

static GPM_COLD void after_failure(uint64_t requested, int result) {
  struct gpm_thread *thread = enter();
  if (thread) {
    gpm_ledger_failed(thread, requested, result == GPM_CUDA_OUT_OF_MEMORY);
    leave(thread);
  }
}

static GPM_FLATTEN void before_free(uint64_t block) {
  struct gpm_thread *thread = block ? enter() : NULL;
  if (thread) {
    gpm_ledger_free(thread, block);
    leave(thread);
  }
}

static void after_free(uint64_t block, int result) {
  struct gpm_thread *thread = gpm_thread_current; /* made by before_free */
  if (!block || !thread || thread->pending.address != block) return;
  if (GPM_LIKELY(result == GPM_CUDA_SUCCESS)) {
    if (GPM_UNLIKELY(!thread->pending.cell)) gpm_capture_count(GPUMEMPROF_COUNTER_unknown_frees);
    thread->pending.address = 0;
    return;
  }
  if (!thread->busy && gpm_recording()) {
    thread->busy = true;
    gpm_ledger_free_failed(thread);
    leave(thread);
  }
}

/* A reset frees what was there when it was called; other threads may allocate before it returns. */
static void before_reset(enum gpm_library library) {
  struct gpm_thread *thread = enter();
  if (thread) {
    thread->reset_ordinal = gpm_cuda_current_device(library);
    thread->reset_clock = __atomic_load_n(&__gpumemprof_clock, __ATOMIC_RELAXED);
    leave(thread);
  }
}

static void after_reset(int result) {
  struct gpm_thread *thread = result == GPM_CUDA_SUCCESS ? enter() : NULL;
  if (thread) {
    gpm_ledger_reset(thread, gpm_ledger_device(thread->reset_ordinal), thread->reset_clock);
    leave(thread);
  }
}

/* Handlers take every parameter of the call; few use them all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  GPM_EXPORT void __gpumemprof_post_##name(__VA_ARGS__, int result);                               \
  void __gpumemprof_post_##name(__VA_ARGS__, int result) {                                         \
    if (result == GPM_CUDA_SUCCESS)                                                                \
      after_allocation(GPM_LIB_##lib, GPUMEMPROF_KIND_##kind, (uint64_t)(block), acquired,         \
                       requested);                                                                 \
    else after_failure(requested, result);                                                         \
  }
#define GPUMEMPROF_FREE(name, lib, block, ...)                                                     \
  GPM_EXPORT void __gpumemprof_pre_##name(__VA_ARGS__);                                            \
  void __gpumemprof_pre_##name(__VA_ARGS__) {                                                      \
    before_free((uint64_t)(block));                                                                \
  }                                                                                                \
  GPM_EXPORT void __gpumemprof_post_##name(__VA_ARGS__, int result);                               \
  void __gpumemprof_post_##name(__VA_ARGS__, int result) {                                         \
    after_free((uint64_t)(block), result);                                                         \
  }
#define GPUMEMPROF_RESET(name, lib)                                                                \
  GPM_EXPORT void __gpumemprof_pre_##name(void);                                                   \
  void __gpumemprof_pre_##name(void) {                                                             \
    before_reset(GPM_LIB_##lib);                                                                   \
  }                                                                                                \
  GPM_EXPORT void __gpumemprof_post_##name(int result);                                            \
  void __gpumemprof_post_##name(int result) {                                                      \
    after_reset(result);                                                                           \
  }
#include "gpumemprof/cuda_api.def"
