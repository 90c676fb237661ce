/* ledger.h - what ledger.c, pairs.c and devices.c share: one device's ledger and its pair table. */
#ifndef GPM_LEDGER_H
#define GPM_LEDGER_H

#include "runtime.h"

struct gpm_pair {
  struct gpumemprof_capture_pair *record;
  uint32_t cell;
  uint32_t node;
};

struct gpm_device {
  struct gpm_lock lock; /* protects all below, the record, and cells and blocks of this device */
  struct gpumemprof_capture_device *record;
  struct gpm_maxima maxima;
  struct gpm_pair **pairs; /* hash (cell, free node), open addressing */
  uint32_t pair_room;
  uint32_t pair_count;
  uint16_t index; /* record number */
};

/* The pair of a cell and a freeing node; null when there is no room. Under the device's lock. */
struct gpm_pair *gpm_pairs_get(struct gpm_device *device, struct gpm_cell *cell, uint32_t node);
void gpm_pairs_start(void);

#endif /* GPM_LEDGER_H */
