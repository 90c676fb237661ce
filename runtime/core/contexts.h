/* contexts.h - work handed to other threads: see contexts.c.
 */
#ifndef GPM_CONTEXTS_H
#define GPM_CONTEXTS_H

#include "base/compiler.h"
#include "base/lock.h"

struct gpm_open;
struct gpm_thread;

/* What gpm_thread_charge does while thread->delegating. */
GPM_COLD void gpm_contexts_charge(struct gpm_thread *thread, int64_t device_bytes);
/* The thread's innermost activation ends while thread->delegating: after this no other thread
 * charges it, and its figures are in the activations that it counts for. */
GPM_COLD void gpm_contexts_ended(struct gpm_thread *thread);
/* Where the work of an activation that is ATTACHED comes from: an activation of another thread, or
 * null when no scope counts it any more. Under gpm_contexts_lock. */
const struct gpm_open *gpm_contexts_home(const struct gpm_open *attached,
                                         const struct gpm_thread **thread);
void gpm_contexts_forked(void);
extern struct gpm_lock gpm_contexts_lock; /* shared activations and their flags */
struct gpm_moved;
/* The thread moved memory: to measured scopes of others that it works for. */
void gpm_contexts_count(struct gpm_thread *thread, const struct gpm_moved *moved);

#endif /* GPM_CONTEXTS_H */
