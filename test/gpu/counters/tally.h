/* tally.h - counts CUDA memory operations for the independent counters of test/gpu.
 *
 * cupti_count.c feeds it CUPTI's memory records, preload_count.c the calls of the program; run.py
 * compares what it prints with the profiler's report. It shares no code with the profiler on
 * purpose. Operations are kept in a list; tally_print sorts them by time and walks them once.
 */
#ifndef GPM_TEST_TALLY_H
#define GPM_TEST_TALLY_H

#include <stdint.h>

enum tally_kind {
  TALLY_DEVICE,
  TALLY_POOL,
  TALLY_MANAGED,
  TALLY_PINNED,
  TALLY_ARRAY,
  TALLY_STATIC, /* __device__ and __managed__ variables */
  TALLY_VMM,    /* cuMemCreate */
  TALLY_OTHER,
  TALLY_KINDS
};

/* One operation. bytes of a free may be 0: the size is known from its allocation. source is the
 * shared object that asked, or null; it is copied. time orders operations; equal times keep the
 * order in which they were added. Any thread. */
void tally_add(int is_free, enum tally_kind kind, int device, uint64_t address, uint64_t bytes,
               const char *source, uint64_t time);

/* Everything live on a device is gone (cudaDeviceReset). */
void tally_reset(int device, uint64_t time);

/* Writes one line of JSON to the file the environment variable names, or to stderr. `lost` is the
 * number of records the source of the numbers says it lost. */
void tally_print(const char *counter, const char *variable, uint64_t lost);

#endif /* GPM_TEST_TALLY_H */
