/* control.h - how a program controls the profiler. gpumemprof.h includes it.
 *
 * Every call is safe when the runtime is absent or off: it does nothing, and its result says so.
 * Any thread may make the calls, unless the comment says otherwise. None is async-signal-safe
 * unless the comment says so.
 *
 * Structures begin with their size. The program sets it to sizeof in the structures that it passes,
 * so that a program compiled with an older header continues to work, and may check it in those that
 * it receives. Structures are borrowed for the call; texts in them stay valid and unchanged to the
 * end of the process.
 */
#ifndef GPUMEMPROF_CONTROL_H
#define GPUMEMPROF_CONTROL_H

#include "gpumemprof/calls.h"
#include "gpumemprof/kinds.h"

#include <stddef.h>
#include <stdint.h>

/* The errors of calls that return an int; all values are below 0. Unless its comment says
 * otherwise, such a call did nothing. Only GPUMEMPROF_ERROR_SYSTEM sets errno. */
enum gpumemprof_error {
  GPUMEMPROF_ERROR_OFF = -1,      /* the runtime is absent, or records nothing */
  GPUMEMPROF_ERROR_ARGUMENT = -2, /* a sentence on standard error says which */
  GPUMEMPROF_ERROR_DEVICE = -3,   /* there is no such device: a sentence says which there are */
  GPUMEMPROF_ERROR_FULL = -4,     /* no room: a sentence says of what */
  GPUMEMPROF_ERROR_SYSTEM = -5    /* the system or a driver failed: errno says why */
};

/* ---- labels ------------------------------------------------------------------------------------
 *
 * A label is a name for a stretch of time of one thread: what the thread allocates until the label
 * is popped is also counted under it (`gpumemprof report --by label`). Unlike a scope, a label may
 * begin in one function and end in another. Labels nest, as in "epoch/forward". */

/* Pushes a label on the calling thread. The text is copied; with the labels around it, it has up to
 * 1000 bytes. Returns how many labels the thread has pushed and not popped, or 0 when nothing is
 * recorded. If there are more than 64, the outermost 64 are named. The call costs about 0.1 us, and
 * 1 ns for each open scope that has live memory. Method: torch.profiler's record_function, NVTX's
 * ranges.
 *
 * Each different text is kept to the end of the program: 128 bytes, and some 500 for each call path
 * that allocates under it. The first 65536 texts have rows of their own (only the first 1024, once
 * streams and labels have split call paths 131072 times). What is allocated under later ones is one
 * row, "(other labels)". So "iteration %d" is harmless, but "iteration" is more useful.
 *
 * The program's own NVTX ranges (nvtxRangePush and _Pop, also in domains and by nvtx3.hpp) are
 * labels without any of this, unless nvtx=off is set or another tool (Nsight Systems) listens to
 * them. Labels and the ranges of each domain have separate stacks, so a pop ends only what was
 * pushed the same way. */
GPUMEMPROF_CALL_(int, label_push, (const char *text), (text), 0)
/* Pops the latest label of the calling thread. Returns how many labels are left, or -1 if there was
 * none or nothing is recorded. */
GPUMEMPROF_CALL_(int, label_pop, (void), (), -1)

/* GPUMEMPROF_LABEL(text): a label for the rest of the enclosing block. It is popped on every way
 * out of the block. */
#if defined(__GNUC__)
GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ void gpumemprof_label_leave_(const int *pushed) {
  if (*pushed > 0) gpumemprof_label_pop();
}
#define GPUMEMPROF_LABEL_(text, id)                                                                \
  const int GPUMEMPROF_CAT_(gpumemprof_label_, id)                                                 \
      __attribute__((cleanup(gpumemprof_label_leave_), unused)) = gpumemprof_label_push(text)
#define GPUMEMPROF_LABEL(text)                                                                     \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_LABEL_(text, __COUNTER__) GPUMEMPROF_COUNTER_END_
#else
#define GPUMEMPROF_LABEL(text) ((void)0)
#endif

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
 * call of this file. What they do is recorded like everything else, but calls no hooks on that
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

