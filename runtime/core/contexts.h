/* contexts.h - work handed to other threads: see contexts.c.
 */
#ifndef GPM_CONTEXTS_H
#define GPM_CONTEXTS_H

#include "base/compiler.h"
#include "base/lock.h"

struct gpm_open;
struct gpm_thread;

/* Does the work of gpm_thread_charge while thread->delegating. */
GPM_COLD void gpm_contexts_charge(struct gpm_thread *thread, int64_t device_bytes);
/* Call when the thread's innermost activation ends while thread->delegating. Afterwards no other
 * thread charges that activation, and the activations that it counts for have its figures. */
GPM_COLD void gpm_contexts_ended(struct gpm_thread *thread);
/* The activation whose work an ATTACHED activation does, usually of another thread; null when no
 * scope counts that work any more. Under gpm_contexts_lock. */
const struct gpm_open *gpm_contexts_home(const struct gpm_open *attached,
                                         const struct gpm_thread **thread);
void gpm_contexts_forked(void);
extern struct gpm_lock gpm_contexts_lock; /* protects shared activations and their flags */
struct gpm_moved;
/* Counts memory that the thread moved in the measured scopes of the threads that it works for. */
void gpm_contexts_count(struct gpm_thread *thread, const struct gpm_moved *moved);

#endif /* GPM_CONTEXTS_H */
