/* signals.h - blocks signals while the runtime must not be interrupted by a handler.
 *
 * During events, `busy` keeps a handler's own events out (cuda_hooks.c), which costs two stores
 * instead of two system calls. Code that runs once per thread or object (process.c, threads.c,
 * modules.c) takes locks without being busy, or moves the shadow stack itself, so it blocks
 * signals.
 */
#ifndef GPM_SIGNALS_H
#define GPM_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <string.h>

static inline void gpm_signals_hold(sigset_t *held) {
  union {
    unsigned long first;
    sigset_t set;
  } all;
  memset(&all, 0xFF, sizeof all);
  all.first &= ~(3UL << 31); /* two signals that the C library reserves for itself (nptl, musl) */
  pthread_sigmask(SIG_SETMASK, &all.set, held);
}

static inline void gpm_signals_let_come(const sigset_t *held) {
  pthread_sigmask(SIG_SETMASK, held, NULL);
}

#endif /* GPM_SIGNALS_H */
