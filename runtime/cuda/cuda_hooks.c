/* cuda_hooks.c - where CUDA calls come in: one handler per entry point, expanded from cuda_api.def.
 *
 * The plugin's thunks call pre_NAME and post_NAME around the real NAME with its arguments and
 * result. A signal handler that interrupts the runtime is kept out here (busy); errno is kept where
 * system calls are made. An allocation is recorded after it succeeded, a free before the call and
 * taken back if it fails.
 */
#include "base/compiler.h"
#include "base/state.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/ledger.h"
#include "core/shadow_stack.h"
#include "cuda/call_events.h"
#include "cuda/cuda_query.h"
#include "cuda/effects.h"
#include "cuda/hooks.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "records/made_sites.h"
#include "threads/observing.h"
#include "threads/threads.h"

/* Marks the calling thread busy and returns it; null when the event cannot be stored (which is
 * counted). */
struct gpm_thread *gpm_event_enter(void) {
  struct gpm_thread *thread = gpm_thread_enter();
  if (GPM_UNLIKELY(!thread)) gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  return thread;
}

void gpm_event_leave(struct gpm_thread *thread) {
  gpm_end(thread);
}

uint64_t gpm_event_key(void) {
  static _Atomic uint64_t latest = UINT64_C(1) << 63;
  return atomic_fetch_add(&latest, 1) + 1;
}

void gpm_event_free(struct gpm_thread *thread, uint64_t block) {
  thread->notices.awaits = true;
  gpm_ledger_free(thread, block);
  thread->notices.awaits = false;
}

GPM_COLD void gpm_event_freed(uint64_t block) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!block || !thread || gpm_busy(thread)) return;
  gpm_observers_free_succeeded(thread, block);
  gpm_end(thread);
}

const struct gpumemprof_site *gpm_event_line(struct gpm_thread *thread) {
  return gpm_sites_copy(gpm_thread_call(thread));
}

void gpm_event_allocated(struct gpm_thread *thread, uint16_t kind, int ordinal, uint64_t block,
                         uint64_t bytes) {
  struct gpm_device *device = gpm_ledger_device(ordinal);
  if (!device) return;
  gpm_ledger_allocated(thread, device, kind, block, bytes, bytes);
  if (!atomic_load(&device->sampled)) first_sample(device);
}

/* Calls the program's hooks; nothing is recorded. */
static GPM_COLD void before_request(const struct gpm_asked *asked) {
  const struct gpm_thread *interrupted = gpm_thread_current;
  if (interrupted && gpm_busy(interrupted)) return;
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  if (gpm_observed(GPM_OBSERVING_HOOKS))
    gpm_callbacks_requested(thread, gpm_ledger_line(thread), asked->kind, asked->bytes);
  gpm_end(thread);
}

/* A size that was computed wrong, as from a negative number, counts as this much, 64 PiB. So
 * figures of many failures stay in 63 bits. */
#define MOST_REQUESTED ((uint64_t)1 << 56)

/* Handles a failed allocation; or, for an observed program, one that is about to be requested. */
static GPM_COLD void after_failed_request(const struct gpm_asked *given, int result) {
  if (result == GPUMEMPROF_NOT_CALLED_YET) return before_request(given);
  struct gpm_asked most = *given, *asked = &most;
  if (most.bytes > MOST_REQUESTED) most.bytes = MOST_REQUESTED;
  bool out_of_memory = result == GPM_CUDA_OUT_OF_MEMORY;
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  const struct gpm_node *node = gpm_ledger_failed(thread, asked->bytes, out_of_memory);
  if (out_of_memory && node) gpm_oom_happened(thread, node, asked);
  if (gpm_observed(GPM_OBSERVING_HOOKS))
    gpm_callbacks_failed(thread, node, asked->kind, asked->bytes, result);
  gpm_end(thread);
}

static GPM_COLD void after_failure(uint64_t requested, int result, uint16_t kind) {
  int ordinal = kind == GPUMEMPROF_KIND_PINNED     ? GPUMEMPROF_HOST
                : kind == GPUMEMPROF_KIND_IMPORTED ? GPUMEMPROF_IMPORTED
                                                   : GPM_CURRENT_DEVICE;
  after_failed_request(&(struct gpm_asked){.bytes = requested, .kind = kind, .ordinal = ordinal},
                       result);
}

static GPM_COLD void after_failed_creation(uint64_t requested, int result, uint16_t kind,
                                           int ordinal) {
  after_failed_request(&(struct gpm_asked){.bytes = requested, .kind = kind, .ordinal = ordinal},
                       result);
}

static GPM_COLD void after_pool_failure(uint64_t requested, int result, gpm_pool pool,
                                        gpm_stream stream) {
  after_failed_request(&(struct gpm_asked){.bytes = requested,
                                           .kind = GPUMEMPROF_KIND_POOL,
                                           .ordinal = GPM_CURRENT_DEVICE,
                                           .pool = pool,
                                           .stream = stream},
                       result);
}

static GPM_COLD void after_failed_free(uint64_t block, int result) {
  struct gpm_thread *thread = gpm_thread_current; /* free_block_at made it */
  if (!block || !thread || gpm_busy(thread)) return;
  if (thread->pending.address != block) /* a signal handler freed meanwhile */
    return gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  if (!(thread = gpm_event_enter())) return;
  gpm_ledger_free_failed(thread, result);
  gpm_end(thread);
}

static GPM_COLD void after_free(uint64_t block, int result) {
  if (result == GPM_CUDA_SUCCESS) gpm_event_freed(block);
  else after_failed_free(block, result);
}

