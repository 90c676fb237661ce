/* call_tree.h - a part of runtime.h's map: call paths. A node is a scope or a call under another; a
 * cell is what one call allocated on one device, in one kind of memory, under one label, for one
 * stream. */
#ifndef GPM_CALL_TREE_H
#define GPM_CALL_TREE_H

#include "runtime.h"

#define GPM_RECENT 4
enum { GPM_CALLS = 1, GPM_ENTERS, GPM_ENTERS_COUNTED };
enum gpm_below { /* what a child is */
                 GPM_BELOW_CALL,
                 GPM_BELOW_SCOPE, /* above the call's own frame, so that stale.c can judge the call
                                   */
                 GPM_BELOW_DROPPED, /* a scope; frames in between were dropped */
};
struct gpm_node {
  const void *_Atomic site;                    /* address it was reached by; null once unloaded */
  struct gpm_node *_Atomic recent[GPM_RECENT]; /* children reached lately, by site address */
  struct gpm_cell *_Atomic cells;              /* list, newest first */
  _Atomic uint32_t cell_count;                 /* beyond GPM_CELLS_LISTED cells.c has an index */
  struct gpm_pair *_Atomic pairs;              /* frees made here: list, newest first */
  struct edge *edges;                          /* that lead here, under gpm_tree_lock */
  struct gpm_node *parent;                     /* null for the root */
  struct gpumemprof_capture_node *record;
  struct gpumemprof_capture_line *line; /* call nodes; null for scopes */
  uint32_t id;
  bool is_step;              /* schedule.c: entering it begins a step */
  bool spans;                /* a call whose activations activations.h keeps */
  bool begins_more;          /* a scope with more to do than most when an activation begins */
  atomic_bool has_operands;  /* a call that leads to it has; once set it stays */
  _Atomic uint8_t enters;    /* stale.c: GPM_CALLS and so on; 0: not asked yet */
  uint32_t opens_with;       /* flags of its activations */
  struct gpm_budget *budget; /* of the nearest scope at or above it that has one, or null */
};
struct gpm_cell {
  const void *_Atomic site; /* the node's */
  struct gpumemprof_capture_cell *record;
  struct gpumemprof_capture_line *line;
  struct gpumemprof_capture_device *totals; /* the device's */
  struct gpumemprof_capture_amount *live;   /* of them, this kind's */
  struct gpm_maxima *maxima;                /* the device's */
  struct gpm_pair *latest_pair;             /* never null; under the device's lock */
  uint16_t kind;
  uint16_t again; /* gpm_again_of(), once again.c may go on with it, else GPM_NOT_AGAIN */
  uint32_t id;
  const void *stream;                   /* kind pool: its handle, else null */
  struct gpm_device *device;            /* from here on not needed by every event */
  uint16_t again_there;                 /* the same where the device was asked for */
  bool guarded;                         /* guards.c follows its blocks */
  atomic_bool has_operands;             /* the node's */
  struct gpumemprof_operands *operands; /* of the site, or null */
  const struct gpm_label *label;        /* or null */
  struct gpm_cell *next, *next_of_device;
  struct gpm_node *node;
};
/* Of a node or a cell. Another thread may come by a second call, the first with operands,
 * meanwhile. */
#define gpm_has_operands(of) atomic_load_explicit(&(of)->has_operands, memory_order_relaxed)
#define GPM_NOT_AGAIN UINT16_MAX
#define GPM_AGAIN_WITH_OPERANDS 256u /* if they are the same; beside the kind */
static inline uint16_t gpm_again_of(const struct gpm_cell *cell) {
  return (uint16_t)(cell->kind | (cell->operands ? GPM_AGAIN_WITH_OPERANDS : 0));
}
extern struct gpm_lock gpm_tree_lock;
bool gpm_tree_start(void); /* also starts anew in a forked child */
struct gpm_node *gpm_tree_root(void);
/* Child of parent for a site address; created when new; null when there is no room. */
GPM_NOINLINE struct gpm_node *gpm_tree_child_slow(struct gpm_node *parent, const void *site,
                                                  enum gpm_below below);
