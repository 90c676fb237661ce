/* library_calls.h - what compiled code and the runtime agree on about calls of closed libraries
 * (uses=on): cuBLAS, cuDNN, NCCL, MPI and others.
 *
 *   if (__gpumemprof_clock.observed & GPUMEMPROF_OBSERVED_USES)
 *     __gpumemprof_use_library(site, how, count, (uint64_t[]){pointers that the call passes});
 *   cublasSgemm(...);
 */
#ifndef GPUMEMPROF_LIBRARY_CALLS_H
#define GPUMEMPROF_LIBRARY_CALLS_H

/* What a function of a library does with memory of devices. */
enum gpumemprof_library_use {
  GPUMEMPROF_LIBRARY_NOTHING = 0, /* there is no hook */
  /* It uses what it is given, and what addresses in that memory lead to. It keeps none of it. */
  GPUMEMPROF_LIBRARY_CALL = 1,
  GPUMEMPROF_LIBRARY_KEEPS = 2,     /* it may keep it, and use it at a later call */
  GPUMEMPROF_LIBRARY_POINTS_TO = 3, /* it is given the address of an address, and keeps this one */
  GPUMEMPROF_LIBRARY_ANY = 4, /* not known: it may also be given addresses in memory of the host */
  /* It uses what it is given, and what the library keeps from earlier calls, and follows no address
   * in memory. It keeps none of it. */
  GPUMEMPROF_LIBRARY_ARGUMENTS = 5
};

#endif /* GPUMEMPROF_LIBRARY_CALLS_H */
