/* gpumemprof.h - what a program may say to the profiler. C11 and C++17, any compiler.
 *
 * Nothing here is needed to be profiled: rebuilding with the plugin is enough. Everything is safe
 * when the plugin, the runtime or both are absent: attributes vanish, functions do nothing.
 *
 *   GPUMEMPROF_PROFILE void step(float *x);     count every call and its wall time
 *   GPUMEMPROF_IGNORE  void *my_malloc(...);    no scope of its own: its callers' lines stand
 *   { GPUMEMPROF_SCOPE("load"); ... }           a named scope from here to the end of the block
 *   GPUMEMPROF_BUDGET("512MiB") void step(void);        `gpumemprof check` tells when it needs more
 *   GPUMEMPROF_NO_ALLOC, GPUMEMPROF_NO_LEAK             the same when it allocates, leaves a block
 *   { GPUMEMPROF_SCOPE_BUDGET("load", "64MiB"); ... }   the same of the rest of a block
 *   gpumemprof_context_capture, _attach, ...    work handed to another thread is charged to who
 *                                               handed it over
 *   GPUMEMPROF_ALLOCATES(2) void *take(struct arena *a, size_t bytes);    an allocator of your own:
 *   GPUMEMPROF_FREES(1) void give(void *p);      its pieces are shown inside the memory they lie in
 *   gpumemprof_pool_create, _alloc, _free, ...   the same by calls
 *   GPUMEMPROF_SWITCH(fiber.resume());          another stack runs meanwhile (but for swapcontext)
 */
#ifndef GPUMEMPROF_H
#define GPUMEMPROF_H

#include "gpumemprof/calls.h"

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

/* What a function may need. `gpumemprof check CAPTURE` lists what was broken and where, and its
 * exit status is 1 then; the program itself only says it once for each call path, on stderr.
 *
 *   GPUMEMPROF_BUDGET("512MiB")   a call needs at most so much device memory on top of what was
 *                                 live when it began, with all that it calls (its own peak)
 *   GPUMEMPROF_NO_ALLOC           nothing is allocated in it, neither on a device nor pinned
 *   GPUMEMPROF_NO_LEAK            what is allocated in it is freed by the time it ends, by anybody
 *
 * Put them on the declaration or the definition; several go together. docs/ACCOUNTING.md has the
 * exact words. Cost: none in calls in which no memory moves. For NO_LEAK about 100 ns per block
 * allocated below it, however many NO_LEAK scopes are around it. A function keeps its frame across
 * calls in return position. Blocks have other names, GPUMEMPROF_SCOPE_BUDGET and so on: what is
 * an attribute of a function can be no statement in it. */
#if defined(__has_attribute)
#if __has_attribute(gpumemprof_budget)
#define GPUMEMPROF_BUDGET(size) __attribute__((gpumemprof_budget(size)))
#define GPUMEMPROF_NO_ALLOC __attribute__((gpumemprof_no_alloc))
#define GPUMEMPROF_NO_LEAK __attribute__((gpumemprof_no_leak))
#endif
#endif
#ifndef GPUMEMPROF_BUDGET
#define GPUMEMPROF_BUDGET(size)
#define GPUMEMPROF_NO_ALLOC
#define GPUMEMPROF_NO_LEAK
#endif

/* Functions of an allocator that hands out pieces of memory which is allocated elsewhere. What they
 * hand out is shown per line and per allocator (`gpumemprof pools`, `report --kind custom`), and
 * never added to the device's total, which has that memory already.
 *
 *   GPUMEMPROF_ALLOCATES(size[, count])   hands out size * count bytes
 *   GPUMEMPROF_FREES(pointer)             takes them back
 *
 * The numbers are those of parameters as written, from 1; `this` has none. What is handed out is
 * the pointer (or 64-bit address) that the function returns, or that the structure it returns
 * begins with; if it returns nothing or a status (0: good) then what its first parameter that
 * points to a pointer leaves there. Null is nothing. Which allocator it is: its object `this`; else
 * the structure that its first parameter points to; else the function itself. Put it on the
 * declaration. Of functions that call each other on one object the innermost counts. Calls through
 * pointers are seen where the function is defined in rebuilt code. Cost: about 100 ns each. */
