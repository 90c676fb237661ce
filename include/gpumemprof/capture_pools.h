/* capture_pools.h - a part of capture.h: what memory is held in besides the blocks of the program's
 * calls: CUDA's pools, what a device says it has in use, and the program's own allocators. */
#ifndef GPUMEMPROF_CAPTURE_POOLS_H
#define GPUMEMPROF_CAPTURE_POOLS_H

#include "gpumemprof/capture.h"

/* A pool of stream-ordered memory, or what CUDA keeps for graphs on a device. used and reserved are
 * the pool's own figures, read when it was looked at last (ticks); high are their high marks since
 * the program began, also where the program resets CUDA's. used holds what was freed but not yet
 * passed by its stream, so it may be more than what is live by the program's calls. */
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

/* What a device or a pool said at one moment, and what the ledger held then. */
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
  uint32_t pool;         /* record of POOLS, or NONE: the device itself */
  uint16_t device;       /* record of DEVICES */
  uint16_t why;          /* enum gpumemprof_sample_why */
  uint64_t used;         /* pool: handed out; device: memory in use by anybody (total - free) */
  uint64_t total;        /* pool: reserved; device: its size */
  uint64_t ledger;       /* of the device, then: live bytes of all kinds */
  uint64_t pools;        /* device: reserved by its pools and for graphs */
  uint64_t pooled;       /* device: of `ledger`, bytes of kinds pool and graph */
  uint64_t rounding;     /* device: what its pages hold beyond the bytes of direct allocations;
                          * or GPUMEMPROF_ROUNDING_UNKNOWN, and managed_* is not known: not each
                          * one of MONITOR has it, and others have it when all blocks were looked at */
  uint64_t managed_here; /* device: managed bytes last prefetched to it */
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

/* An allocator of the program's own, told by annotation: pieces of memory that it hands out of
 * segments, which are blocks counted elsewhere. Its pieces are blocks of kind CUSTOM as well, in
 * the total GPUMEMPROF_CUSTOM alone. What is free in it is reserved.bytes - (used.bytes -
 * outside.bytes).
 *
 * It grew when it handed out the first piece of a segment. Growths are counted, and the latest is
 * kept, where it had free bytes then: those did not help. */
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
