/* custom.c - the program's own allocators: the events of their pieces.
 *
 * Compiled code calls this file for functions annotated GPUMEMPROF_ALLOCATES and GPUMEMPROF_FREES,
 * and the program itself does so by the pool calls of gpumemprof.h. A piece is a block of kind
 * CUSTOM on the ledger of that name, so it has a line, a path, a peak and a lifetime like any other
 * block; custom_pools.c knows in which memory it lies. ledger.c reports when that memory is freed.
 *
 * Allocators call themselves: an aligned allocation calls the plain one. The innermost call is the
 * one recorded, because it knows what is really taken.
 */
#include "allocators/custom.h"
#include "allocators/custom_pools.h"
#include "allocators/holes.h"
#include "base/compiler.h"
#include "base/state.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/ledger.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "records/devices.h"
#include "tables/ranges.h"
#include "threads/threads.h"

#include <errno.h>

/* ---- under the lock ----------------------------------------------------------------------------
 */

static void end_piece(struct gpm_thread *thread, struct gpm_piece *piece) {
  gpm_ledger_piece_freed(thread, &piece->block, gpm_custom_key(piece));
  gpm_custom_remove(piece);
}

static void end_segment(struct gpm_thread *thread, struct gpm_segment *s) {
  for (struct gpm_piece *p;
       (p = gpm_custom_overlapping(s->pool, s->range.start, s->range.bytes));) {
    gpm_capture_count(GPUMEMPROF_COUNTER_orphaned_pieces);
    end_piece(thread, p);
  }
  gpm_custom_shrink(s);
}

/* Returns the segment in which a new piece lies, or null if its memory was not recorded. */
static struct gpm_segment *segment_for(struct gpm_thread *thread, struct gpumemprof_pool *pool,
                                       uint64_t address, uint64_t bytes) {
  struct gpm_segment *s = gpm_custom_segment(pool, address);
  if (GPM_LIKELY(s && gpm_custom_is_live(s))) return s;
  if (s) end_segment(thread, s);
  uint64_t start;
  struct gpm_block *block = gpm_blocks_find_interior(address, &start);
  struct gpm_cell *cell = block ? atomic_load(&block->cell) : NULL;
  if (!cell) return NULL;
  while ((s = gpm_custom_segment_in(pool, start, block->bytes))) /* its free was not seen */
    end_segment(thread, s);
  gpm_ledger_watch(block);
  return gpm_custom_grow(pool, start, block, cell->device->index, bytes);
}

static void allocated(struct gpm_thread *thread, struct gpumemprof_pool *pool, uint64_t address,
                      uint64_t bytes, uint64_t entry_clock) {
  bool all_in = !pool->record->outside.blocks; /* pieces outside may overlap what looks free */
  bool is_free = all_in && gpm_holes_has(&pool->holes, address, bytes);
  struct gpm_piece *old = is_free ? NULL : gpm_custom_holding(pool, address);
  if (!old && !bytes) old = gpm_custom_find(pool, address);
  if (old && old->block.clock > entry_clock) return; /* the innermost call has recorded it */
  struct gpm_segment *segment = segment_for(thread, pool, address, bytes);
  while (!is_free && (old = gpm_custom_overlapping(pool, address, bytes))) {
    gpm_ledger_piece_replaced(thread, &old->block, gpm_custom_key(old));
    gpm_custom_remove(old); /* its free was not seen */
  }
  struct gpm_device *device = gpm_ledger_device(GPUMEMPROF_CUSTOM);
  struct gpm_piece *piece = device ? gpm_custom_add(pool, address, bytes, segment) : NULL;
  if (piece &&
      !gpm_ledger_piece_allocated(thread, device, &piece->block, gpm_custom_key(piece), bytes))
    gpm_custom_remove(piece);
}

static void reset_pool(struct gpm_thread *thread, struct gpumemprof_pool *pool) {
  struct gpm_range *r = gpm_ranges_first(pool->pieces), *next;
  for (; r; r = next) { /* in the order of addresses, so that a single hole grows */
    next = gpm_ranges_next(r);
    end_piece(thread, (struct gpm_piece *)(void *)r);
  }
}

/* Whether this free is called from another one, which may have ended the piece already. */
static bool is_inside_a_free(const struct gpm_thread *thread) {
  const struct gpumemprof_frame *f = __gpumemprof_stack.top;
  while (f-- > thread->frames) {
    const struct gpumemprof_site *scope = f->scope;
    if (scope && scope->kind == GPUMEMPROF_SITE_FUNCTION &&
        scope->flags & GPUMEMPROF_SITE_ALLOCATOR)
      return true;
  }
  return false;
}

static GPM_COLD void freed_unknown(const struct gpm_thread *thread, struct gpumemprof_pool *pool,
                                   uint64_t address) {
  /* This is an outer free, and the inner one knows where the piece begins; or it is an inner free
   * of a piece that the outer one has ended. */
  if ((pool && gpm_custom_holding(pool, address)) || is_inside_a_free(thread)) return;
  gpm_capture_count(GPUMEMPROF_COUNTER_unknown_pieces);
}

/* ---- into the runtime and out ------------------------------------------------------------------
 */