#if defined(__has_attribute)
#if __has_attribute(gpumemprof_alloc)
#define GPUMEMPROF_ALLOCATES(...) __attribute__((gpumemprof_alloc(__VA_ARGS__)))
#define GPUMEMPROF_FREES(pointer) __attribute__((gpumemprof_dealloc(pointer)))
#endif
#endif
#ifndef GPUMEMPROF_ALLOCATES
#define GPUMEMPROF_ALLOCATES(...)
#define GPUMEMPROF_FREES(pointer)
#endif

/* GPUMEMPROF_SCOPE(label): the rest of the enclosing block is a profiled scope of its own, ended on
 * every way out of it (return, break, goto, C++ exception), in a coroutine also where that is
 * suspended: what it allocates in the rest of the block is its own. label: a string literal. Host
 * code only; any thread. Cost: about 30 ns. Method: the cleanup attribute, as systemd and GLib use
 * it.
 */
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
#include "gpumemprof/hooks.h"
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) struct gpumemprof_open_block
__gpumemprof_block_open(const struct gpumemprof_block_site *site);
__attribute__((weak)) void __gpumemprof_block_close(struct gpumemprof_open_block block);
__attribute__((weak)) void __gpumemprof_fiber_leave(void **left);
__attribute__((weak)) void __gpumemprof_fiber_back(void **left);
__attribute__((weak)) int gpumemprof_enabled(void);
#ifdef __cplusplus
}
#endif

GPUMEMPROF_HEADER_ struct gpumemprof_open_block
gpumemprof_scope_open_(const struct gpumemprof_block_site *site) {
  struct gpumemprof_open_block none = {0, 0};
  return __gpumemprof_block_open ? __gpumemprof_block_open(site) : none;
}
GPUMEMPROF_HEADER_ void gpumemprof_scope_close_(const struct gpumemprof_open_block *block) {
  if (block->frame && __gpumemprof_block_close) __gpumemprof_block_close(*block);
}
/* The site is in a block of its own and always has the same name. So in an inline function or a
 * template every file gives the linker the same symbol for the same scope. */
#define GPUMEMPROF_SCOPE_(label, flags, size, id)                                                  \
  const struct gpumemprof_open_block GPUMEMPROF_CAT_(gpumemprof_block_, id)                        \
      __attribute__((cleanup(gpumemprof_scope_close_), unused)) = __extension__({                  \
        static const struct gpumemprof_block_site gpumemprof_site_ = {                             \
            GPUMEMPROF_SITE_BLOCK, flags, __LINE__, label, __FILE__, __func__, size};              \
        gpumemprof_scope_open_(&gpumemprof_site_);                                                 \
      })
#define GPUMEMPROF_SCOPE(label)                                                                    \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_SCOPE_(label, GPUMEMPROF_SITE_PROFILED, "", __COUNTER__)    \
      GPUMEMPROF_COUNTER_END_

/* GPUMEMPROF_SCOPE_BUDGET(label, size), _NO_ALLOC(label), _NO_LEAK(label): the rest of the
 * enclosing block is a scope with that budget. Both are string literals. It counts no calls and
 * takes no time, as a function with a budget. Cost: about 3 ns. Any compiler; only gpumemprof's
 * plugin refuses a bad size at compile time, else the runtime says so when memory moves in it. */
#define GPUMEMPROF_SCOPE_BUDGET(label, size)                                                       \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_SCOPE_(label, GPUMEMPROF_SITE_BUDGET, size, __COUNTER__)    \
      GPUMEMPROF_COUNTER_END_
#define GPUMEMPROF_SCOPE_NO_ALLOC(label)                                                           \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_SCOPE_(label, GPUMEMPROF_SITE_NO_ALLOC, "", __COUNTER__)    \
      GPUMEMPROF_COUNTER_END_
#define GPUMEMPROF_SCOPE_NO_LEAK(label)                                                            \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_SCOPE_(label, GPUMEMPROF_SITE_NO_LEAK, "", __COUNTER__)     \
  GPUMEMPROF_COUNTER_END_

/* Work handed to another thread. The code that hands it over captures a context; the code that does
 * the work attaches it, and what that thread allocates and frees until it detaches is charged as if
 * the line of the capture had called it: its call paths continue that line's, and it counts in the
 * own peaks of the scopes that were open there for as long as they are (in those of the thread's
 * own scopes it does not count).
 *
 *   capture   an instrumented function's; null when nothing is recorded, which all others accept
 *   attach    of any thread, several at once, as long as the context was not released; returns what
 *             detach takes. Detach in reverse order, on the same thread
 *   release   once per capture, by any thread, also before the attached ones detach
 *
 * The first capture ends the faster path of programs in which one thread allocates (some 15 ns per
 * allocation). Cost: about 100 ns for a capture and its release, and as much for an attachment. Not
 * async-signal-safe. A context does not survive fork: in the child nothing is attached. Method:
 * OpenTelemetry's context propagation. */
