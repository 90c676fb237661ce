/* launches.c - launches of kernels.
 *
 * A launch comes in by one of two ways (kernels.h). That of a thunk has the addresses of the
 * kernel's parameters, and its site is that of the `<<<>>>` before it. The other one, for
 * `kernel<<<>>>()` in the source, has the values and a record of the place in the source, so what
 * the place launched last is found without a search: each place has a number, and each thread
 * remembers a launch for each number (struct gpm_launch).
 *
 * A launch repeats the one that is remembered if these are the same: the values, the stream, the
 * allocation clock, and the generation and state of gpm_own. The last two change whenever anything
 * happens to the process because of which launches must not be recorded in the short way:
 *
 *   a fork, the end of the recording, its seal      the state
 *   history=, marks of pages, an object is closed   the generation
 *   an allocation or a free in any thread           the clock
 *   a chunk of the history begins                   the thread forgets its launches
 *   the place launches anything else                the thread forgets the launch
 *
 * A signal handler finds the thread busy, as in all of the runtime.
 */
#include "base/compiler.h"
#include "core/history.h"
#include "core/history_repeat.h"
#include "core/shadow_stack.h"
#include "pages/pages.h"
#include "threads/threads.h"
#include "uses/kernels.h"
#include "uses/seen_uses.h"
#include "uses/sources.h"
#include "uses/uses.h"

#include <stddef.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ---- places ------------------------------------------------------------------------------------
 */

/* Where in the array of each thread the launches of a place are; under gpm_uses_lock. */
static const struct gpumemprof_launch *launch_places[GPM_LAUNCH_PLACES];

/* Gives the place a number, if one is left: how far its launch is from the first, in bytes. */
static void find_place(struct gpumemprof_launch *launch) {
  gpm_lock_take(&gpm_uses_lock);
  unsigned i = 1;
  while (i < GPM_LAUNCH_PLACES && launch_places[i]) i++;
  if (i < GPM_LAUNCH_PLACES && !launch->runtime_data) {
    launch_places[i] = launch;
    __atomic_store_n(&launch->runtime_data, i * sizeof(struct gpm_launch), __ATOMIC_RELAXED);
  }
  gpm_lock_release(&gpm_uses_lock);
}

void gpm_launches_forget(const void *begin, const void *end) {
  GPM_ASSERT(gpm_lock_is_mine(&gpm_uses_lock));
  for (unsigned i = 1; i < GPM_LAUNCH_PLACES; i++)
    if ((const void *)launch_places[i] >= begin && (const void *)launch_places[i] < end)
      launch_places[i] = NULL;
}

static inline struct gpm_launch *launch_of(struct gpm_thread *thread, uint64_t place) {
  return (struct gpm_launch *)(void *)((char *)thread->launches + place);
}

/* ---- by the thunks -----------------------------------------------------------------------------
 */

void gpm_uses_launch_begins(const struct gpumemprof_site *site) {
  struct gpm_uses *known = gpm_thread_or_none->uses;
  if (GPM_LIKELY(known != NULL)) {
    known->launch = site;
    return;
  }
  struct gpm_thread *thread = gpm_history_is_on() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  struct gpm_uses *uses = gpm_uses_of(thread);
  if (uses) uses->launch = site;
  gpm_end(thread);
}

/* The value of a word of a kernel's parameters. */
static inline uint64_t value_of(const struct gpm_kernel *kernel, uint32_t word, void **arguments) {
  uint64_t value;
  memcpy(&value, (const char *)arguments[kernel->word[word].parameter] + kernel->word[word].offset,
         sizeof value);
  return value;
}

static GPM_NOINLINE void launched(const struct gpumemprof_site *site, const void *function,
                                  void **arguments, gpm_stream stream) {
  struct gpm_thread *thread = gpm_history_is_on() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  struct gpm_uses *uses = gpm_uses_of(thread);
  if (uses && !site) site = uses->launch;
  if (uses) uses->launch = NULL;
  const struct gpm_use_key key = {.site = gpm_uses_site(thread, site),
                                  .function = function,
                                  .stream = stream,
                                  .what = GPUMEMPROF_USE_LAUNCH};
  struct gpm_seen_use *seen = uses ? gpm_uses_seen(uses, &key, 0) : NULL;
  bool due = false;
  if (GPM_UNLIKELY(gpm_pages_are_wanted())) gpm_pages_launch(seen ? seen->kernel->function : NULL);
  if (seen && (arguments || !seen->count)) {
    uint64_t value[GPUMEMPROF_KERNEL_MOST_WORDS];
    for (uint32_t i = 0; i < seen->count; i++) value[i] = value_of(seen->kernel, i, arguments);
    gpm_uses_add(thread, seen, value);
    due = gpm_sources_are_kept() && gpm_sources_given(GPUMEMPROF_USE_LAUNCH, seen->count, value);
  }
  gpm_end(thread);
  if (GPM_UNLIKELY(due)) gpm_sources_compare(site);
}

