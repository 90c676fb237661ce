/* uses.c - records which operations used which memory: their events, and launches of kernels. What
 * other calls use is found out in copies.c and other_uses.c.
 *
 * Compiled code calls a handler for each before it asks CUDA (kernels.h, cuda_uses.def). What an
 * operation has in common with others of its call is a record of USES, by which the event refers to
 * it. Each thread remembers its latest operations: one with the same values as before needs no
 * look-up, and its event is five bytes. Addresses are recorded as they are, because to find their
 * block costs more than all the rest; readers know the history.
 */
#include "uses/uses.h"
#include "base/memory.h"
#include "base/state.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "core/history.h"
#include "core/history_repeat.h"
#include "core/shadow_stack.h"
#include "cuda/effects.h"
#include "options/options.h"
#include "pages/pages.h"
#include "records/call_tree.h"
#include "records/sites.h"
#include "tables/map.h"
#include "threads/threads.h"
#include "uses/kernels.h"
#include "uses/sources.h"
#include "uses/unseen.h"

#include "gpumemprof/parameters.h"

#include <string.h>

#define SEEN 64u  /* operations that a thread remembers; a power of two */
#define VALUES 8u /* values that it remembers of each */

/* What distinguishes operations. */
struct use_key {
  const void *site, *function; /* function: of a launch, or null */
  const void *stream;
  uint64_t what; /* enum gpumemprof_use */
};
struct seen_use { /* of a thread */
  struct use_key key;
  uint32_t record, count;
  const struct gpm_kernel *kernel;
  struct gpm_use_repeat repeat;
  uint64_t sequence; /* of the chunk that has these values; 0: none */
  uint64_t value[VALUES];
};
struct gpm_uses {
  uint64_t forgotten; /* what of all_forgotten the thread knows */
  const struct gpumemprof_site *launch;
  struct seen_use seen[SEEN];
};
struct known_use { /* of the process */
  struct use_key key;
  uint32_t record, count;
  const struct gpm_kernel *kernel;
  struct known_use *next;
};

static struct gpm_table use_table;
static struct gpm_map known_uses; /* by the hash of their key; under gpm_uses_lock, as these: */
static _Atomic uint64_t all_forgotten = 1; /* how often keys lost their meaning */

void gpm_uses_start(void) {
  use_table =
      (struct gpm_table){GPUMEMPROF_CHUNK_USES, sizeof(struct gpumemprof_capture_use), 0, 0, NULL};
  known_uses = (struct gpm_map){NULL, 0, 0};
  gpm_kernels_start();
  gpm_unseen_start();
  gpm_sources_start();
  atomic_fetch_add(&all_forgotten, 1);
  if (!gpm_options.uses) return;
  __atomic_fetch_or(&__gpumemprof_clock.observed, (uint64_t)GPUMEMPROF_OBSERVED_USES,
                    __ATOMIC_RELAXED);
}

void gpm_uses_forked(void) {
  atomic_store(&gpm_uses_lock.held, 0);
}

void gpm_uses_forget(const void *begin, const void *end) {
  gpm_lock_take(&gpm_uses_lock);
  gpm_kernels_forget(begin, end);
  known_uses = (struct gpm_map){NULL, 0, 0}; /* another object may get the same addresses */
  atomic_fetch_add(&all_forgotten, 1);
  gpm_lock_release(&gpm_uses_lock);
}

/* ---- look-up -----------------------------------------------------------------------------------
 */

static uint64_t hash_of(const struct use_key *k) {
  uint64_t h = ((uintptr_t)k->site + k->what) ^ (uintptr_t)k->function ^ (uintptr_t)k->stream * 3;
  return h * 0x9e3779b97f4a7c15u >> 32;
}

static bool is_key(const struct use_key *a, const struct use_key *b) {
  return a->site == b->site && a->function == b->function && a->stream == b->stream &&
         a->what == b->what;
}