struct visit {
  struct gpm_thread *thread; /* null: nothing can be recorded */
  int saved_errno;
};

static struct visit visit_begin(void) {
  struct visit v = {.saved_errno = errno};
  v.thread = gpm_thread_enter();
  if (v.thread) gpm_lock_take(&gpm_custom_lock);
  else gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  return v;
}

static void visit_end(struct visit *v) {
  if (!v->thread) return;
  gpm_lock_release(&gpm_custom_lock);
  gpm_end(v->thread);
  errno = v->saved_errno;
}

void gpm_custom_segment_freed(struct gpm_thread *thread, uint64_t address) {
  gpm_lock_take(&gpm_custom_lock);
  for (struct gpm_segment *s; (s = gpm_custom_segment_at(address));) end_segment(thread, s);
  gpm_lock_release(&gpm_custom_lock);
}

static bool is_range(uint64_t address, uint64_t bytes) {
  if (GPM_LIKELY(bytes <= UINT64_MAX - address)) return true;
  gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  return false;
}

GPM_EXPORT void __gpumemprof_piece_allocated(const void *handle, const char *name,
                                             const void *pointer, uint64_t bytes,
                                             uint64_t entry_clock) {
  uint64_t address = (uintptr_t)pointer;
  if (!address || !is_range(address, bytes)) return;
  struct visit v = visit_begin();
  struct gpumemprof_pool *pool = v.thread ? gpm_custom_get(handle, name) : NULL;
  if (pool) {
    v.thread->piece_freed_at_call = 0;
    allocated(v.thread, pool, address, bytes, entry_clock);
  }
  visit_end(&v);
}

GPM_EXPORT void __gpumemprof_piece_freed(const void *handle, const char *name, const void *pointer,
                                         uint32_t at_call) {
  uint64_t address = (uintptr_t)pointer;
  if (!address) return;
  struct visit v = visit_begin();
  if (v.thread) {
    bool known = !at_call && v.thread->piece_freed_at_call == address;
    v.thread->piece_freed_at_call = at_call ? address : 0;
    struct gpm_piece *piece = known ? NULL : gpm_custom_find_any(handle, address);
    if (piece) end_piece(v.thread, piece);
    else if (!known) freed_unknown(v.thread, gpm_custom_known(handle, name), address);
  }
  visit_end(&v);
}

/* ---- called by the program (gpumemprof.h) ------------------------------------------------------
 */

/* Like visit_begin, but the thread is null also when the pool no longer exists. */
static struct visit visit_pool(struct gpumemprof_pool *pool) {
  struct visit v = visit_begin();
  if (!v.thread) return v;
  v.thread->piece_freed_at_call = 0;
  if (!pool->destroyed && gpm_custom_renew(pool)) return v;
  if (pool->destroyed) gpm_capture_count(GPUMEMPROF_COUNTER_unknown_pieces);
  visit_end(&v);
  v.thread = NULL;
  return v;
}

GPM_EXPORT struct gpumemprof_pool *__gpumemprof_pool_create(const char *name);
struct gpumemprof_pool *__gpumemprof_pool_create(const char *name) {
  struct visit v = visit_begin();
  struct gpumemprof_pool *pool = v.thread ? gpm_custom_make(NULL, name ? name : "") : NULL;
  visit_end(&v);
  return pool;
}

GPM_EXPORT void __gpumemprof_pool_alloc(struct gpumemprof_pool *pool, const void *pointer,
                                        uint64_t bytes);
void __gpumemprof_pool_alloc(struct gpumemprof_pool *pool, const void *pointer, uint64_t bytes) {
  uint64_t address = (uintptr_t)pointer;
  if (!address || !is_range(address, bytes)) return;
  struct visit v = visit_pool(pool);
  if (v.thread) allocated(v.thread, pool, address, bytes, UINT64_MAX);
  visit_end(&v);
}

GPM_EXPORT void __gpumemprof_pool_free(struct gpumemprof_pool *pool, const void *pointer);
void __gpumemprof_pool_free(struct gpumemprof_pool *pool, const void *pointer) {
  if (!pointer) return;
  struct visit v = visit_pool(pool);
  struct gpm_piece *piece = v.thread ? gpm_custom_find(pool, (uintptr_t)pointer) : NULL;
  if (piece) end_piece(v.thread, piece);
  else if (v.thread) gpm_capture_count(GPUMEMPROF_COUNTER_unknown_pieces);
  visit_end(&v);
}

GPM_EXPORT void __gpumemprof_pool_reset(struct gpumemprof_pool *pool);
void __gpumemprof_pool_reset(struct gpumemprof_pool *pool) {
  struct visit v = visit_pool(pool);
  if (v.thread) reset_pool(v.thread, pool);
  visit_end(&v);
}

GPM_EXPORT void __gpumemprof_pool_destroy(struct gpumemprof_pool *pool);
void __gpumemprof_pool_destroy(struct gpumemprof_pool *pool) {
  struct visit v = visit_pool(pool);
  if (v.thread) {
    reset_pool(v.thread, pool);
    while (pool->segments) gpm_custom_shrink((struct gpm_segment *)(void *)pool->segments);
    gpm_custom_destroyed(pool);
  }
  visit_end(&v);
}
