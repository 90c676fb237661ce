/* callbacks.h - functions of the program that events call: hooks, and thresholds of live memory.
 * control.h includes it. */
#ifndef GPUMEMPROF_CALLBACKS_H
#define GPUMEMPROF_CALLBACKS_H

#include "gpumemprof/calls.h"
#include "gpumemprof/errors.h"
#include "gpumemprof/kinds.h"

#include <stdint.h>

/* ---- hooks --------------------------------------------------------------------------------------
 * Hooks are functions of the program that are called at each allocation and free.
 *
 *   allocation_requested   before a call that asks for memory, once its arguments say how much. If
 *                          that makes a node of a graph, `allocated` follows when it is launched
 *   allocated              after a call that allocates, when it was recorded, or when it failed
 *   free_requested         before a call that frees, when the free was recorded. It comes after the
 *                          call where only then is known what was freed (contexts that end,
 *                          launches of graphs, unmapping)
 *   freed                  after the call succeeded
 *   free_failed            after the call failed: the block is still live
 *   acquired               when CUDA's pools were seen to have taken more memory from the device.
 *                          They are read where they must have grown, and sometimes elsewhere, but
 *                          not at each event. Memory that CUDA hands out directly is acquired when
 *                          it is allocated: `allocation_requested` comes before that
 *
 * One call may make several events, such as a context that ends and frees all its memory. Each of
 * them is reported, in order. The hooks are called by the thread that makes the CUDA call, outside
 * of CUDA's and the profiler's locks, so they may allocate, free, and make any CUDA call and any
 * call of control.h. What they do is recorded like everything else, but calls no hooks on that
 * thread. They must return: they must not leave by longjmp or an exception, or end the thread. With
 * cupti=on, memory of libraries that were not rebuilt is reported inside the library's CUDA call,
 * where the hook must not call CUDA. Method: the memory hooks of CuPy.
 */
enum gpumemprof_what {
  GPUMEMPROF_ON_ALLOCATED = 1,
  GPUMEMPROF_ON_ALLOCATION_FAILED = 2,
  GPUMEMPROF_ON_FREE_REQUESTED = 3,
  GPUMEMPROF_ON_FREE_FAILED = 4,
  GPUMEMPROF_ON_ACQUIRED = 5,
  GPUMEMPROF_ON_ALLOCATION_REQUESTED = 6,
  GPUMEMPROF_ON_FREED = 7
};
struct gpumemprof_event {
  uint32_t size;      /* of this structure */
  uint32_t what;      /* enum gpumemprof_what */
  uint32_t kind;      /* enum gpumemprof_kind. Of a failed allocation that is not one of the calls
                       * that always give one kind: GPUMEMPROF_KIND_COUNT */
  int32_t device;     /* CUDA ordinal, or GPUMEMPROF_HOST or similar. Of an allocation that is
                       * requested or failed: the current one, 0 if there is none yet */
  uint64_t requested; /* bytes the program asked for; of frees the same as acquired. 0 for requested
                       * memory of other processes, which is not known yet */
  uint64_t acquired;  /* bytes the device gave; 0 of an allocation that is requested or failed */
  uint64_t address; /* of the block, or the handle of a pool that grew; 0 if there is none (physical
                     * memory, variables) */
  uint64_t block;   /* number of the block, unique: the clock of its allocation. 0: none */
  uint64_t clock;   /* of the event: allocations and frees so far, this one included */
  const char *file; /* where the event was made: the rebuilt line, "" if there is none. Never null
                     * (acquired: of the allocation that was made there) */
  const char *function; /* "" if unknown */
  uint32_t line;        /* 0 if unknown */
  int32_t result;       /* of the CUDA call if that failed, else 0 */
};
struct gpumemprof_hooks { /* a null hook is not called */
  uint32_t size;          /* of this structure */
  void (*allocated)(const struct gpumemprof_event *event, void *data);
  void (*free_requested)(const struct gpumemprof_event *event, void *data);
  void (*free_failed)(const struct gpumemprof_event *event, void *data);
  void (*acquired)(const struct gpumemprof_event *event, void *data);
  void (*allocation_requested)(const struct gpumemprof_event *event, void *data);
  void (*freed)(const struct gpumemprof_event *event, void *data);
};
/* Registers hooks, which events call from now on with `data`. The structure is copied. Returns a
 * handle > 0, or an error < 0: GPUMEMPROF_ERROR_OFF, _ARGUMENT (`hooks` is null, or its size is not
 * set), or _FULL (16 sets are registered). The hooks are also called in children that are forked
 * later. The first set ends the faster path of programs in which one thread allocates (some 15 ns
 * per event). A hook costs about 100 ns on top of its own time. */
