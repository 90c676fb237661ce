/* figures.h - a copy of the ledger's figures at one moment: see figures.c.
 *
 * summary.c makes rows of it, without any lock.
 */
#ifndef GPM_FIGURES_H
#define GPM_FIGURES_H

#include "base/program_calls.h"

#include "gpumemprof/capture.h"

#include <stdbool.h>

struct gpm_sums { /* sums over cells, without pieces */
  struct gpumemprof_amount allocated, freed;
  struct gpumemprof_amount freed_here; /* of nodes: by calls made there */
  uint64_t requested, at_peak, temporary_blocks;
  /* Blocks that scopes count: an allocation's own peak is its largest. */
  uint64_t largest, counted_bytes, counted_blocks;
};

struct gpm_figures_node {
  struct gpumemprof_capture_node record;
  struct gpm_sums sums;
  uint64_t live_peak;                  /* of the call's line */
  uint32_t file, line, function, name; /* of its site: strings */
  uint16_t kind;                       /* enum gpumemprof_site_kind; 0: unknown, or the root */
  bool profiled;
  bool spans;                         /* a call whose line has activations */
  uint32_t row, direct, entry, scope; /* summary.c */
};

struct gpm_figures_part { /* a device or a label */
  struct gpm_sums sums;
  uint32_t label; /* string */
  int32_t ordinal;
  const char *name; /* device */
  uint64_t peak;
};

struct gpm_figures {
  struct gpm_figures_node *nodes; /* by id; a parent comes before its children */
  uint32_t node_count;
  struct gpm_figures_part *parts; /* the devices or labels that were asked for */
  uint32_t part_count;
  bool by_label;
  bool pieces; /* pieces exist, which are left out */
  bool since_reset;
  void *mapped;
  size_t bytes;
};

/* Copies the figures of nodes and devices, or of nodes and labels. Returns false when nothing is
 * recorded. The calling thread must not be busy. */
bool gpm_figures_copy(struct gpm_figures *figures, bool by_label);
void gpm_figures_free(struct gpm_figures *figures);

#endif /* GPM_FIGURES_H */