/* Under the lock. */
static struct known_use *add_use(const struct use_key *key, uint32_t count, uint64_t hash) {
  const struct gpm_kernel *kernel =
      key->what == GPUMEMPROF_USE_LAUNCH ? gpm_kernels_of(key->function) : NULL;
  struct known_use *known = gpm_memory_get(sizeof *known);
  if (!known || (key->what == GPUMEMPROF_USE_LAUNCH && !kernel)) return NULL;
  gpm_lock_take(&gpm_tree_lock);
  uint32_t site = key->site ? gpm_sites_intern(key->site) : GPUMEMPROF_NONE;
  gpm_lock_release(&gpm_tree_lock);
  struct gpumemprof_capture_use *record = gpm_table_next(&use_table);
  if (!record) return NULL;
  *known = (struct known_use){.key = *key,
                              .record = use_table.count,
                              .count = kernel ? kernel->words : count,
                              .kernel = kernel,
                              .next = gpm_map_get(&known_uses, hash)};
  *record = (struct gpumemprof_capture_use){.site = site,
                                            .what = (uint16_t)key->what,
                                            .values = (uint16_t)known->count,
                                            .kernel = kernel ? kernel->number : GPUMEMPROF_NONE,
                                            .stream = (uintptr_t)key->stream};
  if (!gpm_map_put(&known_uses, hash, known)) return NULL;
  gpm_table_publish(&use_table);
  return known;
}

/* Makes `seen` that of the key. False: no room. */
static GPM_NOINLINE bool see(struct seen_use *seen, const struct use_key *key, uint32_t count,
                             uint64_t hash) {
  gpm_lock_take(&gpm_uses_lock);
  struct known_use *known = gpm_map_get(&known_uses, hash | 1);
  while (known && !is_key(&known->key, key)) known = known->next;
  if (!known) known = add_use(key, count, hash | 1);
  if (known)
    *seen = (struct seen_use){.key = *key,
                              .record = known->record,
                              .count = known->count,
                              .kernel = known->kernel,
                              .repeat = gpm_history_repeat_of(known->record)};
  gpm_lock_release(&gpm_uses_lock);
  return known != NULL;
}

static GPM_NOINLINE struct gpm_uses *make_uses(struct gpm_thread *thread) {
  struct gpm_uses *uses = thread->uses;
  if (!uses && !(uses = thread->uses = gpm_memory_get(sizeof *uses))) return NULL;
  gpm_unseen_check();
  memset(uses->seen, 0, sizeof uses->seen);
  uses->forgotten = atomic_load(&all_forgotten);
  return uses;
}

/* What the thread remembers may be used: it has a memory, and no key lost its meaning since. */
static inline bool remembers(const struct gpm_uses *uses) {
  return GPM_LIKELY(uses != NULL) &&
         uses->forgotten == atomic_load_explicit(&all_forgotten, memory_order_relaxed);
}

static inline struct gpm_uses *uses_of(struct gpm_thread *thread) {
  return GPM_LIKELY(remembers(thread->uses)) ? thread->uses : make_uses(thread);
}

