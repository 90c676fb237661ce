/* measure.h - what a program can ask the profiler. gpumemprof.h includes it.
 *
 *   gpumemprof_snapshot(&now, GPUMEMPROF_CURRENT_DEVICE, 0);   what is live at this moment
 *   uint64_t step = gpumemprof_scope_begin("step");            what a stretch of code needs ...
 *   gpumemprof_scope_end(step, &result);                       ... and what it leaves
 *   n = gpumemprof_summary(GPUMEMPROF_BY_LINE, rows, 20);      which lines the memory belongs to
 *
 * Bytes are acquired bytes (what the device gave) unless they are called requested. Times are in
 * nanoseconds. docs/ACCOUNTING.md defines the figures.
 *
 * Every call is safe when the runtime is absent or off: it returns 0, and a snapshot or result that
 * it was to fill is all zeros. Any thread may make the calls, but none is async-signal-safe. The
 * texts that they hand out belong to the program or the profiler. The program must not free them,
 * and must not use them after a fork or after the object that holds them is unloaded.
 *
 * Method: PyTorch's memory_stats and max_memory_allocated, GPUMemoryProfiler's MemorySnapshot and
 * ProfileResult. Unlike theirs, the figures of a scope do not change when another scope is measured
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
  int32_t device;         /* CUDA ordinal, or GPUMEMPROF_NO_DEVICE while none is known */
  uint32_t reserved;      /* 0 */
  uint64_t time_ns;       /* CLOCK_MONOTONIC */
  uint64_t clock;         /* allocation clock: allocations and frees of the process so far */
  uint64_t acquired;      /* live on the device: all kinds that count there */
  uint64_t requested;     /* what the program asked for them */
  uint64_t blocks;        /* how many they are */
  uint64_t peak;          /* the most that was ever acquired */
  uint64_t pinned;        /* page-locked host memory, live, of the process */
  uint64_t managed;       /* the part of `acquired` that is unified memory */
  uint64_t pool_used;     /* bytes that the device's pools handed out, as of their latest reading */
  uint64_t pool_reserved; /* bytes that they took from the device; ASK_DEVICE reads both now */
  uint64_t device_free;   /* ASK_DEVICE: as cudaMemGetInfo reports it; else 0 */
  uint64_t device_total;  /* the same; both are 0 while the device has no context */
  uint64_t resident;      /* ASK_PROCESS: bytes of the process in memory (RSS), else 0 */
  const char *scope;      /* innermost scope of the thread, a function or block, or null */
  const char *scope_file; /* the file of that scope, or null */
  uint64_t scope_line;    /* its line; 0: unknown */
  const char *label;      /* innermost gpumemprof_label_push of the thread, or null */
  struct gpumemprof_amount live[GPUMEMPROF_KINDS]; /* by enum gpumemprof_kind; pinned, imported
                                                    * and custom are of the process */
};

GPUMEMPROF_CALL_(int, snapshot_take,
                 (struct gpumemprof_snapshot * snapshot, size_t size, int device, unsigned asked),
                 (snapshot, size, device, asked), 0)

/* Fills the snapshot of a device and returns 1. If nothing is recorded, it fills the snapshot with
 * zeros and returns 0. The device is given by its CUDA ordinal. GPUMEMPROF_CURRENT_DEVICE is the
 * device whose context is current, or without one the first device that was seen. `asked` is a
 * combination of GPUMEMPROF_ASK_* flags, or 0.
 *
 * The call takes about 0.2 us. GPUMEMPROF_ASK_DEVICE adds 6 us and GPUMEMPROF_ASK_PROCESS 3 us. It
 * never creates a CUDA context. The first snapshot by a second thread ends the faster path of
 * programs in which one thread allocates (some 15 ns per allocation). */
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

/* What happened between begin and end, on the thread of the scope and in work that it handed over
 * (gpumemprof_context_capture) while both lasted. */
struct gpumemprof_result {
  uint32_t left;     /* enum gpumemprof_left */
  uint32_t reserved; /* 0 */
  uint64_t wall_ns;
  uint64_t allocated; /* device memory, of all devices: gross */
  uint64_t freed;
  int64_t net;          /* allocated - freed */
  uint64_t own_peak;    /* the highest net at any moment, at least 0 */
  uint64_t device_peak; /* highest total of `before.device`, whichever thread allocated */
  uint64_t device_peak_above_entry;                   /* device_peak minus the total at the begin */
  struct gpumemprof_amount created[GPUMEMPROF_KINDS]; /* by enum gpumemprof_kind; all kinds */
  struct gpumemprof_amount ended[GPUMEMPROF_KINDS];   /* freed, allocated by any scope */
  struct gpumemprof_snapshot before;
  struct gpumemprof_snapshot peak; /* when the device's total was highest; totals only */
  struct gpumemprof_snapshot after;
};

GPUMEMPROF_CALL_(uint64_t, scope_open,
                 (const char *name, const char *file, const char *function, uint32_t line,
                  int device, unsigned asked),
                 (name, file, function, line, device, asked), 0)
GPUMEMPROF_CALL_(int, scope_close, (uint64_t scope, struct gpumemprof_result *result, size_t size),
                 (scope, result, size), 0)

