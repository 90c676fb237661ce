/* uses.c - records which operations used which memory. What they use is found out in launches.c,
 * copies.c and other_uses.c.
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
#include "core/shadow_stack.h"
#include "cuda/effects.h"
#include "options/options.h"
#include "records/call_tree.h"
#include "records/sites.h"
#include "tables/map.h"
#include "threads/threads.h"
#include "uses/kernels.h"
#include "uses/seen_uses.h"
#include "uses/sources.h"
#include "uses/unseen.h"

#include "gpumemprof/parameters.h"

#include <string.h>

struct known_use { /* of the process */
  struct gpm_use_key key;
  uint32_t record, count;
  const struct gpm_kernel *kernel;
  struct known_use *next;
};

static struct gpm_table use_table;
static struct gpm_map known_uses; /* by the hash of their key; under gpm_uses_lock, as these: */
_Atomic uint64_t gpm_uses_forgotten = 1;

void gpm_uses_start(void) {
  use_table =
      (struct gpm_table){GPUMEMPROF_CHUNK_USES, sizeof(struct gpumemprof_capture_use), 0, 0, NULL};
  known_uses = (struct gpm_map){NULL, 0, 0};
  gpm_kernels_start();
  gpm_unseen_start();
  gpm_sources_start();
  gpm_uses_current_devices_start();
  atomic_fetch_add(&gpm_uses_forgotten, 1);
  gpm_own_next_generation();
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
  gpm_launches_forget(begin, end);
  known_uses = (struct gpm_map){NULL, 0, 0}; /* another object may get the same addresses */
  atomic_fetch_add(&gpm_uses_forgotten, 1);
  gpm_own_next_generation();
  gpm_lock_release(&gpm_uses_lock);
}

/* ---- look-up -----------------------------------------------------------------------------------
 */

/* Under the lock. */
static struct known_use *add_use(const struct gpm_use_key *key, uint32_t count, uint64_t hash) {
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
static GPM_NOINLINE bool see(struct gpm_seen_use *seen, const struct gpm_use_key *key,
                             uint32_t count, uint64_t hash) {
  gpm_lock_take(&gpm_uses_lock);
  struct known_use *known = gpm_map_get(&known_uses, hash | 1);
  while (known && !gpm_use_is(&known->key, key)) known = known->next;
  if (!known) known = add_use(key, count, hash | 1);
  if (known)
    *seen = (struct gpm_seen_use){.key = *key,
                                  .record = known->record,
                                  .count = known->count,
                                  .kernel = known->kernel,
                                  .repeat = gpm_history_repeat_of(known->record)};
  gpm_lock_release(&gpm_uses_lock);
  return known != NULL;
}

GPM_NOINLINE struct gpm_uses *gpm_uses_make(struct gpm_thread *thread) {
  struct gpm_uses *uses = thread->uses;
  if (!uses && !(uses = thread->uses = gpm_memory_get(sizeof *uses))) return NULL;
  gpm_unseen_check();
  memset(uses->seen, 0, sizeof uses->seen);
  uses->forgotten = atomic_load(&gpm_uses_forgotten);
  return uses;
}

struct gpm_seen_use *gpm_uses_seen(struct gpm_uses *uses, const struct gpm_use_key *key,
                                   uint32_t count) {
  uint64_t hash = gpm_use_hash(key);
  struct gpm_seen_use *seen = &uses->seen[hash & (GPM_SEEN - 1)];
  if (GPM_LIKELY(gpm_use_is(&seen->key, key)) && seen->key.what) return seen;
  return see(seen, key, count, hash) ? seen : NULL;
}

/* ---- events ------------------------------------------------------------------------------------
 */

bool gpm_uses_add(struct gpm_thread *thread, struct gpm_seen_use *seen, const uint64_t *value) {
  bool kept = seen->count <= GPM_SEEN_VALUES, same = kept && seen->sequence;
  for (uint32_t i = 0; i < seen->count && same; i++) same = seen->value[i] == value[i];
  gpm_history_used(thread, seen->record, seen->count, value, same, &seen->sequence);
  if (!same && kept) memcpy(seen->value, value, seen->count * sizeof *value);
  return same;
}

const void *gpm_uses_site(struct gpm_thread *thread, const struct gpumemprof_site *site) {
  if (GPM_LIKELY(site != NULL)) return site;
  site = gpm_thread_call(thread);
  return site == &gpm_sites_unknown ? NULL : site;
}

void gpm_uses_record(enum gpumemprof_use what, const struct gpumemprof_site *site,
                     gpm_stream stream, uint32_t count, const uint64_t *value) {
  struct gpm_thread *thread = gpm_history_is_on() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  struct gpm_uses *uses = gpm_uses_of(thread);
  const struct gpm_use_key key = {
      .site = gpm_uses_site(thread, site), .stream = stream, .what = what};
  struct gpm_seen_use *seen = uses ? gpm_uses_seen(uses, &key, count) : NULL;
  if (seen) gpm_uses_add(thread, seen, value);
  gpm_end(thread);
  if (gpm_sources_are_kept() && gpm_sources_given(what, count, value)) gpm_sources_compare(site);
}

void gpm_uses_add_known(const struct gpm_known_use *known) {
  gpm_lock_take(&gpm_uses_lock);
  gpm_lock_take(&gpm_tree_lock); /* for the texts */
  uint32_t object = gpm_strings_intern(known->path), function = gpm_strings_intern(known->function);
  gpm_lock_release(&gpm_tree_lock);
  struct gpumemprof_capture_use *record = gpm_table_next(&use_table);
  if (record) {
    *record = (struct gpumemprof_capture_use){.site = GPUMEMPROF_NONE,
                                              .what = (uint16_t)known->what,
                                              .kernel = GPUMEMPROF_NONE,
                                              .object = object,
                                              .stream = known->number,
                                              .unseen = known->unseen,
                                              .function = function};
    gpm_table_publish(&use_table);
  }
  gpm_lock_release(&gpm_uses_lock);
}