static inline struct seen_use *seen_of(struct gpm_uses *uses, const struct use_key *key,
                                       uint32_t count) {
  uint64_t hash = hash_of(key);
  struct seen_use *seen = &uses->seen[hash & (SEEN - 1)];
  if (GPM_LIKELY(is_key(&seen->key, key)) && seen->key.what) return seen;
  return see(seen, key, count, hash) ? seen : NULL;
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void add_event(struct gpm_thread *thread, struct seen_use *seen, const uint64_t *value) {
  bool kept = seen->count <= VALUES, same = kept && seen->sequence;
  for (uint32_t i = 0; i < seen->count && same; i++) same = seen->value[i] == value[i];
  gpm_history_used(thread, seen->record, seen->count, value, same, &seen->sequence);
  if (!same && kept) memcpy(seen->value, value, seen->count * sizeof *value);
}

/* The site, or that of the program's call of code that has no sites. Null: unknown. */
static const void *site_or_line(struct gpm_thread *thread, const struct gpumemprof_site *site) {
  if (GPM_LIKELY(site != NULL)) return site;
  site = gpm_thread_call(thread);
  return site == &gpm_sites_unknown ? NULL : site;
}

void gpm_uses_record(enum gpumemprof_use what, const struct gpumemprof_site *site,
                     gpm_stream stream, uint32_t count, const uint64_t *value) {
  struct gpm_thread *thread = gpm_history_is_on() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  struct gpm_uses *uses = uses_of(thread);
  const struct use_key key = {.site = site_or_line(thread, site), .stream = stream, .what = what};
  struct seen_use *seen = uses ? seen_of(uses, &key, count) : NULL;
  if (seen) add_event(thread, seen, value);
  gpm_end(thread);
  if (gpm_sources_are_kept() && gpm_sources_given(what, count, value)) gpm_sources_compare(site);
}

void gpm_uses_launch_begins(const struct gpumemprof_site *site) {
  struct gpm_uses *known = gpm_thread_or_none->uses;
  if (GPM_LIKELY(known != NULL)) {
    known->launch = site;
    return;
  }
  struct gpm_thread *thread = gpm_history_is_on() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  struct gpm_uses *uses = uses_of(thread);
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
  struct gpm_uses *uses = uses_of(thread);
  if (uses && !site) site = uses->launch;
  if (uses) uses->launch = NULL;
  const struct use_key key = {.site = site_or_line(thread, site),
                              .function = function,
                              .stream = stream,
                              .what = GPUMEMPROF_USE_LAUNCH};
  struct seen_use *seen = uses ? seen_of(uses, &key, 0) : NULL;
  bool due = false;
  if (GPM_UNLIKELY(gpm_pages_are_wanted())) gpm_pages_launch(seen ? seen->kernel->function : NULL);
  if (seen && (arguments || !seen->count)) {
    uint64_t value[GPUMEMPROF_KERNEL_MOST_WORDS];
    for (uint32_t i = 0; i < seen->count; i++) value[i] = value_of(seen->kernel, i, arguments);
    add_event(thread, seen, value);
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
  atomic_signal_fence(memory_order_seq_cst);
  if (GPM_LIKELY(gpm_thread_is_recording())) return thread;
  gpm_set_busy(thread, false);
  return NULL;
}

/* The frequent case: the call launched this kernel before with the same addresses, and nothing was
 * allocated meanwhile. It calls nothing and takes no lock. False: nothing was recorded. */
static inline bool launch_repeats(const struct gpumemprof_site *site, const void *function,
                                  void **arguments, gpm_stream stream) {
  struct gpm_thread *thread = enter_to_launch();
  if (!thread) return false;
  bool done = false;
  struct gpm_uses *uses = thread->uses;
  if (GPM_UNLIKELY(!remembers(uses))) goto out;
  if (!site) site = uses->launch;
  const struct use_key key = {
      .site = site, .function = function, .stream = stream, .what = GPUMEMPROF_USE_LAUNCH};
  struct seen_use *seen = &uses->seen[hash_of(&key) & (SEEN - 1)];
  if (GPM_UNLIKELY(!site || !arguments || !is_key(&seen->key, &key) || seen->count > VALUES))
    goto out;
  uint64_t others = 0;
  for (uint32_t i = 0; i < seen->count; i++)
    others |= seen->value[i] ^ value_of(seen->kernel, i, arguments);
  done = !others && gpm_history_repeat_use(&thread->history, seen->repeat, seen->sequence);
  if (done) uses->launch = NULL;
out:
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

void gpm_uses_add_known(enum gpumemprof_use what, enum gpumemprof_unseen code, const char *path,
                        const char *function) {
  gpm_lock_take(&gpm_uses_lock);
  gpm_lock_take(&gpm_tree_lock); /* for the texts */
  uint32_t object = gpm_strings_intern(path), name = gpm_strings_intern(function);
  gpm_lock_release(&gpm_tree_lock);
  struct gpumemprof_capture_use *record = gpm_table_next(&use_table);
  if (record) {
    *record = (struct gpumemprof_capture_use){.site = GPUMEMPROF_NONE,
                                              .what = (uint16_t)what,
                                              .kernel = GPUMEMPROF_NONE,
                                              .object = object,
                                              .unseen = code,
                                              .function = name};
    gpm_table_publish(&use_table);
  }
  gpm_lock_release(&gpm_uses_lock);
}
