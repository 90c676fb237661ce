/* profile.h - the call tree of a capture in arrays, the open scopes folded, cells joined to their
 * paths.
 *
 * reader -> profile -> grouping (which key each call path stands under) -> rows (the figures of a
 * key). Everything here is linear in the records of the capture.
 */
#ifndef GPM_TOOLS_PROFILE_H
#define GPM_TOOLS_PROFILE_H

#include "capture/reader.h"
#include "model/ancestors.h"

#include <stdbool.h>

#define GPM_ALL_DEVICES UINT32_MAX
#define GPM_ALL_KINDS UINT32_MAX
#define GPM_NO_DEVICE (UINT32_MAX - 1) /* a device that this capture lacks */

struct gpm_patterns;
struct gpm_window;
/* The part of the capture that a report covers. */
struct gpm_filter {
  uint32_t device;                     /* record number, GPM_ALL_DEVICES or GPM_NO_DEVICE */
  uint32_t kind;                       /* enum gpumemprof_kind or GPM_ALL_KINDS */
  const struct gpm_patterns *patterns; /* null: none */
  /* Of the events that are shown, while figures stay those of the whole run; null: none. */
  const struct gpm_window *window;
};

/* A scope that was still open, with the figures that its exit would have recorded. */
struct gpm_ended_scope {
  uint32_t node;
  bool moved;    /* counts as an active call */
  bool profiled; /* counts as a call */
  uint64_t own_peak;
  uint64_t device_peak;
};

struct gpm_profile {
  const struct gpm_reader *reader;
  const struct gpm_patterns *patterns; /* of the filter, which outlive the profile; null: none */
  const struct gpm_window *window;     /* of the filter */
  uint32_t node_count;
  struct gpm_ancestors tree; /* of nodes */
  uint32_t *site;            /* by node */
  uint8_t *kind;   /* by node: enum gpumemprof_site_kind, 0 for the unknown location and the root */
  uint8_t *events; /* by node: 1 when something was allocated, freed or failed right there */
  uint32_t *scope; /* by node: the nearest scope at or above it, or NONE */
  uint8_t *spans;  /* by node: a call whose line has activations (GPUMEMPROF_SITE_SPANS) */
  uint32_t cell_count;
  uint32_t *cell_node;  /* by cell */
  uint8_t *cell_shown;  /* by cell: passes the filter */
  bool all_cells_shown; /* the filter leaves nothing out ... */
  bool pieces_left_out; /* ... but the kind custom, which has to be asked for */
  struct gpm_ended_scope *ended;
  size_t ended_count;
};

struct gpm_profile *gpm_profile_new(const struct gpm_reader *reader,
                                    const struct gpm_filter *filter);
void gpm_profile_free(struct gpm_profile *profile);

static inline bool gpm_profile_is_scope(const struct gpm_profile *p, uint32_t node) {
  return p->kind[node] == GPUMEMPROF_SITE_FUNCTION || p->kind[node] == GPUMEMPROF_SITE_BLOCK;
}
static inline bool gpm_profile_is_call(const struct gpm_profile *p, uint32_t node) {
  return p->kind[node] == GPUMEMPROF_SITE_CALL || p->kind[node] == GPUMEMPROF_SITE_NATIVE;
}
/* Whether its activations are recorded: it is a scope, but not one of an inlined function that was
 * not rebuilt, or a call whose line has some. */
static inline bool gpm_profile_has_activations(const struct gpm_profile *p, uint32_t node) {
  return (gpm_profile_is_scope(p, node) && !gpm_reader_is_inlined(p->reader, node)) ||
         p->spans[node];
}
/* Whether it is a scope that the runtime found on machine stacks. */
static inline bool gpm_profile_is_machine_scope(const struct gpm_profile *p, uint32_t node) {
  return p->kind[node] == GPUMEMPROF_SITE_FUNCTION &&
         gpm_reader_site(p->reader, p->site[node])->flags & GPUMEMPROF_SITE_AT_ADDRESS;
}
/* Bytes of a cell that were live at the peak of its device. */
uint64_t gpm_profile_at_peak(const struct gpm_reader *reader,
                             const struct gpumemprof_capture_cell *cell);

/* fold.c: ends the open activations; fills profile->ended. */
void gpm_fold_open(struct gpm_profile *profile);
/* fold.c: the figures of a thread's scopes so far, with the scopes inside them ended. A zeroed
 * struct begins; activations of the thread are added from the innermost out. */
struct gpm_fold {
  int64_t net, peak; /* of the scope that was added last */
  bool moved;        /* memory, in it or in one inside it */
  bool attached;     /* it is work of another thread: the scopes around it do not have its sums */
};
void gpm_fold_add(struct gpm_fold *fold, const struct gpumemprof_capture_activation *activation);

#endif