/* Marks the calling thread busy and returns it, if it had an event before and the history is on. */
static inline struct gpm_thread *enter_to_launch(void) {
  struct gpm_thread *thread = gpm_thread_or_none;
  if (gpm_busy(thread) || !gpm_history_is_on()) return NULL;
  gpm_set_busy(thread, true);
  gpm_keep_order();
  if (GPM_LIKELY(gpm_thread_is_recording())) return thread;
  gpm_set_busy(thread, false);
  return NULL;
}

/* Records a launch whose values are those of the latest with this key, if nothing was allocated
 * meanwhile. values: null if they are where the arguments say. It calls nothing and takes no lock.
 * False: nothing was recorded. The thread is busy. */
static inline bool record_repeated(struct gpm_thread *thread, const struct gpm_use_key *key,
                                   void **arguments, const uint64_t *values) {
  struct gpm_seen_use *seen = &thread->uses->seen[gpm_use_hash(key) & (GPM_SEEN - 1)];
  if (GPM_UNLIKELY(!gpm_use_is(&seen->key, key) || seen->count > GPM_SEEN_VALUES)) return false;
  uint64_t others = 0;
  for (uint32_t i = 0; i < seen->count; i++)
    others |= seen->value[i] ^ (values ? values[i] : value_of(seen->kernel, i, arguments));
  return !others && gpm_history_repeat_use(&thread->history, seen->repeat, seen->sequence);
}

/* The frequent case. */
static inline bool launch_repeats(const struct gpumemprof_site *site, const void *function,
                                  void **arguments, gpm_stream stream) {
  struct gpm_thread *thread = enter_to_launch();
  if (!thread) return false;
  bool done = false;
  struct gpm_uses *uses = thread->uses;
  if (GPM_LIKELY(gpm_uses_remember(uses))) {
    if (!site) site = uses->launch;
    const struct gpm_use_key key = {
        .site = site, .function = function, .stream = stream, .what = GPUMEMPROF_USE_LAUNCH};
    done = site && arguments && record_repeated(thread, &key, arguments, NULL);
    if (done) uses->launch = NULL;
  }
  gpm_end(thread);
  return done;
}

void gpm_uses_launch(const struct gpumemprof_site *site, const void *function, void **arguments,
                     gpm_stream stream) {
  /* Device code that marks pages gets the epoch at each launch. */
  bool marked = gpm_pages_are_wanted();
  if (GPM_UNLIKELY(marked || !launch_repeats(site, function, arguments, stream)))
    launched(site, function, arguments, stream);
}

/* Whether the kernel may begin before what is before it in its stream has ended. */
static bool is_programmatic(const struct gpm_launch_attribute *attributes, unsigned count) {
  for (unsigned i = 0; attributes && i < count; i++)
    if (attributes[i].id == GPM_LAUNCH_PROGRAMMATIC && attributes[i].value.allowed) return true;
  return false;
}

static void launch_configured(const struct gpumemprof_site *site, const void *function,
                              void **arguments, gpm_stream stream, bool programmatic) {
  if (programmatic) gpm_uses_record(GPUMEMPROF_USE_OVERLAP, site, stream, 0, NULL);
  gpm_uses_launch(site, function, arguments, stream);
}

void gpm_uses_launch_config(const struct gpumemprof_site *site, const void *function,
                            void **arguments, const struct gpm_launch_config *c, bool own) {
  gpm_stream stream = c ? c->stream : NULL;
  launch_configured(site, function, arguments, own ? gpm_own_default(stream) : stream,
                    c && is_programmatic(c->attributes, c->count));
}

void gpm_uses_launch_driver_config(const struct gpumemprof_site *site, const void *function,
                                   void **arguments, const struct gpm_driver_config *c, bool own) {
  gpm_stream stream = c ? c->stream : NULL;
  launch_configured(site, function, arguments, own ? gpm_own_default(stream) : stream,
                    c && is_programmatic(c->attributes, c->count));
}

/* ---- by the record of a place ------------------------------------------------------------------
 */

struct launch_moment { /* the first two words of struct gpm_launch */
  uint64_t clock, own;
};

__attribute__((no_sanitize("thread"))) static inline struct launch_moment launch_moment_now(void) {
  struct launch_moment now = {*(const uint64_t *)&__gpumemprof_clock.events, 0};
  memcpy(&now.own, &gpm_own, sizeof now.own);
  atomic_thread_fence(memory_order_acquire);
  return now;
}

