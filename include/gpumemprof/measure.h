/* measure.h - what a program may ask the profiler. Included by gpumemprof.h.
 *
 *   gpumemprof_snapshot(&now, GPUMEMPROF_CURRENT_DEVICE, 0);   what is live, at this moment
 *   uint64_t step = gpumemprof_scope_begin("step");            what a stretch of code needs ...
 *   gpumemprof_scope_end(step, &result);                       ... and what it leaves
 *   n = gpumemprof_summary(GPUMEMPROF_BY_LINE, rows, 20);      whose memory it is
 *
 * Bytes are acquired bytes (what the device gave) unless called requested; times are nanoseconds;
 * docs/ACCOUNTING.md defines the figures. Every call is safe when the runtime is absent or off: it
 * returns 0 and what it fills is all zeros. Any thread; none is async-signal-safe. Texts that are
 * handed out are the program's own or the profiler's: never to be freed, gone after a fork or when
 * the object that holds them is unloaded.
 *
 * Method: PyTorch's memory_stats and max_memory_allocated, GPUMemoryProfiler's MemorySnapshot and
 * ProfileResult; other than theirs, the figures of a scope do not change when another is measured
 * inside it.
 */
#ifndef GPUMEMPROF_MEASURE_H
#define GPUMEMPROF_MEASURE_H

#include "gpumemprof/calls.h"
#include "gpumemprof/kinds.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct gpumemprof_amount {
  uint64_t bytes;
  uint64_t blocks;
};

/* ---- what is live now ---------------------------------------------------------------------------
 */

#define GPUMEMPROF_CURRENT_DEVICE (-1001)
#define GPUMEMPROF_NO_DEVICE (-1000)

/* What a snapshot asks for beyond the profiler's own figures. */
#define GPUMEMPROF_ASK_DEVICE 1u  /* device_free, device_total, and the pools as they are now */
#define GPUMEMPROF_ASK_PROCESS 2u /* resident */

/* The memory of one device and of the process at one moment. */
struct gpumemprof_snapshot {
  int32_t device;         /* CUDA ordinal, or GPUMEMPROF_NO_DEVICE: none is known yet */
  uint32_t reserved;      /* 0 */
  uint64_t time_ns;       /* CLOCK_MONOTONIC */
  uint64_t clock;         /* allocation clock: allocations and frees of the process so far */
  uint64_t acquired;      /* live on the device: all kinds that count there */
  uint64_t requested;     /* what the program asked for them */
  uint64_t blocks;        /* how many they are */
  uint64_t peak;          /* the most that was ever acquired */
  uint64_t pinned;        /* page-locked host memory, live, of the process */
  uint64_t managed;       /* the part of `acquired` that is unified memory */
  uint64_t pool_used;     /* handed out by the device's pools, and what they took from it: as */
  uint64_t pool_reserved; /* they said when looked at last, or now with ASK_DEVICE */
  uint64_t device_free;   /* ASK_DEVICE: as cudaMemGetInfo tells; both 0 when not asked or when */
  uint64_t device_total;  /* the device has no context yet */
  uint64_t resident;      /* ASK_PROCESS: bytes of the process in memory (RSS), else 0 */
  const char *scope;      /* innermost scope of the thread: function or block; null: none */
  const char *scope_file; /* where that is */
  uint64_t scope_line;    /* its line; 0: unknown */
  const char *label;      /* innermost gpumemprof_label_push of the thread; null: none */
  struct gpumemprof_amount live[GPUMEMPROF_KINDS]; /* enum gpumemprof_kind; pinned, imported and
                                                    * custom: of the process, the rest: of device */
};

GPUMEMPROF_CALL_(int, snapshot_take,
                 (struct gpumemprof_snapshot * snapshot, size_t size, int device, unsigned asked),
                 (snapshot, size, device, asked), 0)

/* Fills the snapshot of a device, given by its CUDA ordinal, or GPUMEMPROF_CURRENT_DEVICE: the one
 * whose context is current, else the first that was seen. asked: GPUMEMPROF_ASK_*, or 0. Returns 1,
 * or 0 when nothing is recorded.
 *
 * Cost: about 0.2 us; ASK_DEVICE 6 us more, ASK_PROCESS 3 us. No context is ever created. The first
 * one by a second thread ends the faster path of programs in which one thread allocates (some 15 ns
 * per allocation). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* C++: a function called as the struct */
