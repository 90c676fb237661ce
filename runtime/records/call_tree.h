/* call_tree.h - call paths: a node is a scope or a call under another: see call_tree.c.
 */
#ifndef GPM_CALL_TREE_H
#define GPM_CALL_TREE_H

#include "base/compiler.h"
#include "base/lock.h"

#include "gpumemprof/capture.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct edge; /* call_tree.c */
struct gpm_budget;
struct gpm_cell;
struct gpm_pair;

#define GPM_RECENT 4
enum { GPM_CALLS = 1, GPM_ENTERS, GPM_ENTERS_COUNTED };
enum gpm_below { /* what a child is */
                 GPM_BELOW_CALL,
                 GPM_BELOW_SCOPE, /* directly above the call's frame, so that stale.c can check the
                                     call */
                 GPM_BELOW_DROPPED, /* a scope; frames in between were dropped */
};
struct gpm_node {
  /* The address by which it was reached; null once that is unloaded. */
  const void *_Atomic site;
  struct gpm_node *_Atomic recent[GPM_RECENT]; /* children reached lately, by site address */
  struct gpm_cell *_Atomic cells;              /* list, newest first */
  _Atomic uint32_t cell_count;                 /* beyond GPM_CELLS_LISTED cells.c has an index */
  struct gpm_pair *_Atomic pairs;              /* frees made here: list, newest first */
  struct edge *edges;                          /* the edges that lead here, under gpm_tree_lock */
  struct gpm_node *parent;                     /* null for the root */
  struct gpumemprof_capture_node *record;
  struct gpumemprof_capture_line *line; /* call nodes; null for scopes */
  uint32_t id;
  bool is_step;             /* schedule.c: entering it begins a step */
  bool spans;               /* a call whose activations activations.h keeps */
  bool begins_more;         /* a scope whose activations do more at their beginning than most */
  atomic_bool has_operands; /* a call that leads to it has operands; never reset */
  _Atomic uint8_t enters;   /* stale.c: GPM_CALLS and so on; 0: not known yet */
  uint32_t opens_with;      /* flags of its activations */
  /* The budget of the nearest scope at or above it that has one, or null. */
  struct gpm_budget *budget;
};
/* Whether a node or a cell has operands. Another thread may reach it meanwhile by a second call,
 * which is the first one with operands. */
#define gpm_has_operands(of) atomic_load_explicit(&(of)->has_operands, memory_order_relaxed)
extern struct gpm_lock gpm_tree_lock;
bool gpm_tree_start(void); /* also resets the tree in a forked child */
struct gpm_node *gpm_tree_root(void);
/* The child of `parent` for a site address, which is created if it is new; null when there is no
 * room. */
GPM_NOINLINE struct gpm_node *gpm_tree_child_slow(struct gpm_node *parent, const void *site,
                                                  enum gpm_below below);
static inline unsigned gpm_tree_recent(const void *site) { /* neighbours in a site table differ */
  return (unsigned)((uintptr_t)site / 16 % GPM_RECENT);
}
/* The child of a site, if it was among the latest ones to be reached; otherwise null. */
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
/* The scope below a call's node; for a block, below a scope's node. */
static inline struct gpm_node *gpm_tree_scope(struct gpm_node *parent, const void *scope) {
  return gpm_tree_below(parent, scope, GPM_BELOW_SCOPE);
}
uint32_t gpm_tree_count(void); /* number of nodes; exact under gpm_tree_lock */
/* Visits every node. Under gpm_tree_lock. */
void gpm_tree_each(void (*visit)(struct gpm_node *node, void *data), void *data);
void gpm_tree_forget(const void *begin, const void *end); /* sites unloaded */
/* An address that leads to the same child, and stays valid when the site is unloaded. */
const void *gpm_tree_stand_in(struct gpm_node *parent, const void *site);

#endif /* GPM_CALL_TREE_H */