/* Whether the launch has these values, at this moment. */
#if defined(__SSE2__)
__attribute__((no_sanitize("thread"), always_inline)) static inline bool
is_same_launch(const struct gpm_launch *l, const uint64_t *values, unsigned count) {
  __m128d words = _mm_loadl_pd(_mm_setzero_pd(), (const double *)&__gpumemprof_clock.events);
  words = _mm_loadh_pd(words, (const double *)(const void *)&gpm_own);
  __m128i same = _mm_cmpeq_epi8(_mm_castpd_si128(words), *(const __m128i *)&l->clock);
  for (unsigned i = 0; i + 1 < count; i += 2)
    same = _mm_and_si128(
        same, _mm_cmpeq_epi8(*(const __m128i *)&values[i], *(const __m128i *)&l->value[i]));
  if (_mm_movemask_epi8(same) != 0xffff) return false;
  return !(count & 1) || values[count - 1] == l->value[count - 1];
}
#else
__attribute__((no_sanitize("thread"), always_inline)) static inline bool
is_same_launch(const struct gpm_launch *l, const uint64_t *values, unsigned count) {
  struct launch_moment now = launch_moment_now();
  uint64_t others = (now.clock ^ l->clock) | (now.own ^ l->own);
  for (unsigned i = 0; i < count; i++) others |= values[i] ^ l->value[i];
  return !others;
}
#endif

/* The event is that of `seen`, and repeated the one before; then: the moment before it. */
static void remember_launch(struct gpm_thread *thread, struct gpumemprof_launch *launch,
                            const struct gpm_seen_use *seen, const uint64_t *values,
                            struct launch_moment then) {
  struct launch_moment now = launch_moment_now();
  uint32_t event = gpm_history_repeated_of(seen->record);
  if (now.clock != then.clock || !event || gpm_history_is_ring() || gpm_pages_are_wanted()) return;
  if (!launch->runtime_data) find_place(launch);
  if (!launch->runtime_data) return;
  struct gpm_launch *l = launch_of(thread, launch->runtime_data);
  l->clock = then.clock;
  l->own = then.own;
  l->stream = seen->key.stream;
  l->event = event;
  memcpy(l->value, values, seen->count * sizeof *values);
}

/* Whether the place goes on with the launch that is remembered, and this one is of another stream;
 * or with none, as in a ring. */
static bool is_beside(const struct gpm_launch *l, const struct gpm_use_key *key,
                      struct launch_moment now) {
  return gpm_history_is_ring() ||
         (l->own == now.own && l->clock == now.clock && l->stream != key->stream);
}

static GPM_NOINLINE void launched_there(const uint64_t *values, gpm_stream stream,
                                        struct gpumemprof_launch *launch, unsigned count) {
  struct launch_moment now = launch_moment_now();
  struct gpm_thread *thread = gpm_history_is_on() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  struct gpm_launch *l = launch_of(thread, launch->runtime_data);
  struct gpm_uses *uses = gpm_uses_of(thread);
  const struct gpm_use_key key = {.site = launch->site,
                                  .function = launch->function,
                                  .stream = stream,
                                  .what = GPUMEMPROF_USE_LAUNCH};
  bool due = false, different = false, marked = gpm_pages_are_wanted();
  if (uses && !marked && is_beside(l, &key, now) && record_repeated(thread, &key, NULL, values))
    goto out;
  l->own = GPM_NO_LAUNCH;
  struct gpm_seen_use *seen = uses ? gpm_uses_seen(uses, &key, 0) : NULL;
  different = seen && seen->count > count; /* than the kernel for which it was compiled */
  if (GPM_UNLIKELY(different)) seen = NULL;
  if (GPM_UNLIKELY(marked)) gpm_pages_launch(seen ? seen->kernel->function : NULL);
  if (seen) {
    if (gpm_uses_add(thread, seen, values)) remember_launch(thread, launch, seen, values, now);
    due = gpm_sources_are_kept() && gpm_sources_given(GPUMEMPROF_USE_LAUNCH, seen->count, values);
  }
out:
  gpm_end(thread);
  if (GPM_UNLIKELY(different)) gpm_uses_any(launch->site, stream);
  if (GPM_UNLIKELY(due)) gpm_sources_compare(launch->site);
}

/* It calls nothing and takes no lock. */
__attribute__((no_sanitize("thread"), always_inline)) static inline void
launch_there(const uint64_t *values, gpm_stream stream, struct gpumemprof_launch *launch,
             unsigned count) {
  struct gpm_thread *thread = gpm_thread_or_none;
  if (GPM_LIKELY(!*(const bool *)&thread->busy)) {
    gpm_set_busy(thread, true);
    gpm_keep_order();
    const struct gpm_launch *l = launch_of(thread, launch->runtime_data);
    bool repeats = GPM_LIKELY(is_same_launch(l, values, count)) &&
                   GPM_LIKELY(l->stream == stream) &&
                   gpm_history_repeat_launch(&thread->history, l->event);
    gpm_set_busy(thread, false);
    if (GPM_LIKELY(repeats)) return;
  }
  launched_there(values, stream, launch, count);
}

#define GPM_LAUNCH_OF(n)                                                                           \
  GPM_EXPORT GPUMEMPROF_LAUNCH_DECLARED(n) void __gpumemprof_launch_##n(                           \
      const uint64_t *values, void *stream, struct gpumemprof_launch *launch) {                    \
    launch_there(values, stream, launch, n);                                                       \
  }
GPUMEMPROF_LAUNCH_COUNTS(GPM_LAUNCH_OF)