/* ---- steps --------------------------------------------------------------------------------------
 * A step is a part of the program that comes again and again: an iteration of training, or a
 * request. The option schedule=skip_first:10,wait:1,warmup:1,active:3,repeat:2 makes captures of
 * some steps: after the first 10 steps, of each 5 steps the last 3 (the active ones), 2 times.
 * Figures begin again with the first active step (gpumemprof_reset), and after the last one a copy
 * of the capture is written: NAME.cycle-N.gmprof beside NAME.gmprof. Everything is recorded in all
 * phases, so what is live is always known; warmup differs from wait only by its name. Keys that are
 * left out are 0, and repeat:0 continues to the end. The capture itself ends as always, with
 * figures since the latest reset. */

/* Ends a step and begins the next one; the first step began with the program. Returns how many
 * steps have ended, or 0 when nothing is recorded. It costs 0.1 us. At the end of a cycle it also
 * costs as much as a dump, and at the beginning of one as much as a reset.
 *
 * With the option step=FUNCTION, each call of that function, named as in reports, begins a step:
 * when memory first moves in it, or at once if it is marked GPUMEMPROF_PROFILE. A call in which no
 * memory moves is then not a step. Method: torch.profiler's schedule and step(). */
GPUMEMPROF_CALL_(uint64_t, step, (void), (), 0)

struct gpumemprof_cycle {
  uint32_t size;    /* of this structure */
  uint32_t number;  /* 1, 2, ... */
  const char *path; /* of its file; null if that could not be written, after a sentence */
};
/* Calls `callback` when a cycle has ended and its file is written. It replaces a callback that was
 * set before, which may still be running on other threads. Null means no callback. The callback
 * runs on the thread that made the step, with the rights and duties of hooks; with step=FUNCTION it
 * runs after the first event of the new step. It is also called in children that are forked later.
 * Returns 0, or GPUMEMPROF_ERROR_OFF. With step=FUNCTION this ends the faster path as the first
 * hook does. */
GPUMEMPROF_CALL_(int, on_cycle,
                 (void (*callback)(const struct gpumemprof_cycle *cycle, void *data), void *data),
                 (callback, data), GPUMEMPROF_ERROR_OFF)

struct gpumemprof_growth {
  uint32_t size; /* of this structure */
  uint32_t reserved;
  uint64_t step;   /* number of the step that ended, from 1 */
  uint64_t before; /* live bytes of all GPUs at the end of the step before it */
  uint64_t live;   /* live bytes of all GPUs now */
  uint64_t from; /* marks of both moments: gpumemprof_leaks(from, to, ...) is what the step left */
  uint64_t to;
};
/* Calls `callback` at the end of each step that left more than `bytes` more bytes live than there
 * were at the end of the step before it. The first step that can be reported is therefore the
 * second. The callback replaces one that was set before, and null means no callback. It runs on the
 * thread that made the step, as with gpumemprof_on_cycle, and also in children that are forked
 * later. Returns 0, or GPUMEMPROF_ERROR_OFF. GPUMEMPROF_OPTIONS=growth=10MiB uses a callback that
 * prints a line on standard error with the line that allocated the largest block that the step
 * left. */
GPUMEMPROF_CALL_(int, on_growth,
                 (uint64_t bytes,
                  void (*callback)(const struct gpumemprof_growth *growth, void *data), void *data),
                 (bytes, callback, data), GPUMEMPROF_ERROR_OFF)

/* ---- marks --------------------------------------------------------------------------------------
 */
/* Returns this moment as a mark: how many allocations and frees were recorded so far. It returns 0
 * also when nothing is recorded. The name is any text, which is copied, or null. The capture has
 * the first million marks (`gpumemprof info`, `events`). The call costs about 100 ns. Marks of a
 * parent process and its child cannot be compared. */
GPUMEMPROF_CALL_(uint64_t, mark, (const char *name), (name), 0)

#define GPUMEMPROF_NOW UINT64_MAX /* in place of a mark */
struct gpumemprof_block {         /* a live block */
  uint32_t size;                  /* of this structure */
  uint32_t kind;                  /* enum gpumemprof_kind */
  int32_t device;                 /* CUDA ordinal, or GPUMEMPROF_HOST or similar */
  uint32_t line;                  /* of the allocation, 0 if unknown */
  uint64_t address;               /* 0: it has none */
  uint64_t bytes;
  uint64_t block;       /* its number, as in struct gpumemprof_event */
  const char *file;     /* "" if unknown */
  const char *function; /* the same */
};
struct gpumemprof_remaining {
  uint64_t blocks, bytes;
};
GPUMEMPROF_HEADER_ struct gpumemprof_remaining gpumemprof_nothing_remains_(void) {
  struct gpumemprof_remaining nothing;
  nothing.blocks = nothing.bytes = 0;
  return nothing;
}