static inline unsigned gpm_tree_recent(const void *site) { /* neighbours in a site table differ */
  return (unsigned)((uintptr_t)site / 16 % GPM_RECENT);
}
/* Null: it was not reached lately. */
static inline struct gpm_node *gpm_tree_known(struct gpm_node *parent, const void *site) {
  struct gpm_node *child =
      atomic_load_explicit(&parent->recent[gpm_tree_recent(site)], memory_order_acquire);
  bool known = child && atomic_load_explicit(&child->site, memory_order_relaxed) == site;
  return GPM_LIKELY(known) ? child : NULL;
}
static inline struct gpm_node *gpm_tree_below(struct gpm_node *parent, const void *site,
                                              enum gpm_below below) {
  struct gpm_node *child =
      atomic_load_explicit(&parent->recent[gpm_tree_recent(site)], memory_order_acquire);
  if (GPM_LIKELY(child && atomic_load_explicit(&child->site, memory_order_relaxed) == site))
    return child;
  return gpm_tree_child_slow(parent, site, below);
}
static inline struct gpm_node *gpm_tree_child(struct gpm_node *parent, const void *call) {
  return gpm_tree_below(parent, call, GPM_BELOW_CALL);
}
/* Of a call's node, or, for a block, of a scope's. */
static inline struct gpm_node *gpm_tree_scope(struct gpm_node *parent, const void *scope) {
  return gpm_tree_below(parent, scope, GPM_BELOW_SCOPE);
}
uint32_t gpm_tree_count(void); /* of nodes; exact under gpm_tree_lock, and all of them: */
void gpm_tree_each(void (*visit)(struct gpm_node *node, void *data), void *data);
void gpm_tree_forget(const void *begin, const void *end); /* sites unloaded */
/* An address that leads to the same child, and stays when the site is unloaded. */
const void *gpm_tree_stand_in(struct gpm_node *parent, const void *site);

/* ---- stale.c: calls whose line is that of an earlier call; each is counted as a loss */
/* A frame of `scope` is right above that of the call. Under gpm_tree_lock. */
bool gpm_stale_below(const struct gpm_node *call, const void *scope);
/* Where an allocation at a call belongs: the call, or, if it is stale, an unknown line. Null: no
 * room. Not under gpm_tree_lock. */
GPM_COLD struct gpm_node *gpm_stale_event(struct gpm_node *call);

/* ---- cells.c: what a path allocated -------------------------------------------------------------
 */
void gpm_cells_start(void);
static inline bool gpm_cells_is(const struct gpm_cell *cell, const struct gpm_device *device,
                                uint16_t kind, const struct gpm_label *label, const void *stream) {
  return cell->device == device && cell->kind == kind && cell->label == label &&
         cell->stream == stream;
}
GPM_NOINLINE struct gpm_cell *gpm_cells_find(struct gpm_node *node, struct gpm_device *device,
                                             uint16_t kind, const struct gpm_label *label,
                                             const void *stream);
/* Of a path; made when new. Null: no room. */
static inline struct gpm_cell *gpm_cells_get(struct gpm_node *node, struct gpm_device *device,
                                             uint16_t kind, const struct gpm_label *label,
                                             const void *stream) {
  struct gpm_cell *newest = atomic_load_explicit(&node->cells, memory_order_acquire);
  if (GPM_LIKELY(newest && gpm_cells_is(newest, device, kind, label, stream))) return newest;
  return gpm_cells_find(node, device, kind, label, stream);
}
uint32_t gpm_cells_count(void);                                   /* exact under gpm_tree_lock */
void gpm_cells_set_site(struct gpm_cell *cell, const void *site); /* under it */
/* Whether a name that was never used may split the figures of paths once more (labels.c,
 * streams.c); known: how many such names there are. */
bool gpm_cells_may_split(uint32_t known);

/* ---- streams.c: under gpm_tree_lock
 * --------------------------------------------------------------
 */
void gpm_streams_start(void);
/* The record of a stream of a device, + 1; 0: no room. *stream becomes what stands for all streams
 * without a record of their own if it is one of them. */
uint32_t gpm_streams_record(const struct gpm_device *device, const void **stream);
GPM_COLD void gpm_streams_lumped(void); /* memory was allocated for one of those; without a lock */
bool gpm_streams_is_own(const void *stream); /* a handle that is none of the default streams' */

#endif /* GPM_CALL_TREE_H */
