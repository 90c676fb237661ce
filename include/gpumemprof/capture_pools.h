/* capture_pools.h - a part of capture.h: memory that is held besides the blocks of the program's
 * calls: CUDA's pools, what a device reports to be in use, and the program's own allocators. */
#ifndef GPUMEMPROF_CAPTURE_POOLS_H
#define GPUMEMPROF_CAPTURE_POOLS_H

#include "gpumemprof/capture.h"

/* A pool of stream-ordered memory, or the memory that CUDA keeps for graphs on a device. used and
 * reserved are the pool's own figures at the latest reading (ticks). The fields *_high are their
 * high marks since the program began, also if the program resets CUDA's. used includes memory that
 * was freed but whose free its stream has not passed yet, so it may exceed what is live by the
 * program's calls. */
struct gpumemprof_capture_pool {
  uint64_t handle;   /* CUDA's, 0 for graphs */
  uint16_t device;   /* record of DEVICES */
  uint16_t flags;    /* (live) GPUMEMPROF_POOL_* */
  uint32_t site;     /* call that created it; NONE: not seen, or it came with the device */
  uint64_t used;     /* (live) bytes handed out */
  uint64_t reserved; /* (live) bytes taken from the device */
  uint64_t used_high;
  uint64_t reserved_high;
  uint64_t ticks;     /* (live) of the latest reading */
  uint64_t readings;  /* (live) how often its figures were read */
  uint64_t threshold; /* (live) release threshold: bytes it keeps at a synchronisation */
  uint64_t reserved_words[7];
};
_Static_assert(sizeof(struct gpumemprof_capture_pool) == 128, "pool layout");
#define GPUMEMPROF_POOL_DEFAULT 1u   /* the device's own */
#define GPUMEMPROF_POOL_GRAPHS 2u    /* memory of graphs, kept until cudaDeviceGraphMemTrim */
#define GPUMEMPROF_POOL_DESTROYED 4u /* by the program; its last blocks live on */
#define GPUMEMPROF_POOL_IMPORTED 8u  /* of another process */
#define GPUMEMPROF_POOL_OTHERS                                                                     \
  16u /* pools without a record of their own: sums, and the highest                                \
       * of these at a reading */

/* What a device or a pool reported at one moment, and what the ledger had at that moment. */
enum gpumemprof_sample_why {
  GPUMEMPROF_SAMPLE_FIRST = 1, /* when the device was first seen */
  GPUMEMPROF_SAMPLE_CHANGE,    /* a pool grew or shrank */
  GPUMEMPROF_SAMPLE_EXIT,      /* the program ends */
  GPUMEMPROF_SAMPLE_MONITOR    /* one in every interval: the option monitor= */
};
#define GPUMEMPROF_ROUNDING_UNKNOWN UINT64_MAX
struct gpumemprof_capture_sample {
  uint64_t ticks;
  uint64_t clock;
  uint32_t pool;   /* record of POOLS, or NONE: the device itself */
  uint16_t device; /* record of DEVICES */
  uint16_t why;    /* enum gpumemprof_sample_why */
  uint64_t used;   /* pool: handed out; device: memory in use by anybody (total - free) */
  uint64_t total;  /* pool: reserved; device: its size */
  uint64_t ledger; /* of the device, then: live bytes of all kinds */
  uint64_t pools;  /* device: reserved by its pools and for graphs */
  uint64_t pooled; /* device: of `ledger`, bytes of kinds pool and graph */
  /* device: by how much its pages exceed the bytes of direct allocations; or
   * GPUMEMPROF_ROUNDING_UNKNOWN, and then managed_* is not known either. Not every sample of
   * MONITOR has it, and others have it once all blocks were visited. */
  uint64_t rounding;
  uint64_t managed_here;      /* device: managed bytes last prefetched to it */
  uint64_t managed_elsewhere; /* to the host or another device; the rest was never prefetched */
  uint64_t managed;           /* device: of `ledger`, bytes of kind managed */
  uint64_t rss;               /* MONITOR: resident bytes of the process; 0: not known */
  uint64_t reserved[3];
};
_Static_assert(sizeof(struct gpumemprof_capture_sample) == 128, "sample layout");

#define GPUMEMPROF_CUSTOM_POOL_SEVERAL_DEVICES 1u
#define GPUMEMPROF_CUSTOM_POOL_OTHERS                                                              \
  2u /* pools without a record of their own: sums and their                                        \
      * peaks; holes are not known and 0 */

/* An allocator of the program itself, known from its annotations: it hands out pieces of memory
 * from segments, which are blocks that are counted elsewhere. Its pieces are blocks of kind CUSTOM
 * as well, which count only in the total GPUMEMPROF_CUSTOM. What is free in it is reserved.bytes -
 * (used.bytes - outside.bytes).
 *
 * It grows when it hands out the first piece of a segment. If it had free bytes then, which
 * evidently did not help, the growth is counted, and the latest such growth is kept. */
struct gpumemprof_capture_custom_pool {
  uint32_t name;   /* string */
  uint32_t device; /* (live) record of DEVICES of its first segment; NONE: it had none */
  uint64_t handle; /* address of the allocator's object, 0 if it has none */
  uint32_t flags;  /* (live) GPUMEMPROF_CUSTOM_POOL_* */
  uint32_t reserved0;
  uint64_t reserved1;
  struct gpumemprof_capture_amount used;     /* (live) pieces */
  struct gpumemprof_capture_amount outside;  /* (live) of these, in no memory that was seen */
  struct gpumemprof_capture_amount reserved; /* (live) segments that hold or held pieces */
  uint64_t used_peak;                        /* (live) the most bytes of pieces */
  uint64_t reserved_peak;                    /* (live) the most bytes of segments */
  uint64_t peak_free;                        /* (live) free bytes when that was reached ... */
  uint64_t peak_hole;                        /* (live) ... and the largest hole of them */
  uint64_t pieces;                           /* (live) ever handed out */
  uint64_t segments;                         /* (live) ever seen */
  uint64_t hole;                             /* (live) largest hole now */
  uint64_t growths;                          /* (live) with free bytes before them */
  uint64_t fragmented;  /* (live) of these, with enough of them, but in holes too small */
  uint64_t passed_over; /* (live) and with a hole that was large enough, and was not used */
  uint64_t growth_need; /* (live) the latest of them: bytes of the piece, */
  uint64_t growth_free; /* (live) free bytes before it */
  uint64_t growth_hole; /* (live) and the largest hole then */
  uint64_t reserved2;
};
_Static_assert(sizeof(struct gpumemprof_capture_custom_pool) == 192, "pool layout");

#endif /* GPUMEMPROF_CAPTURE_POOLS_H */