/* Finds what was allocated after mark `from`, up to mark `to`, and is still live. Returns how many
 * blocks and bytes that is, and calls `visit` (unless it is null) for each block, in no particular
 * order. `visit` is called by this thread, outside of the profiler's locks; it may do anything
 * except leave by longjmp or an exception. All devices and kinds of memory are included, but no
 * variables and no pieces of the program's own allocators. The result is exact except for blocks
 * that other threads allocate or free meanwhile, each of which may be included or not. When nothing
 * is recorded, it is zero blocks and bytes.
 *
 *   uint64_t before = gpumemprof_mark("step"), after;
 *   step();
 *   after = gpumemprof_mark("step done");
 *   ...
 *   gpumemprof_leaks(before, after, print, NULL);    what the step allocated and nobody freed since
 *
 * What each step leaves behind is gpumemprof_leaks(mark before it, mark after it, NULL,
 * NULL).bytes. At the end of the step this is its growth; later it is what is left of that. The
 * call costs 15 to 50 ns for each live block, 60 to 240 ns for each that is shown, and a search of
 * the tables that they are in (128 KiB for 2 MiB of addresses with blocks). Method: the numbered
 * requests and checkpoints of Microsoft's debug heap (_CrtMemDumpAllObjectsSince). */
GPUMEMPROF_CALL_(struct gpumemprof_remaining, leaks,
                 (uint64_t from, uint64_t to,
                  void (*visit)(const struct gpumemprof_block *block, void *data), void *data),
                 (from, to, visit, data), gpumemprof_nothing_remains_())

/* ---- pauses -------------------------------------------------------------------------------------
 */
/* While recording is paused, what any thread allocates and frees belongs to one line named
 * (paused), outside of every scope. Totals, peaks of devices, live blocks and sums remain exact. No
 * call path is kept, no own peak of a scope includes it, and no figure of a measured scope does
 * (measure.h). A block that was allocated before the pause can be freed during it, and a block that
 * was allocated during it belongs to that line. Scopes continue, and profiled ones count their
 * calls.
 *
 * Pauses are counted: recording continues after as many resumes. GPUMEMPROF_OPTIONS=paused=1 begins
 * with one pause. An event that is under way when a pause begins or ends may be on either side.
 * Both functions return 0, or GPUMEMPROF_ERROR_OFF; resume returns _ARGUMENT, after a sentence on
 * standard error, if recording is not paused. A pause ends the faster path as the first hook does,
 * for good: it is meant for what does not deserve a line, and makes nothing faster. Children that
 * are forked inherit the pauses. */
/* Begin and end a pause. */
GPUMEMPROF_CALL_(int, pause, (void), (), GPUMEMPROF_ERROR_OFF)
GPUMEMPROF_CALL_(int, resume, (void), (), GPUMEMPROF_ERROR_OFF)

/* ---- history ------------------------------------------------------------------------------------
 */
/* Changes how the events are recorded from now on: every event one by one ("all"), only the latest
 * ("ring", as many as the option ring= says), or none ("off"). GPUMEMPROF_OPTIONS=history= sets the
 * initial mode, and a child that is forked later begins with the mode that is set then. `gpumemprof
 * events` shows the events, and says that they are of a part of the run. Figures need no history
 * and are always of the whole run. Events that are under way during the change may be recorded or
 * not.
 *
 * Returns 0, or GPUMEMPROF_ERROR_OFF, or _ARGUMENT if there is no such mode (a sentence says which
 * there are). The call ends the faster path as the first hook does. While events are recorded, each
 * costs some 20 ns and 4 to 6 bytes. */
GPUMEMPROF_CALL_(int, history, (const char *mode), (mode), GPUMEMPROF_ERROR_OFF)

/* Sets what the call paths of events contain, from now on, of code that was not rebuilt: the module
 * that called CUDA ("scopes"), or every module on the machine stack up to the innermost rebuilt
 * code, each with its latest 8 calls ("native"). GPUMEMPROF_OPTIONS=stacks= sets the initial mode.
 * Such code is recorded with cupti=on, and where PyTorch asks for memory. The results are those of
 * gpumemprof_history. With "native", each event of such code costs some 10 us, and each stack has a
 * call path. */
