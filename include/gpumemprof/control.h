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

/* What calls that return an int return if they did nothing; all values are below 0. Only _SYSTEM
 * sets errno. */
enum gpumemprof_error {
  GPUMEMPROF_ERROR_OFF = -1,      /* the runtime is absent, or records nothing */
  GPUMEMPROF_ERROR_ARGUMENT = -2, /* a sentence on standard error says which */
  GPUMEMPROF_ERROR_DEVICE = -3,   /* there is no such device: a sentence says which there are */
  GPUMEMPROF_ERROR_FULL = -4,     /* no room: a sentence says of what */
  GPUMEMPROF_ERROR_SYSTEM = -5    /* the system or a driver failed: errno says why */
};

/* ---- labels ------------------------------------------------------------------------------------
 *
 * A label is a name for a stretch of time of one thread: what it allocates until the label is
 * popped is also counted under it (`gpumemprof report --by label`). Other than a scope it may begin
 * in one function and end in another. Labels nest: "epoch/forward". */

/* text: copied; up to 1000 bytes with those around it. Returns how many labels the thread has
 * pushed and not popped, 0 when nothing is recorded. Of more than 64 the outermost 64 are named.
 * Cost: about 0.1 us, and 1 ns for each open scope that holds memory. Method: torch.profiler's
 * record_function, NVTX's ranges.
 *
 * Each different text is kept to the end: 128 bytes, and some 500 for each call path that allocates
 * under it. The first 65536 have rows of their own (the first 1024, once streams and labels have
 * split call paths 131072 times); what later ones allocate is one row, "(other labels)". So
 * "iteration %d" is harmless, but "iteration" tells more.
 *
 * The program's own NVTX ranges (nvtxRangePush and _Pop, also in domains and by nvtx3.hpp) are
 * labels without any of this, unless nvtx=off, or another tool (Nsight Systems) listens to them.
 * Labels and the ranges of each domain have stacks of their own: a pop ends what it began. */
GPUMEMPROF_CALL_(int, label_push, (const char *text), (text), 0)
/* Pops the latest label. Returns how many labels are left; -1 if there was none, or nothing is
 * recorded. */
GPUMEMPROF_CALL_(int, label_pop, (void), (), -1)

/* GPUMEMPROF_LABEL(text): a label for the rest of the enclosing block, on every way out of it. */
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
 * Functions of the program that are called at each allocation and free.
 *
 *   allocation_requested   before a call that asks for memory, once its arguments say how much. If
 *                          that makes a node of a graph, `allocated` follows when it is launched
 *   allocated              after a call that allocates, when it was recorded, or when it failed
 *   free_requested         before a call that frees, when the free was recorded; where what it
 *                          frees is known only afterwards (contexts that end, launches of graphs,
 *                          unmapping) after it
 *   freed                  after it succeeded
 *   free_failed            after it failed: the block lives on
 *   acquired               CUDA's pools were seen to have taken more memory from the device. They
 *                          are read where they must have grown, and sometimes else: not at each
 *                          event. Memory that CUDA hands out directly is acquired when it is
 *                          allocated: `allocation_requested` comes before that
 *
 * One call may make several events (a context that ends frees all it has); each is reported, in
 * their order. They are called by the thread that makes the CUDA call, outside of its locks and the
 * profiler's: they may allocate, free and make any CUDA call and any of this file. What they do is
 * recorded as everything else, and calls no hooks on that thread. They must return: no longjmp, no
 * exception, no end of the thread. With cupti=on, memory of libraries that were not rebuilt is
 * reported inside the library's CUDA call, where CUDA must not be called. Method: the memory hooks
 * of CuPy.
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
  uint64_t requested; /* bytes the program asked for; of frees the same as acquired. Requested
                       * memory of other processes: 0, nobody knows yet */
  uint64_t acquired;  /* bytes the device gave; 0 of an allocation that is requested or failed */
  uint64_t address;   /* of the block; of a pool that grew its handle; 0: it has none (physical
                       * memory, variables) */
  uint64_t block;   /* number of the block, the clock of its allocation: no two have one. 0: none */
  uint64_t clock;   /* of the event: allocations and frees so far, this one included */
  const char *file; /* where the event was made: the rebuilt line, "" if there is none. Never null
                     * (acquired: of the allocation that was made there) */
  const char *function; /* "" if unknown */
  uint32_t line;        /* 0 if unknown */
  int32_t result;       /* of the CUDA call where that failed, else 0 */
};
struct gpumemprof_hooks { /* null: not called */
  uint32_t size;          /* of this structure */
  void (*allocated)(const struct gpumemprof_event *event, void *data);
  void (*free_requested)(const struct gpumemprof_event *event, void *data);
  void (*free_failed)(const struct gpumemprof_event *event, void *data);
  void (*acquired)(const struct gpumemprof_event *event, void *data);
  void (*allocation_requested)(const struct gpumemprof_event *event, void *data);
  void (*freed)(const struct gpumemprof_event *event, void *data);
};
/* From now on events call these, with `data`. The structure is copied. A handle > 0, or an error
 * < 0: GPUMEMPROF_ERROR_OFF, _ARGUMENT (the structure is none), _FULL (16 sets are registered).
 * Also in children that fork later. The first one ends the faster path of programs in which one
 * thread allocates (some 15 ns per event); a hook costs about 100 ns more than it takes. */
