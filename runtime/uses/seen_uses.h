/* seen_uses.h - the latest operations of a thread: what uses.c and launches.c know of them, by what
 * distinguishes operations. The thread is busy.
 */
#ifndef GPM_SEEN_USES_H
#define GPM_SEEN_USES_H

#include "base/compiler.h"
#include "core/history_repeat.h"
#include "uses/uses.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GPM_SEEN 64u       /* operations that a thread remembers; a power of two */
#define GPM_SEEN_VALUES 8u /* values that it remembers of each */

struct gpm_kernel;
struct gpm_thread;

struct gpm_use_key {
  const void *site, *function; /* function: of a launch, or null */
  const void *stream;
  uint64_t what; /* enum gpumemprof_use */
};
struct gpm_seen_use { /* of a thread */
  struct gpm_use_key key;
  uint32_t record, count;
  const struct gpm_kernel *kernel;
  struct gpm_use_repeat repeat;
  uint64_t sequence; /* of the chunk that has these values; 0: none */
  uint64_t value[GPM_SEEN_VALUES];
};
struct gpm_uses {
  uint64_t forgotten;                   /* what of gpm_uses_forgotten the thread knows */
  const struct gpumemprof_site *launch; /* of the `<<<>>>` under way */
  struct gpm_seen_use seen[GPM_SEEN];
};

extern _Atomic uint64_t gpm_uses_forgotten; /* how often keys lost their meaning */

static inline uint64_t gpm_use_hash(const struct gpm_use_key *k) {
  uint64_t h = ((uintptr_t)k->site + k->what) ^ (uintptr_t)k->function ^ (uintptr_t)k->stream * 3;
  return h * 0x9e3779b97f4a7c15u >> 32;
}
static inline bool gpm_use_is(const struct gpm_use_key *a, const struct gpm_use_key *b) {
  return a->site == b->site && a->function == b->function && a->stream == b->stream &&
         a->what == b->what;
}

/* What the thread remembers may be used: it has a memory, and no key lost its meaning since. */
static inline bool gpm_uses_remember(const struct gpm_uses *uses) {
  return GPM_LIKELY(uses != NULL) &&
         uses->forgotten == atomic_load_explicit(&gpm_uses_forgotten, memory_order_relaxed);
}
struct gpm_uses *gpm_uses_make(struct gpm_thread *thread); /* null: no room */
static inline struct gpm_uses *gpm_uses_of(struct gpm_thread *thread) {
  return GPM_LIKELY(gpm_uses_remember(thread->uses)) ? thread->uses : gpm_uses_make(thread);
}

/* What the thread knows of operations with the key; count: how many values they have, unless they
 * are launches. Null: no room. */
struct gpm_seen_use *gpm_uses_seen(struct gpm_uses *uses, const struct gpm_use_key *key,
                                   uint32_t count);
/* Records one. True: with the values of the latest one, to which the event refers. */
bool gpm_uses_add(struct gpm_thread *thread, struct gpm_seen_use *seen, const uint64_t *value);
/* The site, or that of the program's call of code that has no sites. Null: unknown. */
const void *gpm_uses_site(struct gpm_thread *thread, const struct gpumemprof_site *site);

#endif /* GPM_SEEN_USES_H */