/* gpumemprof_scope_begin(name): begins a measured scope of the calling function. Returns the handle
 * that gpumemprof_scope_end takes, or 0 when nothing is recorded or there is no room for the scope.
 * In reports the scope is a block like those of GPUMEMPROF_SCOPE. The name is any text, which is
 * copied. With gpumemprof_scope_begin_on, the snapshots `before`, `peak` and `after` are of that
 * device, and `asked` is a combination of GPUMEMPROF_ASK_* flags.
 *
 * Scopes nest: ending one ends those that were begun inside it. A scope that its function left
 * without ending it (by return, exception, longjmp or the end of the thread) has ended there. Its
 * result waits for gpumemprof_scope_end, which any thread may call. At most 16384 results wait;
 * after that the oldest is forgotten. A begin with its end costs about 1 us. While the scope is
 * open, each allocation of its thread costs some 15 ns more.
 *
 * Each different name is kept to the end of the program, with call paths of its own, which costs
 * some 2.5 KB and 5 us. The first 16384 names have rows of their own (only the first 1024, once
 * there are 262144 call paths). Later ones share the row "(other scopes)" of their line, but their
 * results are just as exact. */
#define gpumemprof_scope_begin(name)                                                               \
  gpumemprof_scope_open((name), __FILE__, __func__, __LINE__, GPUMEMPROF_CURRENT_DEVICE, 0u)
#define gpumemprof_scope_begin_on(name, device, asked)                                             \
  gpumemprof_scope_open((name), __FILE__, __func__, __LINE__, (device), (asked))

/* Ends the scope if it is still open, fills the result, which may be null, and returns 1. It
 * returns 0, with a result of zeros, if the handle names no scope whose result this thread can
 * take: it is 0, its result was already taken or forgotten, the scope is still open on another
 * thread, or it began before a fork. If a function that was called since the begin makes this call,
 * the result is of that moment, and the block stays in the call path until the function that began
 * it ends. */
GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ int
gpumemprof_scope_end(uint64_t scope, struct gpumemprof_result *result) {
  if (result) memset(result, 0, sizeof *result);
  return scope ? gpumemprof_scope_close(scope, result, sizeof *result) : 0;
}

/* ---- a new beginning ---------------------------------------------------------------------------
 */

GPUMEMPROF_CALL_(int, reset, (void), (), 0)
/* gpumemprof_reset(): figures begin again here: those of summaries, of snapshots and of the
 * capture. Returns 1, or 0 when nothing is recorded. What is live remains known and counts as
 * allocated now, by the lines that did allocate it. Peaks begin at what is live now. What was
 * freed, calls, failures and losses begin at 0. The smallest and largest sizes are those of blocks
 * that are allocated from now on. Scopes that are open continue to count from their own begin, and
 * so do measured scopes. Pools keep their high marks. With history=, earlier events are still
 * listed, but figures cannot be replayed.
 *
 * Each device begins again in one moment. What other threads do meanwhile on another device may
 * count as before or after the reset. The cost is O(call paths), some 0.1 us each, while other
 * threads wait. Method: torch.cuda.reset_peak_memory_stats and reset_accumulated_memory_stats in
 * one. */

/* ---- rows of figures ---------------------------------------------------------------------------
 */

enum gpumemprof_summary_by {
  GPUMEMPROF_BY_DEVICE = 1,
  GPUMEMPROF_BY_FUNCTION, /* and by block: GPUMEMPROF_SCOPE, gpumemprof_scope_begin */
  GPUMEMPROF_BY_LINE,
  GPUMEMPROF_BY_LABEL /* gpumemprof_label_push */
};

/* One row of `gpumemprof report`, as it would be if the program ended now. The figures include
 * device memory and host memory, and all kinds of memory except the pieces of the program's own
 * allocators. The fields `inclusive_...` are of the row and of everything called from there, and
 * count each event once even in recursion. By device and by label they are the same as the figures
 * without that prefix. */
struct gpumemprof_summary_row {
  const char *name;  /* device, function (of the line) or label; null if unknown or none */
  const char *block; /* a block's own name, while `name` is its function; else null */
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
  uint64_t own_peak_max;      /* functions and lines: the highest own peak of a call */
  uint64_t own_peak_sum;      /* the sum of the own peaks of calls */
  uint64_t own_peak_count;    /* how many calls that is: those in which memory moved */
  uint64_t device_peak;       /* functions and lines: highest total of a device meanwhile */
  uint64_t wall_ns;           /* functions: in profiled calls */
  uint64_t failed_calls;      /* functions and lines: allocations that failed right there */
  uint64_t failed_bytes;      /* the bytes that these requested */
  uint64_t oom_calls;         /* how many of them were out of memory */
};

GPUMEMPROF_CALL_(size_t, summary_fill,
                 (int by, struct gpumemprof_summary_row *rows, size_t room, size_t size),
                 (by, rows, room, size), 0)

/* Fills at most `room` rows, those with the most live bytes first, and returns how many rows there
 * are, which may be more than `room`. `rows` may be null if `room` is 0. Returns 0 when nothing is
 * recorded, when `by` is not one of the values above, or when there is no memory for the figures.
 * The array belongs to the program. The texts in it belong to the profiler, and are valid until a
 * fork or the end of the process.
 *
 * Scopes that are open on the calling thread count as if they ended now; those of other threads
 * count once they have ended. The figures of one device are of one moment. Code that was not
 * rebuilt (cupti=on) is named by its module.
 *
 * The cost is O(call paths x their depth), with some 0.2 us and 300 bytes of temporary memory for
 * each call path. Other threads wait only while figures are copied. The first summary by a second
 * thread ends the faster path of programs in which one thread allocates. Method: tracemalloc's
 * Snapshot.statistics, fil's and memray's tables of allocation records. */
GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ size_t gpumemprof_summary(
    enum gpumemprof_summary_by by, struct gpumemprof_summary_row *rows, size_t room) {
  return gpumemprof_summary_fill((int)by, rows, room, sizeof(struct gpumemprof_summary_row));
}

#endif /* GPUMEMPROF_MEASURE_H */