GPUMEMPROF_CALL_(int, hooks_add, (const struct gpumemprof_hooks *hooks, void *data), (hooks, data),
                 GPUMEMPROF_ERROR_OFF)
/* Removes the hooks. Waits until no other thread is in a hook of the set and none will be, so that
 * `data` can be freed. If it is called from a hook it does not wait: other threads may still be in
 * theirs, and only this thread can continue. If it is called from a hook of the set itself, that
 * call of the hook is the last one. Returns 0, or GPUMEMPROF_ERROR_ARGUMENT: no set has this handle
 * any more (no message); _OFF: the same, and nothing is recorded. */
GPUMEMPROF_CALL_(int, hooks_remove, (int handle), (handle), GPUMEMPROF_ERROR_OFF)

/* ---- thresholds ---------------------------------------------------------------------------------
 */
/* The CUDA ordinal of a device: its number ("1"), its UUID or the beginning of that ("GPU-3f2a"),
 * or "current". Below 0: recording is off, or there is none such, and a sentence says which there
 * are. May start CUDA's driver, but makes no context. Cost: microseconds. */
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
/* Calls `callback` when the live memory of the device rises above a limit: once, and again only
 * after it has fallen to 95 % of the limit or below. If it is above the limit already, the next
 * allocation that leaves it there is the crossing. The callback runs on the thread whose call made
 * the total rise, after that call, with the rights and duties of hooks; several threads may be in
 * it at once. Returns a handle > 0, or an error < 0: GPUMEMPROF_ERROR_ARGUMENT (no callback, no
 * limit, a bad percentage), _DEVICE, _FULL (16 thresholds are watched). The structure is copied,
 * and children that fork later watch it, too. The first threshold ends the faster path as the first
 * hook does; then it costs some 10 ns per event. GPUMEMPROF_OPTIONS=warn=20GiB:critical=95% watches
 * every device and prints a line on standard error for each crossing. Method: the watermarks of
 * memory managers, with hysteresis. */
GPUMEMPROF_CALL_(int, threshold_add, (const struct gpumemprof_threshold *threshold), (threshold),
                 GPUMEMPROF_ERROR_OFF)
/* Removes the threshold, as gpumemprof_hooks_remove removes hooks. */
GPUMEMPROF_CALL_(int, threshold_remove, (int handle), (handle), GPUMEMPROF_ERROR_OFF)

