/* budgets.h - what scopes may need (GPUMEMPROF_BUDGET, NO_ALLOC,
 * NO_LEAK).
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
  struct gpm_budget *outer; /* of the nearest such scope above */
  uint64_t bytes;           /* GPUMEMPROF_SITE_BUDGET */
  uint16_t flags;           /* GPUMEMPROF_SITE_BUDGETS of this scope */
  uint16_t around;          /* and of those above, together */
  struct gpumemprof_capture_violation *broken[GPUMEMPROF_BUDGET_NO_LEAK + 1]; /* under the lock */
};

/* ---- budgets.c: which scopes have one, and what was broken --------------------------------------
 */
extern struct gpm_lock gpm_budgets_lock; /* of both files; taken also by a thread that is alone */
void gpm_budgets_start(void);

/* ---- guards.c: the blocks of NO_LEAK scopes -----------------------------------------------------
 */
struct gpm_guard {         /* an activation of a NO_LEAK scope */
  struct gpm_guard *outer; /* the next around it, on this thread or where its work comes from */
  struct gpm_open *at;
  struct gpm_guard *below;           /* the next of the same thread; or in the list of free ones */
  struct gpm_guard *next, *previous; /* of all that are open */
  uint64_t bytes, blocks; /* allocated in it, or in those inside that have ended, and still live */
  uint64_t references;    /* its activation, blocks allocated right in it, guards inside */
  uint64_t inside;        /* open guards, of which it is the next open one around */
  uint32_t depth;         /* more than that of `outer` */
  bool ended;
};
/* What an activation left that ends. */
struct gpm_left {
  uint64_t bytes, blocks;
  const struct gpm_cell *largest; /* of the largest block; null: not looked for */
};
/* budget: its scope's. */
struct gpm_left gpm_guards_ended(struct gpm_thread *thread, const struct gpm_budget *budget);
void gpm_guards_forked(void);

/* ---- budget_words.c: what is said on stderr -----------------------------------------------------
 * Of each record, up to a cap. The caller holds no lock. */
struct gpm_broken {
  const struct gpm_budget *budget;
  enum gpumemprof_budget kind;
  uint64_t bytes, blocks;         /* BYTES: the own peak; NO_LEAK: what was left */
  const struct gpm_node *call;    /* NO_ALLOC: of the allocation */
  const struct gpm_cell *largest; /* NO_LEAK */
};
GPM_COLD void gpm_budget_say(const struct gpm_broken *broken);

#endif /* GPM_BUDGETS_H */