static inline bool pool_calls_differ(void) {
  return atomic_load_explicit(&gpm_pool_calls_differ, memory_order_relaxed) != 0;
}

/* Handles an allocation that may be a node of a graph, or come from a pool of the host. */
static GPM_COLD void after_other_pool_allocation(struct origin from, uint64_t block,
                                                 uint64_t bytes) {
  if (!gpm_graphs_captured_alloc(from.stream, block, bytes)) allocate_from_pool(block, bytes, from);
  else note_size(bytes);
}

/* Handlers take every parameter of the call; few use them all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define RESULT_OF_CUDART result
#define RESULT_OF_CUDA result
#define RESULT_OF_NCCL                                                                             \
  (result == GPUMEMPROF_NOT_CALLED_YET ? result : -1) /* NCCL numbers errors differently */
/* The bytes that a failed call asked for. The size of an import is known only after it
 * succeeded. */
#define BYTES_ASKED(kind, requested)                                                               \
  (GPUMEMPROF_KIND_##kind == GPUMEMPROF_KIND_IMPORTED && result == GPUMEMPROF_NOT_CALLED_YET       \
       ? 0                                                                                         \
       : (requested))
#define HANDLER(name, ...) __attribute__((flatten)) void __gpumemprof_##name(__VA_ARGS__)
#define COLD_HANDLER(name, ...) __attribute__((cold)) void __gpumemprof_##name(__VA_ARGS__)

#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                           \
    if (GPM_UNLIKELY(result != GPM_CUDA_SUCCESS))                                                  \
      return after_failure(BYTES_ASKED(kind, requested), RESULT_OF_##lib, GPUMEMPROF_KIND_##kind); \
    uint64_t size = acquired, asked = requested;                                                   \
    if (size == asked) allocate_block(GPUMEMPROF_KIND_##kind, (uint64_t)(block), size);            \
    else                                                                                           \
      allocate_in_general(GPUMEMPROF_KIND_##kind, (uint64_t)(block), size, asked,                  \
                          (struct origin){0});                                                     \
  }
#define GPUMEMPROF_POOL_ALLOC(name, lib, block, bytes, pool, stream, ...)                          \
  HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                           \
    if (GPM_UNLIKELY(result != GPM_CUDA_SUCCESS))                                                  \
      return after_pool_failure(bytes, result, pool, stream);                                      \
    if (GPM_UNLIKELY(pool_calls_differ()))                                                         \
      return after_other_pool_allocation((struct origin){stream, pool}, (uint64_t)(block), bytes); \
    allocate_from_pool((uint64_t)(block), bytes, (struct origin){stream, pool});                   \
  }
#define GPUMEMPROF_FREE(name, lib, block, ...)                                                     \
  HANDLER(pre_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                        \
    free_block_at((uint64_t)(block));                                                              \
  }                                                                                                \
  COLD_HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                      \
    after_free((uint64_t)(block), result);                                                         \
  }
#define GPUMEMPROF_POOL_FREE(name, lib, block, stream, ...)                                        \
  HANDLER(pre_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                        \
    if (GPM_UNLIKELY(pool_calls_differ()) && gpm_graphs_captured_free(stream, (uint64_t)(block)))  \
      return;                                                                                      \
    free_block_at((uint64_t)(block));                                                              \
  }                                                                                                \
  COLD_HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                      \
    if (result != GPM_CUDA_SUCCESS && pool_calls_differ() &&                                       \
        gpm_graphs_captured_free_failed(stream, (uint64_t)(block)))                                \
      return;                                                                                      \
    after_free((uint64_t)(block), result);                                                         \
  }
#define GPUMEMPROF_CREATE(name, lib, kind, bytes, ordinal, effect, ...)                            \
  COLD_HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                      \
    uint64_t asked = result == GPM_CUDA_SUCCESS ? 0 : (uint64_t)(bytes);                           \
    if (result == GPM_CUDA_SUCCESS) effect;                                                        \
    else if (result == GPM_CUDA_OUT_OF_MEMORY)                                                     \
      after_failed_creation(asked, result, GPUMEMPROF_KIND_##kind, ordinal);                       \
    else if (asked && (GPUMEMPROF_KIND_##kind != GPUMEMPROF_KIND_GRAPH ||                          \
                       result != GPUMEMPROF_NOT_CALLED_YET))                                       \
      after_failure(asked, result, GPUMEMPROF_KIND_##kind);                                        \
  }
/* A call that is not named an allocation can still allocate, such as the launch of a graph. */
#define GPUMEMPROF_AFTER(name, lib, effect, ...)                                                   \
  COLD_HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                      \
    if (result == GPM_CUDA_SUCCESS) effect;                                                        \
    else if (result == GPM_CUDA_OUT_OF_MEMORY) after_failure(0, result, GPUMEMPROF_KIND_COUNT);    \
  }
#define GPUMEMPROF_AROUND(name, lib, before, after, ...)                                           \
  COLD_HANDLER(pre_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                   \
    before;                                                                                        \
  }                                                                                                \
  COLD_HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                      \
    after;                                                                                         \
  }
#define GPUMEMPROF_RECORDED(name, lib, effect, ...)                                                \
  COLD_HANDLER(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                  \
    effect;                                                                                        \
  }
#define GPUMEMPROF_RESET(name, lib)                                                                \
  COLD_HANDLER(pre_##name, void) {                                                                 \
    gpm_reset_current();                                                                           \
  }                                                                                                \
  COLD_HANDLER(post_##name, int result) {                                                          \
    gpm_reset_done(result);                                                                        \
  }
#include "gpumemprof/cuda_api.def"