struct gpumemprof_context;
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) struct gpumemprof_context *__gpumemprof_context_capture(void);
__attribute__((weak)) struct gpumemprof_frame *
__gpumemprof_context_attach(struct gpumemprof_context *context);
__attribute__((weak)) void __gpumemprof_context_detach(struct gpumemprof_frame *frame);
__attribute__((weak)) void __gpumemprof_context_release(struct gpumemprof_context *context);
#ifdef __cplusplus
}
#endif
GPUMEMPROF_HEADER_ GPUMEMPROF_IGNORE struct gpumemprof_context *gpumemprof_context_capture(void) {
  return __gpumemprof_context_capture ? __gpumemprof_context_capture()
                                      : (struct gpumemprof_context *)0;
}
GPUMEMPROF_HEADER_ struct gpumemprof_frame *
gpumemprof_context_attach(struct gpumemprof_context *context) {
  return context && __gpumemprof_context_attach ? __gpumemprof_context_attach(context)
                                                : (struct gpumemprof_frame *)0;
}
GPUMEMPROF_HEADER_ void gpumemprof_context_detach(struct gpumemprof_frame *attached) {
  if (attached && __gpumemprof_context_detach) __gpumemprof_context_detach(attached);
}
GPUMEMPROF_HEADER_ void gpumemprof_context_release(struct gpumemprof_context *context) {
  if (context && __gpumemprof_context_release) __gpumemprof_context_release(context);
}
/* Attaches a context for the rest of the enclosing block; it is detached on every way out of the
 * block. */
GPUMEMPROF_HEADER_ void gpumemprof_context_leave_(struct gpumemprof_frame *const *attached) {
  gpumemprof_context_detach(*attached);
}
#define GPUMEMPROF_ATTACH_(context, id)                                                            \
  struct gpumemprof_frame *const GPUMEMPROF_CAT_(gpumemprof_attached_, id)                         \
      __attribute__((cleanup(gpumemprof_context_leave_), unused)) =                                \
          gpumemprof_context_attach(context)
#define GPUMEMPROF_ATTACH(context)                                                                 \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_ATTACH_(context, __COUNTER__)                               \
  GPUMEMPROF_COUNTER_END_

/* An allocator of the program itself that is described by calls instead of attributes.
 *
 *   create    name: any text, which is copied. Null when nothing is recorded, which all others
 *             accept
 *   alloc     `bytes` at `pointer` are handed out. Call it before other code can know the address.
 *             A piece there that was not given back is given back by this call, and counted
 *   free      the piece that starts at `pointer` is given back. Call it before the allocator may
 *             hand out that memory again
 *   reset     all pieces of the pool are given back
 *   destroy   the same, and the pool is not used any more
 *
 * Any thread may call these; they are not async-signal-safe. Nothing fails: what cannot be recorded
 * (a free of something that is no piece) is counted. Cost: about 100 ns, more if a pool has very
 * many pieces (the depth of a tree), and 2 us if they lie in memory that was not seen. A forked
 * child begins without pieces. Each pool is a row of 400 bytes, also after its end; those created
 * after the first 65536 are one row. */
struct gpumemprof_pool;
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) struct gpumemprof_pool *__gpumemprof_pool_create(const char *name);
__attribute__((weak)) void __gpumemprof_pool_alloc(struct gpumemprof_pool *pool,
                                                   const void *pointer, uint64_t bytes);
__attribute__((weak)) void __gpumemprof_pool_free(struct gpumemprof_pool *pool,
                                                  const void *pointer);
