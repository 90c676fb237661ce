/* in_use.h - what a device says is in use, taken apart: the "unaccounted" line of ACCOUNTING.md.
 *
 * used = recorded + pool_slack + rounding + unaccounted, signed, of the latest sample of a device.
 */
#ifndef GPM_IN_USE_H
#define GPM_IN_USE_H

#include "capture/reader.h"

struct gpm_in_use {
  const char *when;      /* "at exit", "at first sight", "when its pools changed last",
                          * "at the monitor's last sample" (that knows all terms) */
  uint64_t used;         /* by anybody: cudaMemGetInfo */
  uint64_t recorded;     /* live in the ledger, statics included */
  int64_t pool_slack;    /* reserved by pools and for graphs, beyond what the ledger has in them */
  int64_t rounding;      /* pages of large allocations beyond their bytes */
  int64_t unaccounted;   /* the rest */
  uint64_t managed;      /* of `recorded`, unified memory, which moves: */
  uint64_t managed_here; /* last prefetched to this device */
  uint64_t managed_elsewhere; /* to the host or another device; the rest to none */
};

/* False: the device was never asked. */
bool gpm_in_use(const struct gpm_reader *reader, uint32_t device, struct gpm_in_use *result);

#endif
