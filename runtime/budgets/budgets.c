/* budgets.c - scopes with a budget: their nodes, and the records of their violations.
 *
 * call_tree.c reports nodes and cells when it creates them, and shadow_stack.c reports activations
 * that end. A scope without a budget costs the test of one word when its frame is opened, and
 * nothing when it ends. A violation is one record for each call path and budget, and one line on
 * stderr (budget_words.c).
 */
#include "budgets/budgets.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "threads/threads.h"

struct gpm_lock gpm_budgets_lock =
    GPM_LOCK(budgets); /* protects the records, and everything of guards.c */
static struct gpm_table violation_table;

void gpm_budgets_start(void) {
  violation_table = (struct gpm_table){GPUMEMPROF_CHUNK_VIOLATIONS,
                                       sizeof(struct gpumemprof_capture_violation), 0, 0, NULL};
}

void gpm_budgets_node(struct gpm_node *node, const struct gpumemprof_capture_site *site) {
  struct gpm_budget *above = node->parent ? node->parent->budget : NULL;
  node->budget = above;
  bool scope =
      site && (site->kind == GPUMEMPROF_SITE_FUNCTION || site->kind == GPUMEMPROF_SITE_BLOCK);
  uint16_t flags = scope ? site->flags & GPUMEMPROF_SITE_BUDGETS : 0;
  struct gpm_budget *b = flags ? gpm_memory_get(sizeof *b) : NULL;
  if (!b) return;
  b->node = node;
  b->outer = above;
  b->bytes = site->budget;
  b->flags = flags;
  b->around = above ? above->around | flags : flags;
  node->budget = b;
  if (flags & (GPUMEMPROF_SITE_BUDGET | GPUMEMPROF_SITE_NO_LEAK))
    node->opens_with = GPUMEMPROF_ACTIVATION_JUDGED;
}

/* Returns the record, which is created if there is none, or null when there is no room. The caller
 * holds the lock. */
static struct gpumemprof_capture_violation *record_of(struct gpm_budget *b,
                                                      enum gpumemprof_budget kind, uint32_t where) {
  struct gpumemprof_capture_violation *v = b->broken[kind];
  if (v || !(v = gpm_table_next(&violation_table))) return v;
  v->node = b->node->id;
  v->budget = (uint16_t)kind;
  v->where = where;
  v->first_ticks = gpm_ticks();
  v->first_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  gpm_table_publish(&violation_table);
  return b->broken[kind] = v;
}

void gpm_budgets_cell(const struct gpm_node *node, uint16_t kind) {
  if (!gpumemprof_kind_has_budget(kind)) return;
  for (struct gpm_budget *b = node->budget; b; b = b->outer) {
    if (!(b->flags & GPUMEMPROF_SITE_NO_ALLOC)) continue;
    gpm_lock_take(&gpm_budgets_lock);
    bool known = b->broken[GPUMEMPROF_BUDGET_NO_ALLOC];
    bool made = !known && record_of(b, GPUMEMPROF_BUDGET_NO_ALLOC, node->id);
    gpm_lock_release(&gpm_budgets_lock);
    if (known) break; /* then those above it are known, too */
    struct gpm_broken broken = {.budget = b, .kind = GPUMEMPROF_BUDGET_NO_ALLOC, .call = node};
    if (made) gpm_budget_say(&broken);
  }
}

/* Records one more activation that exceeded the budget. */
static void broke(struct gpm_broken *broken, struct gpm_budget *b) {
  gpm_lock_take(&gpm_budgets_lock);
  bool known = b->broken[broken->kind];
  uint32_t where = broken->largest ? broken->largest->record->node : GPUMEMPROF_NONE;
  struct gpumemprof_capture_violation *v = record_of(b, broken->kind, where);
  if (v) {
    __atomic_store_n(&v->times, v->times + 1, __ATOMIC_RELAXED);
    if (broken->bytes >= v->bytes) {
      v->bytes = broken->bytes;
      v->blocks = broken->blocks;
    }
  }
  gpm_lock_release(&gpm_budgets_lock);
  broken->budget = b;
  if (v && !known) gpm_budget_say(broken);
}

void gpm_budgets_ended(struct gpm_thread *thread, const struct gpm_node *node,
                       const struct gpumemprof_capture_activation *ended) {
  struct gpm_budget *b = node->budget;
  if (b->flags & GPUMEMPROF_SITE_BUDGET && (uint64_t)ended->peak > b->bytes)
    broke(&(struct gpm_broken){.kind = GPUMEMPROF_BUDGET_BYTES, .bytes = (uint64_t)ended->peak}, b);
  if (b->flags & GPUMEMPROF_SITE_NO_LEAK) {
    struct gpm_left left = gpm_guards_ended(thread, b);
    if (left.blocks)
      broke(&(struct gpm_broken){.kind = GPUMEMPROF_BUDGET_NO_LEAK,
                                 .bytes = left.bytes,
                                 .blocks = left.blocks,
                                 .largest = left.largest},
            b);
  }
}

bool gpm_budgets_guard(const struct gpm_node *node, uint16_t kind) {
  return node->budget && node->budget->around & GPUMEMPROF_SITE_NO_LEAK &&
         gpumemprof_kind_has_budget(kind);
}