__attribute__((weak)) void __gpumemprof_pool_reset(struct gpumemprof_pool *pool);
__attribute__((weak)) void __gpumemprof_pool_destroy(struct gpumemprof_pool *pool);
#ifdef __cplusplus
}
#endif
GPUMEMPROF_HEADER_ GPUMEMPROF_IGNORE struct gpumemprof_pool *
gpumemprof_pool_create(const char *name) {
  return __gpumemprof_pool_create ? __gpumemprof_pool_create(name) : (struct gpumemprof_pool *)0;
}
GPUMEMPROF_HEADER_ GPUMEMPROF_IGNORE void
gpumemprof_pool_alloc(struct gpumemprof_pool *pool, const void *pointer, uint64_t bytes) {
  if (pool && __gpumemprof_pool_alloc) __gpumemprof_pool_alloc(pool, pointer, bytes);
}
GPUMEMPROF_HEADER_ GPUMEMPROF_IGNORE void gpumemprof_pool_free(struct gpumemprof_pool *pool,
                                                               const void *pointer) {
  if (pool && __gpumemprof_pool_free) __gpumemprof_pool_free(pool, pointer);
}
GPUMEMPROF_HEADER_ GPUMEMPROF_IGNORE void gpumemprof_pool_reset(struct gpumemprof_pool *pool) {
  if (pool && __gpumemprof_pool_reset) __gpumemprof_pool_reset(pool);
}
GPUMEMPROF_HEADER_ GPUMEMPROF_IGNORE void gpumemprof_pool_destroy(struct gpumemprof_pool *pool) {
  if (pool && __gpumemprof_pool_destroy) __gpumemprof_pool_destroy(pool);
}

/* GPUMEMPROF_SWITCH(statement): while the statement runs, the thread runs another machine stack,
 * and this one may come back on another thread. It is for fibers of libraries and of assembly. What
 * is called on the other stack has a path of its own, as in a thread. Calls of swapcontext need no
 * mark. */
#define GPUMEMPROF_SWITCH(...)                                                                     \
  do {                                                                                             \
    void *gpumemprof_left_ = 0;                                                                    \
    if (__gpumemprof_fiber_leave) __gpumemprof_fiber_leave(&gpumemprof_left_);                     \
    __VA_ARGS__;                                                                                   \
    if (__gpumemprof_fiber_back) __gpumemprof_fiber_back(&gpumemprof_left_);                       \
  } while (0)

/* Returns 1 while the runtime is present and records, else 0. Any thread may call it; it is
 * async-signal-safe. */
GPUMEMPROF_HEADER_ int gpumemprof_is_enabled(void) {
  return gpumemprof_enabled ? gpumemprof_enabled() : 0;
}
#else
#define GPUMEMPROF_SCOPE(label) ((void)0)
#define GPUMEMPROF_SCOPE_BUDGET(label, size) ((void)0)
#define GPUMEMPROF_SCOPE_NO_ALLOC(label) ((void)0)
#define GPUMEMPROF_SCOPE_NO_LEAK(label) ((void)0)
#define GPUMEMPROF_ATTACH(context) ((void)(context))
struct gpumemprof_context;
struct gpumemprof_frame;
static inline struct gpumemprof_context *gpumemprof_context_capture(void) {
  return (struct gpumemprof_context *)0;
}
static inline struct gpumemprof_frame *
gpumemprof_context_attach(struct gpumemprof_context *context) {
  (void)context;
  return (struct gpumemprof_frame *)0;
}
static inline void gpumemprof_context_detach(struct gpumemprof_frame *attached) {
  (void)attached;
}
static inline void gpumemprof_context_release(struct gpumemprof_context *context) {
  (void)context;
}
struct gpumemprof_pool;
static inline struct gpumemprof_pool *gpumemprof_pool_create(const char *name) {
  (void)name;
  return (struct gpumemprof_pool *)0;
}
static inline void gpumemprof_pool_alloc(struct gpumemprof_pool *pool, const void *pointer,
                                         uint64_t bytes) {
  (void)pool, (void)pointer, (void)bytes;
}
static inline void gpumemprof_pool_free(struct gpumemprof_pool *pool, const void *pointer) {
  (void)pool, (void)pointer;
}
static inline void gpumemprof_pool_reset(struct gpumemprof_pool *pool) {
  (void)pool;
}
static inline void gpumemprof_pool_destroy(struct gpumemprof_pool *pool) {
  (void)pool;
}
#define GPUMEMPROF_SWITCH(...)                                                                     \
  do {                                                                                             \
    __VA_ARGS__;                                                                                   \
  } while (0)
static inline int gpumemprof_is_enabled(void) {
  return 0;
}
#endif

#include "gpumemprof/control.h"
#include "gpumemprof/measure.h"

#endif /* GPUMEMPROF_H */
