/* budgets.h - what scopes may need (GPUMEMPROF_BUDGET, NO_ALLOC, NO_LEAK).
 *
 * A node of a scope with a budget has a struct gpm_budget, and every node knows the nearest one at
 * or above it. BUDGET is judged when an activation ends, by its own peak. NO_ALLOC needs nothing at
 * run time: a cell below such a scope is a violation, so it is noticed where the cell is made.
 * NO_LEAK follows each block that is allocated below it (guards.c).
 */
#ifndef GPM_BUDGETS_H
#define GPM_BUDGETS_H

#include "base/compiler.h"
#include "base/lock.h"

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_cell;
struct gpm_node;
struct gpm_open;
struct gpm_thread;

struct gpm_budget {
  const struct gpm_node *node;
  struct gpm_budget *outer; /* the nearest scope above that has a budget */
  uint64_t bytes;           /* GPUMEMPROF_SITE_BUDGET */
  uint16_t flags;           /* GPUMEMPROF_SITE_BUDGETS of this scope */
  uint16_t around;          /* these flags and those of all scopes above */
  struct gpumemprof_capture_violation *broken[GPUMEMPROF_BUDGET_NO_LEAK + 1]; /* under the lock */
};

/* ---- budgets.c: which scopes have one, and what was broken --------------------------------------
 */
extern struct gpm_lock gpm_budgets_lock;
void gpm_budgets_start(void);

/* ---- guards.c: the blocks of NO_LEAK scopes -----------------------------------------------------
 */
struct gpm_guard {         /* belongs to one activation of a NO_LEAK scope */
  struct gpm_guard *outer; /* the next guard outwards, on this thread or on the one it works for */
  struct gpm_open *at;
  struct gpm_guard *below;           /* the next guard of the same thread, or of the free list */
  struct gpm_guard *next, *previous; /* the list of all open guards */
  uint64_t bytes, blocks; /* live, and allocated in it or in guards inside that have ended */
  uint64_t references;    /* by its activation, by its own blocks, and by guards inside */
  uint64_t inside;        /* the open guards that it directly encloses */
  uint32_t depth;         /* greater than the depth of `outer` */
  bool ended;
};
/* What an activation that ends has left behind. */
struct gpm_left {
  uint64_t bytes, blocks;
  const struct gpm_cell *largest; /* the cell of the largest block; null: it was not searched for */
};
/* budget: that of the scope that ends. */
struct gpm_left gpm_guards_ended(struct gpm_thread *thread, const struct gpm_budget *budget);
void gpm_guards_forked(void);

/* ---- budget_words.c: messages on stderr ---------------------------------------------------------
 * One line for each record, up to a cap. The caller holds no lock. */
struct gpm_broken {
  const struct gpm_budget *budget;
  enum gpumemprof_budget kind;
  uint64_t bytes, blocks;         /* BYTES: the own peak; NO_LEAK: what was left behind */
  const struct gpm_node *call;    /* NO_ALLOC: the call that allocated */
  const struct gpm_cell *largest; /* NO_LEAK */
};
GPM_COLD void gpm_budget_say(const struct gpm_broken *broken);

#endif /* GPM_BUDGETS_H */
