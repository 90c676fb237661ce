/* kernels.h - what compiled code and the runtime agree on about kernels and other calls that use
 * memory (uses=on). A part of hooks.h, which includes it.
 *
 * For each kernel that an object registers with CUDA, the plugin makes a record in the section
 * "gpumemprof_kernels": which 8 bytes of its parameters may hold an address. For each function of
 * cuda_uses.def that the object calls there is a thunk with one more parameter, the site of the
 * call:
 *
 *   if (__gpumemprof_clock.observed & GPUMEMPROF_OBSERVED_USES)
 *     return __gpumemprof_use_NAME(arguments of NAME..., site, NAME);   which calls NAME last
 *   return NAME(arguments...);
 *
 * A launch `kernel<<<>>>()` of a kernel that the object defines has a record of its own. It calls a
 * copy of the kernel's stub that has the record, and reports itself before it asks CUDA:
 *
 *   if (__gpumemprof_clock.observed & GPUMEMPROF_OBSERVED_USES)
 *     __gpumemprof_launch_4(values of the kernel's words, stream, record);   of four words
 *   cudaLaunchKernel(...);
 */
#ifndef GPUMEMPROF_KERNELS_H
#define GPUMEMPROF_KERNELS_H

#include <stdint.h>

/* No kernel has more words in its record: 4 KiB of addresses, which was the most that the
 * parameters of a kernel could take before CUDA 12.1. */
#define GPUMEMPROF_KERNEL_MOST_WORDS 512u

/* Eight bytes of a kernel's parameters that may hold an address. */
struct gpumemprof_kernel_word {
  uint16_t parameter; /* from 0 */
  uint16_t offset;    /* in it, in bytes */
  uint32_t flags;     /* GPUMEMPROF_WORD_* (capture_uses.h) */
  int32_t name;       /* "weights", "layer.weights"; self-relative, 0: none */
};

/* A kernel. Distances are self-relative, as in a site; strings end with a NUL. */
struct gpumemprof_kernel {
  const void *function; /* what launches pass to CUDA */
  int32_t name;         /* as reports show it */
  int32_t symbol;       /* its name in device code */
  int32_t file;         /* 0: not known */
  uint32_t line;
  uint16_t words; /* 0 if it has more than MOST_WORDS; then it is GPUMEMPROF_KERNEL_UNKNOWN */
  uint16_t flags; /* GPUMEMPROF_KERNEL_* (capture_uses.h) */
  int32_t word;   /* the first of them; 0: there is none */
};

/* A place in the source that launches one kernel, and has a site. */
struct gpumemprof_launch {
  const struct gpumemprof_site *site;
  const void *function;  /* of the kernel's record */
  uint64_t runtime_data; /* 0 at first */
};

/* What a launch of N words calls, N at most LAUNCH_VALUES. values: as the kernel's record lists
 * them, aligned to 16 bytes. Launches with more words go by the thunks. */
#define GPUMEMPROF_LAUNCH_VALUES 8
#define GPUMEMPROF_LAUNCH_COUNTS(ENTRY)                                                            \
  ENTRY(0) ENTRY(1) ENTRY(2) ENTRY(3) ENTRY(4) ENTRY(5) ENTRY(6) ENTRY(7) ENTRY(8)
#define GPUMEMPROF_LAUNCH_DECLARED(n)                                                              \
  void __gpumemprof_launch_##n(const uint64_t *values, void *stream,                               \
                               struct gpumemprof_launch *launch);

#endif /* GPUMEMPROF_KERNELS_H */