/* ---- steps --------------------------------------------------------------------------------------
 * A step is a stretch of the program that comes again and again: an iteration of training, a
 * request. With the option schedule=skip_first:10,wait:1,warmup:1,active:3,repeat:2 a capture is
 * made of some: after the first 10, of each 5 the last 3 (active), 2 times. Figures begin again
 * with the first active step (gpumemprof_reset), and after the last a copy is written,
 * NAME.cycle-N.gmprof beside NAME.gmprof. Everything is recorded in all phases, so what is live is
 * known; warmup differs from wait by its name only. Keys that are left out are 0; repeat:0 goes on
 * to the end. The capture itself ends as always, with figures since the latest reset. */

/* A step ends here, and the next begins; the first began with the program. Returns how many have
 * ended, 0 when nothing is recorded. Cost: 0.1 us; at the end of a cycle that of a dump, at the
 * begin of one that of a reset. With the option step=FUNCTION each call of that function, named as
 * reports do, begins a step: when memory first moves in it, or (GPUMEMPROF_PROFILE on it) at once.
 * A call in which no memory moves is no step. Method: torch.profiler's schedule and step(). */
GPUMEMPROF_CALL_(uint64_t, step, (void), (), 0)

struct gpumemprof_cycle {
  uint32_t size;    /* of this structure */
  uint32_t number;  /* 1, 2, ... */
  const char *path; /* of its file; null: it could not be written, a sentence said why */
};
/* Calls `callback` when a cycle has ended and its file is written, instead of one that was set
 * before; null: nobody any more (who is in it may still be). By the thread that made the step, with
 * the rights and duties of hooks; with step=FUNCTION after the first event of the new step. Also in
 * children that fork later. 0, or GPUMEMPROF_ERROR_OFF. With step=FUNCTION it ends the faster path
 * as the first hook does. */
GPUMEMPROF_CALL_(int, on_cycle,
                 (void (*callback)(const struct gpumemprof_cycle *cycle, void *data), void *data),
                 (callback, data), GPUMEMPROF_ERROR_OFF)

struct gpumemprof_growth {
  uint32_t size; /* of this structure */
  uint32_t reserved;
  uint64_t step;   /* that ended, from 1 */
  uint64_t before; /* device memory of all GPUs that was live at the end of the step before it */
  uint64_t live;   /* and now */
  uint64_t from;   /* marks at both, for gpumemprof_leaks: what the step left */
  uint64_t to;
};
/* Calls `callback` at the end of each step that left more than `bytes` more live than there was at
 * the end of the step before it, instead of one that was set before; null: nobody any more. The
 * first step that can be reported is the second. By the thread that made the step, as on_cycle.
 * GPUMEMPROF_OPTIONS=growth=10MiB does it with a callback that prints a line on standard error,
 * which names where the largest block was allocated that the step left. 0, or GPUMEMPROF_ERROR_OFF.
 * Also in children that fork later. */
GPUMEMPROF_CALL_(int, on_growth,
                 (uint64_t bytes,
                  void (*callback)(const struct gpumemprof_growth *growth, void *data), void *data),
                 (bytes, callback, data), GPUMEMPROF_ERROR_OFF)

/* ---- marks --------------------------------------------------------------------------------------
 */
/* This moment: how many allocations and frees were recorded so far (0 also where none are). name:
 * any text, copied, or null; it is in the capture (`gpumemprof info`, `events`; the first
 * million). Cost: about 100 ns. Not to be compared across fork. */
GPUMEMPROF_CALL_(uint64_t, mark, (const char *name), (name), 0)

