/* gpumemprof.h - what a program may say to the profiler. C11 and C++17, any compiler.
 *
 * Nothing here is needed to be profiled: rebuilding with the plugin is enough. Everything is safe
 * when the plugin, the runtime or both are absent: attributes vanish, functions do nothing.
 *
 *   GPUMEMPROF_PROFILE void step(float *x);     count every call and its wall time
 *   GPUMEMPROF_IGNORE  void *my_malloc(...);    no scope of its own: its callers' lines stand
 *   { GPUMEMPROF_SCOPE("load"); ... }           a named scope from here to the end of the block
 */
#ifndef GPUMEMPROF_H
#define GPUMEMPROF_H

#include <stdint.h>

#if defined(__has_attribute)
#if __has_attribute(gpumemprof_profile)
#define GPUMEMPROF_PROFILE __attribute__((gpumemprof_profile))
#define GPUMEMPROF_IGNORE __attribute__((gpumemprof_ignore))
#endif
#endif
#ifndef GPUMEMPROF_PROFILE
#define GPUMEMPROF_PROFILE
#define GPUMEMPROF_IGNORE
#endif

/* GPUMEMPROF_SCOPE(label): the rest of the enclosing block is a profiled scope of its own, ended on
 * every way out of it (return, break, goto, C++ exception). label: a string literal. Host code
 * only; any thread. Cost: about 30 ns. Method: the cleanup attribute, as systemd and GLib use it.
 */
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
#include "gpumemprof/hooks.h"
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) struct gpumemprof_frame *
__gpumemprof_block_enter(const struct gpumemprof_block_site *site);
__attribute__((weak)) void __gpumemprof_block_exit(struct gpumemprof_frame *frame);
__attribute__((weak)) int gpumemprof_enabled(void);
#ifdef __cplusplus
}
#endif

static inline __attribute__((unused)) struct gpumemprof_frame *
gpumemprof_scope_open_(const struct gpumemprof_block_site *site) {
  return __gpumemprof_block_enter ? __gpumemprof_block_enter(site) : (struct gpumemprof_frame *)0;
}
static inline __attribute__((unused)) void
gpumemprof_scope_close_(struct gpumemprof_frame *const *frame) {
  if (*frame && __gpumemprof_block_exit) __gpumemprof_block_exit(*frame);
}
#define GPUMEMPROF_CAT2_(a, b) a##b
#define GPUMEMPROF_CAT_(a, b) GPUMEMPROF_CAT2_(a, b)
#define GPUMEMPROF_SCOPE_(label, id)                                                               \
  static const struct gpumemprof_block_site GPUMEMPROF_CAT_(gpumemprof_site_, id) = {              \
      GPUMEMPROF_SITE_BLOCK, GPUMEMPROF_SITE_PROFILED, __LINE__, label, __FILE__, __func__};       \
  struct gpumemprof_frame *const GPUMEMPROF_CAT_(gpumemprof_frame_, id)                            \
      __attribute__((cleanup(gpumemprof_scope_close_), unused)) =                                  \
          gpumemprof_scope_open_(&GPUMEMPROF_CAT_(gpumemprof_site_, id))
#define GPUMEMPROF_SCOPE(label) GPUMEMPROF_SCOPE_(label, __COUNTER__)

/* 1 while the runtime is present and records, else 0. Any thread, async-signal-safe. */
static inline __attribute__((unused)) int gpumemprof_is_enabled(void) {
  return gpumemprof_enabled ? gpumemprof_enabled() : 0;
}
#else
#define GPUMEMPROF_SCOPE(label) ((void)0)
static inline int gpumemprof_is_enabled(void) {
  return 0;
}
#endif

#endif /* GPUMEMPROF_H */
