/* guards.c - blocks that were allocated while a NO_LEAK scope was open, until they are freed.
 *
 * An activation of such a scope has a guard, which counts the blocks that were allocated in it or
 * below it and are live. So what is left behind is known as soon as the activation ends, whatever
 * else it freed and whichever thread frees:
 *
 *   main ── load (guard A) ── decode (guard B, outer A) ── block: B, and A when B has ended
 *             │ capture                                       ▲ map: address -> B
 *   worker ───┴─ attach ── block: A                           any thread's free
 *
 * A block is counted once, by the innermost open guard around it. A guard that ends adds its count
 * to the next guard outwards, so that deep nesting costs no more. Guards on other threads may still
 * be open when the one around them ends (`inside` counts them): then the list of open guards is
 * searched for them.
 *
 * ledger.c reports the blocks of guarded cells, which are those below a NO_LEAK scope. repeats.c
 * never handles such blocks, so programs without NO_LEAK pay nothing. gpm_budgets_lock protects
 * everything here.
 */
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/taps.h"
#include "budgets/budgets.h"
#include "core/contexts.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "tables/map.h"
#include "threads/threads.h"

/* The most searches for the largest block left behind; each one walks the map. */
#define GPM_GUARD_SEARCHES 16

static struct gpm_map guarded_blocks; /* address -> the innermost guard */
static struct gpm_guard *free_guards, *open_guards;
static unsigned guard_searches;

static void unrefer(struct gpm_guard *g) {
  while (g && !--g->references) {
    struct gpm_guard *outer = g->outer;
    g->below = free_guards;
    free_guards = g;
    g = outer;
  }
}

/* Returns the innermost open guard among g and those around it, or null. Guards that have ended are
 * unlinked on the way, which makes the next search shorter. */
static struct gpm_guard *still_open(struct gpm_guard *g) {
  while (g && g->ended) {
    struct gpm_guard *next = g->outer;
    if (next && next->ended) {
      g->outer = next->outer;
      if (g->outer) g->outer->references++;
      unrefer(next);
    }
    g = g->outer;
  }
  return g;
}

/* Returns the innermost guard around the work of a thread that works for others, or null. */
static GPM_COLD struct gpm_guard *guard_of_work(const struct gpm_thread *thread) {
  const struct gpm_open *open = thread->latest;
  struct gpm_guard *g = thread->guard; /* a thread's list begins with the innermost */
  gpm_lock_take(&gpm_contexts_lock);
  while (open && open->frame && !(g && g->at == open)) {
    if (!(open->record->flags & GPUMEMPROF_ACTIVATION_ATTACHED)) {
      open--;
      continue;
    }
    open = gpm_contexts_home(open, &thread);
    g = open ? thread->guard : NULL;
    while (g && g->at > open) g = g->below;
  }
  gpm_lock_release(&gpm_contexts_lock);
  return open && open->frame ? g : NULL;
}

/* Returns the innermost guard around what the thread does now, or null. */
static struct gpm_guard *innermost_guard(struct gpm_thread *thread) {
  return GPM_UNLIKELY(thread->delegating) ? guard_of_work(thread) : thread->guard;
}

void gpm_guards_opened(struct gpm_thread *thread) {
  const struct gpm_node *node = thread->latest->frame->node;
  if (!(node->budget->flags & GPUMEMPROF_SITE_NO_LEAK)) return;
  gpm_lock_take(&gpm_budgets_lock);
  struct gpm_guard *g = free_guards;
  if (g) free_guards = g->below;
  else g = gpm_memory_get(sizeof *g);
  if (g) {
    *g = (struct gpm_guard){.outer = innermost_guard(thread),
                            .at = thread->latest,
                            .below = thread->guard,
                            .next = open_guards,
                            .references = 1};
    if (g->outer) {
      g->outer->references++;
      g->outer->inside++;
      g->depth = g->outer->depth + 1;
    }
    if (open_guards) open_guards->previous = g;
    open_guards = thread->guard = g;
  }
  gpm_lock_release(&gpm_budgets_lock);
}

static bool is_around(const struct gpm_guard *outer, struct gpm_guard *g) {
  g = still_open(g);
  while (g && g->depth > outer->depth) g = still_open(g->outer);
  return g == outer;
}

/* Returns the cell of the largest block that the guard counts, and of equal ones the oldest. No
 * address can be reused during the search, because the free of its block would first have to take
 * the lock. */