GPUMEMPROF_CALL_(int, stacks, (const char *mode), (mode), GPUMEMPROF_ERROR_OFF)

/* ---- at times ----------------------------------------------------------------------------------
 */

/* Takes a sample of what each device has in use every `interval_ns` nanoseconds, as the option
 * monitor= does, from the moment that a device is first seen. A monitor that runs already continues
 * with the new interval. Returns 0, or GPUMEMPROF_ERROR_OFF, or _ARGUMENT if the interval is less
 * than a millisecond (with a sentence), or _SYSTEM. With _SYSTEM, errno is EAGAIN if no thread can
 * be started, or EBUSY if the driver still holds the thread that was stopped. It costs a thread of
 * the runtime's own, and a few microseconds of it for each sample and device. A forked child takes
 * samples from its first device on. */
GPUMEMPROF_CALL_(int, monitor_start, (uint64_t interval_ns), (interval_ns), GPUMEMPROF_ERROR_OFF)
/* Stops the monitor. When the call returns, the latest sample was taken, or the driver did not
 * answer for a second. */
GPUMEMPROF_CALL_VOID_(monitor_stop, (void), ())

/* Writes a copy of the capture as it is now to `path`. The copy is a separate file, which every
 * command of the tool can read while the program continues. If `path` is null, the file is
 * NAME.dumpN.gmprof beside the capture NAME.gmprof, with N from 1. An existing file is replaced if
 * it is empty, or is a capture that no program is writing.
 *
 * Returns 0, or GPUMEMPROF_ERROR_OFF, or _SYSTEM. With _SYSTEM, a sentence is on standard error and
 * no file is left. errno is then ENOSPC or similar; EISDIR, ELOOP (a link) or ENXIO (a device) for
 * what is not a regular file; EEXIST for a file that is not a capture; or EBUSY for the capture of
 * a running program.
 *
 * The figures are of one moment except for what other threads do meanwhile, as in the capture of a
 * running program. The call takes as long as writing the file. Other threads do not wait for it,
 * and signals to this thread are held back meanwhile. */
GPUMEMPROF_CALL_(int, dump, (const char *path), (path), GPUMEMPROF_ERROR_OFF)

/* ---- PyTorch -----------------------------------------------------------------------------------
 *
 * The functions that torch.cuda.memory.CUDAPluggableAllocator takes, by name from libgpumemprof.so:
 *
 *   allocator = torch.cuda.memory.CUDAPluggableAllocator("libgpumemprof.so",
 *                                     "gpumemprof_torch_malloc", "gpumemprof_torch_free")
 *   torch.cuda.memory.change_current_allocator(allocator)
 *
 * The memory comes from the device's pool in the order of the stream (cuMemAllocAsync, or
 * cuMemAlloc if a device has no pools), whether or not it is recorded. It is charged to the
 * innermost scope that the thread opened by measure.h, or else to "via torch". The sizes are those
 * that torch asks for, which it does not round here. The pool keeps what is freed.
 * gpumemprof_torch_record_stream is what tensor.record_stream needs, so that a free waits for other
 * streams: pass its address to set_record_stream_fn of the allocator. Memory of a CUDA graph
 * becomes nodes of the graph. examples/torch_scopes.py is a complete example.
 *
 * gpumemprof_torch_malloc takes the size in bytes, the CUDA ordinal of the device, whose primary
 * context is used, and a stream of that context. For a size of 0 it returns null. If it fails while
 * torch is in the process, it raises torch's own error (a RuntimeError in Python); otherwise it
 * returns null. Unless the device is out of memory, it also prints a sentence on standard error.
 * The caller owns the block, and frees it by gpumemprof_torch_free with the same device and stream;
 * freeing null does nothing. Any thread may call these functions, and they keep errno. Beyond the
 * driver's call, a recorded call costs a few hundred nanoseconds.
 */
GPUMEMPROF_SYMBOL_(void *, gpumemprof_torch_malloc, (ptrdiff_t size, int device, void *stream))
GPUMEMPROF_SYMBOL_(void, gpumemprof_torch_free,
                   (void *pointer, ptrdiff_t size, int device, void *stream))
GPUMEMPROF_SYMBOL_(void, gpumemprof_torch_record_stream, (void *pointer, void *stream))

#endif /* GPUMEMPROF_CONTROL_H */
