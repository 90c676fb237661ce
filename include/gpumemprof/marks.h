/* marks.h - moments of the program, and what was allocated between two of them and is still live.
 * control.h includes it. */
#ifndef GPUMEMPROF_MARKS_H
#define GPUMEMPROF_MARKS_H

#include "gpumemprof/calls.h"

#include <stdint.h>

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

#endif /* GPUMEMPROF_MARKS_H */