static const struct gpm_cell *largest_left(const struct gpm_guard *guard) {
  const struct gpm_cell *largest = NULL;
  uint64_t bytes = 0, clock = 0;
  if (guard_searches++ >= GPM_GUARD_SEARCHES) return NULL;
  for (uint32_t i = 0; i < guarded_blocks.room; i++) {
    const struct gpm_map_slot *slot = &guarded_blocks.slots[i];
    if (!slot->value || !is_around(guard, slot->value)) continue;
    struct gpm_block *block = gpm_blocks_find(slot->key);
    const struct gpm_cell *cell = block ? atomic_load(&block->cell) : NULL;
    if (!cell || (largest && block->bytes < bytes)) continue;
    if (largest && block->bytes == bytes && block->clock > clock) continue;
    largest = cell;
    bytes = block->bytes;
    clock = block->clock;
  }
  return largest;
}

static struct gpm_left left_in(const struct gpm_guard *g) {
  struct gpm_left left = {.bytes = g->bytes, .blocks = g->blocks};
  for (struct gpm_guard *one = g->inside ? open_guards : NULL; one; one = one->next)
    if (one != g && is_around(g, one)) {
      left.bytes += one->bytes;
      left.blocks += one->blocks;
    }
  return left;
}

static void count_guarded(struct gpm_guard *g, uint64_t bytes, uint64_t blocks) {
  g = still_open(g);
  if (!g) return;
  g->bytes += bytes;
  g->blocks += blocks;
  GPM_ASSERT(gpm_lock_is_mine(&gpm_budgets_lock));
}

/* Moves its count, and the guards inside it, to the next guard outwards. */
static void end_guard(struct gpm_guard *g) {
  if (g->next) g->next->previous = g->previous;
  *(g->previous ? &g->previous->next : &open_guards) = g->next;
  GPM_ASSERT(gpm_lock_is_mine(&gpm_budgets_lock) && !g->ended);
  g->ended = true;
  struct gpm_guard *around = still_open(g);
  count_guarded(around, g->bytes, g->blocks);
  if (around) around->inside += g->inside - 1;
  unrefer(g);
}

struct gpm_left gpm_guards_ended(struct gpm_thread *thread, const struct gpm_budget *budget) {
  struct gpm_left left = {0};
  gpm_lock_take(&gpm_budgets_lock);
  struct gpm_guard *g = thread->guard;
  if (g && g->at == thread->latest) {
    thread->guard = g->below;
    left = left_in(g);
    if (left.blocks && !budget->broken[GPUMEMPROF_BUDGET_NO_LEAK]) left.largest = largest_left(g);
    end_guard(g);
  }
  gpm_lock_release(&gpm_budgets_lock);
  return left;
}

bool gpm_guards_allocated(struct gpm_thread *thread, uint64_t address, uint64_t bytes) {
  gpm_lock_take(&gpm_budgets_lock);
  struct gpm_guard *g = innermost_guard(thread);
  if (g && gpm_map_put(&guarded_blocks, address, g)) {
    g->references++;
    count_guarded(g, bytes, 1);
  } else g = NULL;
  gpm_lock_release(&gpm_budgets_lock);
  return g;
}

/* The thread keeps the reference until its next guarded free, because this free may fail. */
void gpm_guards_freed(struct gpm_thread *thread, uint64_t address, uint64_t bytes) {
  gpm_lock_take(&gpm_budgets_lock);
  struct gpm_guard *g = gpm_map_take(&guarded_blocks, address);
  count_guarded(g, 0 - bytes, (uint64_t)-1);
  unrefer(thread->freed_guard);
  thread->freed_guard = g;
  gpm_lock_release(&gpm_budgets_lock);
}

void gpm_guards_free_failed(struct gpm_thread *thread, uint64_t address, uint64_t bytes) {
  gpm_lock_take(&gpm_budgets_lock);
  struct gpm_guard *g = thread->freed_guard;
  if (g && gpm_map_put(&guarded_blocks, address, g)) {
    thread->freed_guard = NULL;
    count_guarded(g, bytes, 1);
  }
  gpm_lock_release(&gpm_budgets_lock);
}

void gpm_guards_forked(void) {
  atomic_store(&gpm_budgets_lock.held, 0);
  guarded_blocks = (struct gpm_map){0};
  free_guards = open_guards =
      NULL; /* another thread of the parent may have been changing the list */
  guard_searches = 0;
}
