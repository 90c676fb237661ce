/* gpumemprof.h - what a program can say to the profiler. It is for C11 and C++17, and for any
 * compiler.
 *
 * A program can be profiled without any of this: it is enough to rebuild it with the plugin.
 * Everything here is safe when the plugin, the runtime or both are absent: attributes vanish, and
 * functions do nothing.
 *
 *   GPUMEMPROF_PROFILE void step(float *x);     counts every call and its wall time
 *   GPUMEMPROF_IGNORE  void *my_malloc(...);    has no scope of its own; its callers are charged
 *   GPUMEMPROF_NOT_WRAPPER void *get(...);      keeps its memory; else functions that allocate for
 *                                               their caller, as zeros(n) does, are seen through
 *   { GPUMEMPROF_SCOPE("load"); ... }           a named scope from here to the end of the block
 *   GPUMEMPROF_BUDGET("512MiB") void step(void);        `gpumemprof check` reports a call over it
 *   GPUMEMPROF_NO_ALLOC, GPUMEMPROF_NO_LEAK             or one that allocates, or leaves a block
 *   { GPUMEMPROF_SCOPE_BUDGET("load", "64MiB"); ... }   the same for the rest of a block
 *   gpumemprof_context_capture, _attach, ...    work of another thread is charged to the code that
 *                                               handed it over
 *   GPUMEMPROF_ALLOCATES(2) void *take(struct arena *a, size_t bytes);    an allocator of your own:
 *   GPUMEMPROF_FREES(1) void give(void *p);      its pieces are shown inside the memory they lie in
 *   gpumemprof_pool_create, _alloc, _free, ...   the same by calls
 *   GPUMEMPROF_SWITCH(fiber.resume());          declares that another stack runs meanwhile
 */
#ifndef GPUMEMPROF_H
#define GPUMEMPROF_H

#include "gpumemprof/calls.h"

#include <stdint.h>

#if defined(__has_attribute)
#if __has_attribute(gpumemprof_profile) || defined(__GPUMEMPROF_ATTRIBUTES__)
#define GPUMEMPROF_PROFILE __attribute__((gpumemprof_profile))
#define GPUMEMPROF_IGNORE __attribute__((gpumemprof_ignore))
#endif
#if __has_attribute(gpumemprof_not_wrapper) || defined(__GPUMEMPROF_ATTRIBUTES__)
#define GPUMEMPROF_NOT_WRAPPER __attribute__((gpumemprof_not_wrapper))
#endif
#endif
#ifndef GPUMEMPROF_NOT_WRAPPER
#define GPUMEMPROF_NOT_WRAPPER
#endif
#ifndef GPUMEMPROF_PROFILE
#define GPUMEMPROF_PROFILE
#define GPUMEMPROF_IGNORE
#endif

/* What a function may need. `gpumemprof check CAPTURE` lists which budgets were broken and where,
 * and its exit status is then 1. The program itself only prints a message on standard error, once
 * for each call path.
 *
 *   GPUMEMPROF_BUDGET("512MiB")   a call, with everything that it calls, needs at most this much
 *                                 device memory on top of what was live when it began
 *   GPUMEMPROF_NO_ALLOC           nothing is allocated in it, neither on a device nor pinned
 *   GPUMEMPROF_NO_LEAK            what is allocated in it is freed by the time it ends, by any code
 *
 * Put them on the declaration or the definition; several can be combined. docs/ACCOUNTING.md
 * defines them exactly. Calls in which no memory moves cost nothing. GPUMEMPROF_NO_LEAK costs about
 * 100 ns for each block allocated below it, however many such scopes are around it. A function with
 * a budget keeps its frame across calls in return position. Blocks have macros of their own
 * (GPUMEMPROF_SCOPE_BUDGET and so on), because an attribute of a function cannot be a statement in
 * it. */
#if defined(__has_attribute)
#if __has_attribute(gpumemprof_budget) || defined(__GPUMEMPROF_ATTRIBUTES__)
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

/* Functions of an allocator that hands out pieces of memory that is allocated elsewhere. The pieces
 * are shown for each line and allocator (`gpumemprof pools`, `report --kind custom`). They are
 * never added to the device's total, which already contains that memory.
 *
 *   GPUMEMPROF_ALLOCATES(size[, count])   hands out size * count bytes
 *   GPUMEMPROF_FREES(pointer)             takes them back
 *
 * The arguments are the numbers of parameters as written, from 1; `this` has no number. The piece
 * is the pointer (or 64-bit address) that the function returns, or the first member of the
 * structure that it returns. If the function returns nothing or a status (0 means success), the
 * piece is what it stores through its first parameter that points to a pointer. A null pointer is
 * not a piece. The allocator is the object `this`; without one, the structure that the first
 * parameter points to; without that, the function itself.
 *
 * Put the attributes on the declaration. If such functions call each other on one object, only the
 * innermost call counts. Calls through pointers are recorded if the function is defined in rebuilt
 * code. Each call costs about 100 ns. */
