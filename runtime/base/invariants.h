/* invariants.h - what test builds check about the runtime, and shipped builds leave out.
 *
 * Every file of the runtime may state an invariant with GPM_ASSERT. The unit tests, the sanitizer
 * presets and the end-to-end tests under sanitizers are built with GPM_CHECKED; there a broken
 * invariant prints one sentence and aborts. Without GPM_CHECKED none of this generates code:
 * conditions are only type-checked, so that they stay correct C.
 *
 * GPM_TEST_YIELD marks the points at which a missing lock, atomic operation or barrier would lose
 * an update: a test of races sets a function that lets other threads run there.
 */
#ifndef GPM_INVARIANTS_H
#define GPM_INVARIANTS_H

#ifdef GPM_CHECKED
extern void (*gpm_test_yield)(void); /* null: nothing happens */
void gpm_invariant_broken(const char *file, unsigned line, const char *condition)
    __attribute__((cold, noinline));
#define GPM_ASSERT(condition)                                                                      \
  (__builtin_expect(!!(condition), 1) ? (void)0                                                    \
                                      : gpm_invariant_broken(__FILE__, __LINE__, #condition))
#define GPM_TEST_YIELD() (gpm_test_yield ? gpm_test_yield() : (void)0)
#else
#define GPM_ASSERT(condition) ((void)sizeof(!(condition)))
#define GPM_TEST_YIELD() ((void)0)
#endif

#endif /* GPM_INVARIANTS_H */
