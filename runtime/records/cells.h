/* cells.h - a cell is what one call allocated on one device, in one kind of memory, under one
 * label, for one stream: see cells.c.
 */
#ifndef GPM_CELLS_H
#define GPM_CELLS_H

#include "gpumemprof/hooks.h"
#include "records/call_tree.h"

struct gpm_device;
struct gpm_label;
struct gpm_maxima;

struct gpm_cell {
  const void *_Atomic site; /* the node's */
  struct gpumemprof_capture_cell *record;
  struct gpm_lock *lock; /* the device's */
  struct gpumemprof_capture_line *line;
  struct gpumemprof_capture_device *totals; /* the device's */
  struct gpumemprof_capture_amount *live;   /* the part of `totals` that is of this kind */
  struct gpm_maxima *maxima;                /* the device's */
  struct gpm_pair *latest_pair;             /* never null; under the device's lock */
  uint16_t kind;
  /* The kind once repeats.c may record its events, before that GPM_NO_REPEAT. */
  uint16_t repeats; /* under the device's lock */
  uint32_t id;
  const void *stream;        /* kind pool: its handle, else null */
  struct gpm_device *device; /* not every event needs the fields from here on */
  /* The same as `repeats`, for a process with several devices. */
  uint16_t repeats_there;
  bool guarded;                         /* guards.c follows its blocks */
  atomic_bool has_operands;             /* the node's */
  struct gpumemprof_operands *operands; /* of the site, or null */
  const struct gpm_label *label;        /* or null */
  struct gpm_cell *next, *next_of_device;
  struct gpm_node *node;
};
#define GPM_NO_REPEAT UINT16_MAX
void gpm_cells_start(void);
static inline bool gpm_cells_is(const struct gpm_cell *cell, const struct gpm_device *device,
                                uint16_t kind, const struct gpm_label *label, const void *stream) {
  return cell->device == device && cell->kind == kind && cell->label == label &&
         cell->stream == stream;
}
GPM_NOINLINE struct gpm_cell *gpm_cells_find(struct gpm_node *node, struct gpm_device *device,
                                             uint16_t kind, const struct gpm_label *label,
                                             const void *stream);
/* The cell of a path, which is made when it is new. Null: no room. */
static inline struct gpm_cell *gpm_cells_get(struct gpm_node *node, struct gpm_device *device,
                                             uint16_t kind, const struct gpm_label *label,
                                             const void *stream) {
  struct gpm_cell *newest = atomic_load_explicit(&node->cells, memory_order_acquire);
  if (GPM_LIKELY(newest && gpm_cells_is(newest, device, kind, label, stream))) return newest;
  return gpm_cells_find(node, device, kind, label, stream);
}
uint32_t gpm_cells_count(void);                                   /* exact under gpm_tree_lock */
void gpm_cells_set_site(struct gpm_cell *cell, const void *site); /* under gpm_tree_lock */
/* Whether a name that was never used before may get cells of its own (labels.c, streams.c). known:
 * how many such names there are. */
bool gpm_cells_may_split(uint32_t known);

#endif /* GPM_CELLS_H */