#if defined(__has_attribute)
#if __has_attribute(gpumemprof_alloc) || defined(__GPUMEMPROF_ATTRIBUTES__)
#define GPUMEMPROF_ALLOCATES(...) __attribute__((gpumemprof_alloc(__VA_ARGS__)))
#define GPUMEMPROF_FREES(pointer) __attribute__((gpumemprof_dealloc(pointer)))
#endif
#endif
#ifndef GPUMEMPROF_ALLOCATES
#define GPUMEMPROF_ALLOCATES(...)
#define GPUMEMPROF_FREES(pointer)
#endif

/* GPUMEMPROF_SCOPE(label): the rest of the enclosing block is a profiled scope of its own, and what
 * is allocated there is charged to it. The scope ends on every way out of the block (return, break,
 * goto, C++ exception), and in a coroutine also where that is suspended. The label is a string
 * literal. The macro is for host code only, and any thread may use it. It costs about 30 ns.
 * Method: the cleanup attribute, as systemd and GLib use it.
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
 * enclosing block is a scope with that budget. The label and the size are string literals. Like a
 * function with a budget, the scope does not count its calls or measure their time. It costs about
 * 3 ns. Any compiler will do, but only gpumemprof's plugin refuses a bad size at compile time;
 * otherwise the runtime reports it when memory moves in the scope. */
#define GPUMEMPROF_SCOPE_BUDGET(label, size)                                                       \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_SCOPE_(label, GPUMEMPROF_SITE_BUDGET, size, __COUNTER__)    \
      GPUMEMPROF_COUNTER_END_
#define GPUMEMPROF_SCOPE_NO_ALLOC(label)                                                           \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_SCOPE_(label, GPUMEMPROF_SITE_NO_ALLOC, "", __COUNTER__)    \
      GPUMEMPROF_COUNTER_END_
#define GPUMEMPROF_SCOPE_NO_LEAK(label)                                                            \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_SCOPE_(label, GPUMEMPROF_SITE_NO_LEAK, "", __COUNTER__)     \
  GPUMEMPROF_COUNTER_END_

/* Work that is handed to another thread. The code that hands it over captures a context, and the
 * code that does the work attaches it. Until it detaches, what that thread allocates and frees is
 * charged as if the line of the capture had called it: its call paths continue that line's, and it
 * counts in the own peaks of the scopes that were open there, for as long as they are open. It does
 * not count in the own peaks of the thread's own scopes.
 *
 *   capture   returns a context for the calling line, which must be in an instrumented function. It
 *             returns null if nothing is recorded or there is no memory; the others ignore a null
 *   attach    returns what detach takes, or null if nothing was attached. Any thread may attach a
 *             context that was not released yet, and several threads may do so at once
 *   detach    ends an attachment. Detach in reverse order, on the thread that attached
 *   release   must be called once for each capture. Any thread may do so, also before the
 *             attachments end
 *
 * None of these is async-signal-safe. A context does not survive fork: in the child nothing is
 * attached, and attach returns null for it. A capture with its release costs about 100 ns, and so
 * does an attachment. The first capture ends the faster path of programs in which one thread
 * allocates (some 15 ns per allocation). Method: OpenTelemetry's context propagation. */
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
/* GPUMEMPROF_ATTACH(context) attaches a context for the rest of the enclosing block. It is detached
 * on every way out of the block. */
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

/* An allocator of the program that is described by calls instead of attributes.
 *
 *   create    begins a pool. The name is any text, which is copied; null is an empty name. It
 *             returns null if nothing can be recorded; the other functions ignore null
 *   alloc     records that `bytes` bytes at `pointer` are handed out. Call it before other code can
 *             know the address. If a piece that was not given back is there, this call gives it
 *             back, and that is counted
 *   free      records that the piece that starts at `pointer` is given back. Call it before the
 *             allocator can hand out that memory again
 *   reset     gives back all pieces of the pool
 *   destroy   does the same; the pool must not be used afterwards
 *
 * Any thread may call these functions, but they are not async-signal-safe. None of them fails: what
 * cannot be recorded, such as a free of something that is not a piece, is counted. A call costs
 * about 100 ns. It costs more if a pool has very many pieces (the depth of a tree), and 2 us if
 * they lie in memory that was not recorded. A forked child begins without pieces. Each pool is a
 * row of 400 bytes, which remains after the pool is destroyed. The pools created after the first
 * 65536 share one row. */
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

/* GPUMEMPROF_SWITCH(statement): declares that while the statement runs, the thread runs another
 * machine stack, and that this stack may continue on another thread. It is for fibers of libraries
 * and of assembly code. What is called on the other stack has a call path of its own, as on a new
 * thread. Calls of swapcontext need no mark. */
#define GPUMEMPROF_SWITCH(...)                                                                     \
  do {                                                                                             \
    void *gpumemprof_left_ = 0;                                                                    \
    if (__gpumemprof_fiber_leave) __gpumemprof_fiber_leave(&gpumemprof_left_);                     \
    __VA_ARGS__;                                                                                   \
    if (__gpumemprof_fiber_back) __gpumemprof_fiber_back(&gpumemprof_left_);                       \
  } while (0)

/* Returns 1 while the runtime is present and records, otherwise 0. Any thread may call it, and it
 * is async-signal-safe. */
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
