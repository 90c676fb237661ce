/* in_use.h - splits what a device has in use into terms: the "unaccounted" line of ACCOUNTING.md.
 *
 * used = recorded + pool_slack + rounding + unaccounted, signed, of the latest sample of a device.
 */
#ifndef GPM_IN_USE_H
#define GPM_IN_USE_H

#include "capture/reader.h"

struct gpm_in_use {
  const char *when; /* when the sample was taken, as text: "at exit", "at the monitor's last sample"
                       and others (in_use.c) */
  uint64_t used;    /* by all processes: cudaMemGetInfo */
  uint64_t recorded;     /* live in the ledger, statics included */
  int64_t pool_slack;    /* reserved by pools and for graphs, minus what the ledger has in them */
  int64_t rounding;      /* bytes that large allocations take beyond their size to fill pages */
  int64_t unaccounted;   /* the rest */
  uint64_t managed;      /* the part of `recorded` that is managed memory, which moves: */
  uint64_t managed_here; /* last prefetched to this device */
  uint64_t managed_elsewhere; /* last prefetched to the host or another device; the rest was never
                                 prefetched */
};

/* Returns false if the capture has no usable sample of the device. */
bool gpm_in_use(const struct gpm_reader *reader, uint32_t device, struct gpm_in_use *result);

#endif
