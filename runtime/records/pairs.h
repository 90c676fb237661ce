/* pairs.h - where each block was freed: (allocating cell, freeing node) -> blocks, bytes: see
 * pairs.c.
 */
#ifndef GPM_PAIRS_H
#define GPM_PAIRS_H

#include "gpumemprof/capture.h"

#include <stdatomic.h>
#include <stdint.h>

struct gpm_cell;
struct gpm_node;

struct gpm_pair {
  struct gpumemprof_capture_pair *record;
  struct gpm_cell *cell;
  const void *_Atomic call;     /* site of the freeing call; null once unloaded */
  const struct gpm_node *scope; /* of that call; the root if repeats.c must not record its frees */
  const struct gpm_node *from;  /* the node of the freeing call */
  struct gpm_pair *next;        /* the next pair of the same freeing node */
  uint32_t id;
};
/* The latest pair of a cell from which nothing was freed yet. */
extern struct gpm_pair gpm_pairs_none;

/* The pair of a cell and a freeing node; null when there is no room. Under the device's lock. */
struct gpm_pair *gpm_pairs_get(struct gpm_cell *cell, struct gpm_node *node);
void gpm_pairs_start(void);
void gpm_pairs_forked(void);

#endif /* GPM_PAIRS_H */