GPUMEMPROF_CALL_(int, hooks_add, (const struct gpumemprof_hooks *hooks, void *data), (hooks, data),
                 GPUMEMPROF_ERROR_OFF)
/* Removes the hooks. It waits until no other thread is in a hook of the set and none will be, so
 * that `data` can be freed. If it is called from a hook it does not wait: other threads may still
 * be in their hooks, and only this thread can continue. If it is called from a hook of the set
 * itself, that call of the hook is the last one. Returns 0, or GPUMEMPROF_ERROR_ARGUMENT if no set
 * has this handle any more (without a message), or _OFF if that is so and nothing is recorded. */
GPUMEMPROF_CALL_(int, hooks_remove, (int handle), (handle), GPUMEMPROF_ERROR_OFF)

/* ---- thresholds ---------------------------------------------------------------------------------
 */
/* Returns the CUDA ordinal of a device. `text` is its number ("1"), its UUID or the beginning of
 * that ("GPU-3f2a"), or "current". Returns GPUMEMPROF_ERROR_OFF if recording is off. If no device
 * or more than one matches, prints a sentence on standard error and returns
 * GPUMEMPROF_ERROR_DEVICE. The call may initialize CUDA's driver, but it creates no context. It
 * costs microseconds. */
GPUMEMPROF_CALL_(int, device, (const char *text), (text), GPUMEMPROF_ERROR_OFF)

#define GPUMEMPROF_EVERY_DEVICE (-100) /* each GPU for itself */
enum gpumemprof_level { GPUMEMPROF_WARN = 1, GPUMEMPROF_CRITICAL = 2 };
struct gpumemprof_crossing {
  uint32_t size;        /* of this structure */
  uint32_t level;       /* enum gpumemprof_level */
  int32_t device;       /* CUDA ordinal, or GPUMEMPROF_HOST or similar */
  uint32_t line;        /* of the allocation, 0 if unknown */
  uint64_t total;       /* bytes live on the device after it */
  uint64_t limit;       /* the limit that it passed */
  uint64_t bytes;       /* of its block */
  uint64_t block;       /* its number, as in struct gpumemprof_event */
  uint64_t clock;       /* of the event */
  const char *file;     /* of the allocation, "" if unknown */
  const char *function; /* the same */
};
struct gpumemprof_threshold {
  uint32_t size;       /* of this structure */
  int32_t device;      /* CUDA ordinal, GPUMEMPROF_EVERY_DEVICE, or GPUMEMPROF_HOST or similar */
  uint64_t warn_bytes; /* 0: none */
  uint64_t critical_bytes;
  double
      warn_percent; /* of the device's memory, 0 to 100; 0: none. With bytes: the lower of both */
  double critical_percent; /* without effect if CUDA does not report how much memory a device has */
  void (*callback)(const struct gpumemprof_crossing *crossing, void *data);
  void *data;
};
/* Calls `callback` when the live memory of the device rises above a limit. It does so once, and
 * again only after the memory has fallen to 95 % of the limit or below. If it is above the limit
 * already, the next allocation that leaves it there is the crossing. The callback runs on the
 * thread whose call made the total rise, after that call, with the rights and duties of hooks.
 * Several threads may be in it at once.
 *
 * Returns a handle > 0, or an error < 0: GPUMEMPROF_ERROR_OFF, _ARGUMENT (no callback, no limit, a
 * bad percentage), _DEVICE, or _FULL (16 thresholds are watched). The structure is copied, and
 * children that are forked later watch the threshold, too. The first threshold ends the faster path
 * as the first hook does; after that each event costs some 10 ns more.
 *
 * GPUMEMPROF_OPTIONS=warn=20GiB:critical=95% watches every device and prints a line on standard
 * error for each crossing. Method: the watermarks of memory managers, with hysteresis. */
GPUMEMPROF_CALL_(int, threshold_add, (const struct gpumemprof_threshold *threshold), (threshold),
                 GPUMEMPROF_ERROR_OFF)
/* Removes the threshold, with the waiting and the results of gpumemprof_hooks_remove. */
GPUMEMPROF_CALL_(int, threshold_remove, (int handle), (handle), GPUMEMPROF_ERROR_OFF)

#endif /* GPUMEMPROF_CALLBACKS_H */