#endif
GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ int
gpumemprof_snapshot(struct gpumemprof_snapshot *snapshot, int device, unsigned asked) {
  memset(snapshot, 0, sizeof *snapshot);
  return gpumemprof_snapshot_take(snapshot, sizeof *snapshot, device, asked);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* ---- what a scope needs ------------------------------------------------------------------------
 */

enum gpumemprof_left {
  GPUMEMPROF_LEFT_BY_END = 1,   /* gpumemprof_scope_end */
  GPUMEMPROF_LEFT_BY_RETURN,    /* its function returned, or a scope around it ended */
  GPUMEMPROF_LEFT_BY_EXCEPTION, /* a C++ exception, also where a destructor ended it */
  GPUMEMPROF_LEFT_BY_LONGJMP,
  GPUMEMPROF_LEFT_BY_THREAD /* its thread ended */
};

/* What happened between begin and end, on its thread and in work it handed over
 * (gpumemprof_context_capture) while both lasted. */
struct gpumemprof_result {
  uint32_t left;     /* enum gpumemprof_left */
  uint32_t reserved; /* 0 */
  uint64_t wall_ns;
  uint64_t allocated; /* device memory, of all devices: gross */
  uint64_t freed;
  int64_t net;          /* allocated - freed */
  uint64_t own_peak;    /* the highest net at any moment, at least 0: what it needs on top */
  uint64_t device_peak; /* of `before.device`: the highest total, by any thread */
  uint64_t device_peak_above_entry;                   /* less the total at begin */
  struct gpumemprof_amount created[GPUMEMPROF_KINDS]; /* by enum gpumemprof_kind; all kinds */
  struct gpumemprof_amount ended[GPUMEMPROF_KINDS];   /* freed, allocated by any scope */
  struct gpumemprof_snapshot before;
  struct gpumemprof_snapshot peak;  /* when the device's total was highest: without scope, label, */
  struct gpumemprof_snapshot after; /* pools and what is asked for */
};

GPUMEMPROF_CALL_(uint64_t, scope_open,
                 (const char *name, const char *file, const char *function, uint32_t line,
                  int device, unsigned asked),
                 (name, file, function, line, device, asked), 0)
GPUMEMPROF_CALL_(int, scope_close, (uint64_t scope, struct gpumemprof_result *result, size_t size),
                 (scope, result, size), 0)

/* gpumemprof_scope_begin(name): begins a scope of the calling function that ends with
 * gpumemprof_scope_end, and returns what that takes; 0 when nothing is recorded. In reports it is
 * a block as GPUMEMPROF_SCOPE makes one. name: any text, copied. _on: `before`, `peak` and `after`
 * of that device, and asked: GPUMEMPROF_ASK_*.
 *
 * Scopes nest: ending one ends those begun inside it. One that its function left without ending
 * (return, exception, longjmp, end of the thread) has ended there, and its result waits for
 * gpumemprof_scope_end, by any thread; 16384 results wait, then the oldest is forgotten. Cost:
 * about 1 us for a begin and its end; while it is open an allocation of its thread costs some 15 ns
 * more.
 *
 * Each different name is kept to the end, with call paths of its own: some 2.5 KB and 5 us. The
 * first 16384 have rows of their own (the first 1024, once there are 262144 call paths); later ones
 * are the row "(other scopes)" of their line. Their results are as exact. */
#define gpumemprof_scope_begin(name)                                                               \
  gpumemprof_scope_open((name), __FILE__, __func__, __LINE__, GPUMEMPROF_CURRENT_DEVICE, 0u)
#define gpumemprof_scope_begin_on(name, device, asked)                                             \
  gpumemprof_scope_open((name), __FILE__, __func__, __LINE__, (device), (asked))

/* Ends it, if it still lasts, and fills the result, which may be null. Returns 1; 0 and a result of
 * zeros for what is no scope: 0, one whose result was had, another thread's that still lasts, or
 * one begun before a fork. Where called in a function that was called since begin, the result is of
 * that moment and the block stays in the call path until its function ends. */
GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ int
gpumemprof_scope_end(uint64_t scope, struct gpumemprof_result *result) {
  if (result) memset(result, 0, sizeof *result);
  return scope ? gpumemprof_scope_close(scope, result, sizeof *result) : 0;
}

/* ---- a new beginning ---------------------------------------------------------------------------
 */

GPUMEMPROF_CALL_(int, reset, (void), (), 0)
/* gpumemprof_reset(): figures begin here, those of summaries, snapshots and the capture. Returns 1,
 * or 0 when nothing is recorded. What is live stays known and counts as allocated now, by the lines
 * that did allocate it; peaks begin at what stands now; what was freed, calls, failures and
 * what is counted as lost at 0; smallest and largest sizes are of blocks allocated from now on.
 * What is open goes on: a scope that began before counts from its own begin, and so do measured
 * scopes. Pools keep their high marks. With history=, events before it are still listed, but
 * figures cannot be replayed.
 *
 * Each device begins again in one moment; what other threads do meanwhile on another one may be
 * before or after it. Cost: O(call paths), some 0.1 us each, while others wait. Method:
 * torch.cuda.reset_peak_memory_stats and reset_accumulated_memory_stats in one. */

/* ---- rows of figures ---------------------------------------------------------------------------
 */

enum gpumemprof_summary_by {
  GPUMEMPROF_BY_DEVICE = 1,
  GPUMEMPROF_BY_FUNCTION, /* and by block: GPUMEMPROF_SCOPE, gpumemprof_scope_begin */
  GPUMEMPROF_BY_LINE,
  GPUMEMPROF_BY_LABEL /* gpumemprof_label_push */
};

/* One row of `gpumemprof report`, as it would be if the program ended now. Figures in device bytes
 * and host bytes alike, all kinds of memory but pieces of the program's own allocators.
 * `inclusive`: it and all it calls, each event once however it recurses; by device and label as
 * without. */
struct gpumemprof_summary_row {
  const char *name;  /* device, function (of the line) or label; null: unknown, or none */
  const char *block; /* of a block: its own name, and `name` is the function; else null */
  const char *file;  /* of functions and lines; null: unknown */
  uint64_t line;     /* of a function: where it begins; 0: unknown */
  int32_t device;    /* by device: CUDA ordinal, -1 pinned host memory, -2 imported; else 0 */
  uint32_t reserved; /* 0 */
  struct gpumemprof_amount allocated;  /* by calls made right there: gross */
  struct gpumemprof_amount freed;      /* of these, wherever that was */
  struct gpumemprof_amount live;       /* allocated - freed */
  struct gpumemprof_amount freed_here; /* by calls made right there, wherever it was allocated */
  struct gpumemprof_amount inclusive_allocated;
  struct gpumemprof_amount inclusive_live;
  struct gpumemprof_amount inclusive_freed_here;
  uint64_t requested;         /* of `allocated`, what the program asked for */
  uint64_t at_peak;           /* of `allocated`, live when its device was at its peak */
  uint64_t inclusive_at_peak; /* (`at peak` in reports) */
  uint64_t live_peak;         /* devices and lines: the most that was live; else 0 */
  uint64_t temporary_blocks;  /* freed by the next event of their thread */
  uint64_t calls;             /* as in reports */
  uint64_t own_peak_max;      /* functions and lines: what one call needs on top, at most; */
  uint64_t own_peak_sum;      /* the sum over calls, */
  uint64_t own_peak_count;    /* and how many those are: calls in which memory moved */
  uint64_t device_peak;       /* functions and lines: highest total of a device meanwhile */
  uint64_t wall_ns;           /* functions: in profiled calls */
  uint64_t failed_calls;      /* functions and lines: allocations that failed right there, */
  uint64_t failed_bytes;      /* what they asked for, */
  uint64_t oom_calls;         /* and how many were out of memory */
};

GPUMEMPROF_CALL_(size_t, summary_fill,
                 (int by, struct gpumemprof_summary_row *rows, size_t room, size_t size),
                 (by, rows, room, size), 0)

/* Fills at most `room` rows, those with the most live bytes first, and returns how many there are;
 * rows may be null for a room of 0. 0 when nothing is recorded. Texts are the profiler's: valid
 * until a fork or the end of the process. Scopes that are open on the calling thread count as if
 * they ended now; those of other threads when they have ended. The figures of one device are of one
 * moment. Code that was not rebuilt (cupti=on) is named by its module.
 *
 * Cost: O(call paths x their depth), some 0.2 us for each path, and 300 bytes of memory while it
 * runs; other threads wait only while figures are copied. The first one by a second thread ends the
 * faster path of programs in which one thread allocates. Method: tracemalloc's
 * Snapshot.statistics, fil's and memray's tables of allocation records. */
GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ size_t gpumemprof_summary(
    enum gpumemprof_summary_by by, struct gpumemprof_summary_row *rows, size_t room) {
  return gpumemprof_summary_fill((int)by, rows, room, sizeof(struct gpumemprof_summary_row));
}

#endif /* GPUMEMPROF_MEASURE_H */