#define GPUMEMPROF_NOW UINT64_MAX /* in place of a mark */
struct gpumemprof_block {         /* that is live */
  uint32_t size;                  /* of this structure */
  uint32_t kind;                  /* enum gpumemprof_kind */
  int32_t device;                 /* CUDA ordinal, or GPUMEMPROF_HOST or similar */
  uint32_t line;                  /* that allocated it, 0 if unknown */
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

/* What was allocated after mark `from`, up to mark `to`, and is still live: how much, and `visit`
 * (unless null) is called for each block, in no order, by this thread when no lock is held; it may
 * do what it likes but leave by a longjmp or exception. All devices and kinds of memory, but no
 * variables and no pieces of the program's own allocators. Exact but for what other threads
 * allocate and free meanwhile: such a block is there or not.
 *
 *   uint64_t before = gpumemprof_mark("step"), after;
 *   step();
 *   after = gpumemprof_mark("step done");
 *   ...
 *   gpumemprof_leaks(before, after, print, NULL);    of the step, not freed since
 *
 * What each step leaves behind is gpumemprof_leaks(mark before it, mark after it, NULL,
 * NULL).bytes, asked at its end (growth) or any time later (what is left of it by now). Cost: 15
 * to 50 ns for each live block, 60 to 240 for each that is shown, and a search of the tables they
 * are in (128 KiB for 2 MiB of addresses with blocks). Method: the numbered requests and
 * checkpoints of Microsoft's debug heap (_CrtMemDumpAllObjectsSince). */
GPUMEMPROF_CALL_(struct gpumemprof_remaining, leaks,
                 (uint64_t from, uint64_t to,
                  void (*visit)(const struct gpumemprof_block *block, void *data), void *data),
                 (from, to, visit, data), gpumemprof_nothing_remains_())

/* ---- pauses -------------------------------------------------------------------------------------
 */
/* While recording is paused, what is allocated and freed, by any thread, belongs to one line named
 * (paused), outside of every scope: totals, peaks of devices, live blocks and sums stay exact, and
 * no path is kept and no own peak of a scope counts it, nor what a measured one moved (measure.h).
 * A block that was allocated before is freed there, one that was allocated there belongs there.
 * Scopes go on, and those that are profiled count. Pauses are counted: as many resumes end them.
 * GPUMEMPROF_OPTIONS=paused=1 begins with one. Events under way meanwhile are of either side. 0, or
 * GPUMEMPROF_ERROR_OFF; _ARGUMENT: it is not paused. Pausing ends the faster path as the first hook
 * does, for good: a pause is for what is not worth a line, and makes nothing faster. Goes over to
 * children that fork. */
/* Begin and end a pause. */
GPUMEMPROF_CALL_(int, pause, (void), (), GPUMEMPROF_ERROR_OFF)
GPUMEMPROF_CALL_(int, resume, (void), (), GPUMEMPROF_ERROR_OFF)

/* ---- history ------------------------------------------------------------------------------------
 */
/* From now on every event is recorded one by one ("all"), or so that the latest are kept ("ring",
 * as many as the option ring= says), or not ("off"); GPUMEMPROF_OPTIONS=history= is what it begins
 * with, and a child that forks later begins with what is set then. `gpumemprof events` shows them,
 * and says that they are of a part of the run; figures need no history, and are of all of it.
 * Events under way meanwhile may be in it or not. 0, or GPUMEMPROF_ERROR_OFF, or _ARGUMENT: there
 * is no such mode (a sentence). Ends the faster path as the first hook does; then some 20 ns and 4
 * to 6 bytes an event while it is on. */
GPUMEMPROF_CALL_(int, history, (const char *mode), (mode), GPUMEMPROF_ERROR_OFF)

/* What a call path has of code that was not rebuilt, in events from now on: "scopes", the module
 * that called CUDA, or "native", every module on the machine stack up to the innermost code that
 * was rebuilt, each with its latest 8 calls. GPUMEMPROF_OPTIONS=stacks= is what it begins with.
 * Such code is seen with cupti=on, and where PyTorch asks for memory. Errors as of
 * gpumemprof_history. Cost of native: some 10 us for each event of such code, and a call path for
 * each stack. */
GPUMEMPROF_CALL_(int, stacks, (const char *mode), (mode), GPUMEMPROF_ERROR_OFF)

/* ---- at times ----------------------------------------------------------------------------------
 */

/* Takes a sample of what each device has in use every `interval_ns` nanoseconds, as the option
 * monitor= does, from the moment a device is first seen; a monitor that runs goes on with the new
 * interval. 0, or GPUMEMPROF_ERROR_OFF; _ARGUMENT: less than a millisecond (a sentence); _SYSTEM,
 * with errno EAGAIN when no thread can be started, EBUSY when the driver still holds the one that
 * was stopped. Cost: a thread of the runtime's own, and a few microseconds of it for each sample
 * and device. A forked child takes samples from its first device on. */
GPUMEMPROF_CALL_(int, monitor_start, (uint64_t interval_ns), (interval_ns), GPUMEMPROF_ERROR_OFF)
/* Stops the monitor. When it returns, the latest sample was taken, or the driver did not answer for
 * a second. */
GPUMEMPROF_CALL_VOID_(monitor_stop, (void), ())

/* Writes a copy of the capture as it is now to `path`: a file of its own, which every command of
 * the tool reads while the program goes on. path: null for NAME.dumpN.gmprof beside the capture
 * NAME.gmprof, N from 1; an existing file is replaced if it is a capture and not under way, or
 * empty. 0, or GPUMEMPROF_ERROR_OFF, or _SYSTEM, with a sentence on stderr and no file left; errno
 * is then ENOSPC or similar, EISDIR, ELOOP (a link) or ENXIO (a device) for what is no regular
 * file, EEXIST for one that is no capture, EBUSY for a running program's capture. Figures are of
 * one moment but for what other threads do meanwhile, as in the capture of a running program. Cost:
 * that of writing the file; other threads are not kept waiting, and signals of this one are held
 * meanwhile. */
GPUMEMPROF_CALL_(int, dump, (const char *path), (path), GPUMEMPROF_ERROR_OFF)

/* ---- PyTorch -----------------------------------------------------------------------------------
 *
 * The functions that torch.cuda.memory.CUDAPluggableAllocator takes, by name from libgpumemprof.so:
 *
 *   allocator = torch.cuda.memory.CUDAPluggableAllocator("libgpumemprof.so",
 *                                     "gpumemprof_torch_malloc", "gpumemprof_torch_free")
 *   torch.cuda.memory.change_current_allocator(allocator)
 *
 * Memory comes from the device's pool in the order of the stream (cuMemAllocAsync; cuMemAlloc where
 * a device has no pools), recorded or not, at the innermost scope that the thread opened by
 * measure.h, else as "via torch". Bytes are those torch asks for: it does not round them here. The
 * pool keeps what is freed. record_stream is what tensor.record_stream needs, so that a free waits
 * for other streams: give its address to set_record_stream_fn of the allocator. Memory of a CUDA
 * graph becomes nodes of it. examples/torch_scopes.py has it all.
 *
 * malloc: size in bytes, 0: null; device: its CUDA ordinal, whose primary context is used; stream:
 * of that context. On failure raises torch's own error (RuntimeError in Python) where torch is in
 * the process, else returns null; one sentence, but for out of memory. The block is the caller's,
 * to be freed by free with the same device and stream; of null nothing is done. Any thread; errno
 * is kept. Cost: beyond the driver's call, a few hundred nanoseconds when recorded.
 */
GPUMEMPROF_SYMBOL_(void *, gpumemprof_torch_malloc, (ptrdiff_t size, int device, void *stream))
GPUMEMPROF_SYMBOL_(void, gpumemprof_torch_free,
                   (void *pointer, ptrdiff_t size, int device, void *stream))
GPUMEMPROF_SYMBOL_(void, gpumemprof_torch_record_stream, (void *pointer, void *stream))

#endif /* GPUMEMPROF_CONTROL_H */
