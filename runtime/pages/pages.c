/* pages.c - records which pages of each block kernels used.
 *
 *   allocation   a window of addresses is wanted
 *   launch       the kernel's module gets the epoch, which is the allocation clock
 *   free, exit   the words of the block become records of PAGES
 *
 * A free waits for the device first, as cudaFree does itself, because kernels that use the block
 * may be running. A page that the block shares with another one has the marks of both, and keeps
 * them when one of them is freed. Kernels without marks, and those that do what the compiler does
 * not see, may use any block that is live, and its records then say so.
 */
#include "pages/pages.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "capture/capture.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "pages/shadow.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/modules.h"
#include "records/sites.h"
#include "tables/map.h"
#include "threads/observing.h"
#include "threads/threads.h"

#include "gpumemprof/capture_pages.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_PAGES 16384u /* that are copied at once */
#define MOST_RUNS 65536u   /* of a block; after that only the states of pages begin a new one */

gpm_shadow_find _Atomic gpm_pages_finder;
static struct gpm_table pages_table; /* under gpm_tree_lock */
static _Atomic uint64_t
    latest_unseen; /* clock when a kernel that is not all seen was launched, + 1 */
/* BLOCK_PAGES of each, made when pages are read for the first time; under gpm_pages_lock, as those:
 */
static struct gpumemprof_page *block_pages, *pages_of_device;
static struct gpm_map seen_kernels, unseen_kernels; /* by function */

static void at_exit(void);

GPM_EXPORT void __gpumemprof_page_finder(gpm_shadow_find find) {
  atomic_store(&gpm_pages_finder, find);
  gpm_own_next_generation();
}

void gpm_pages_start(void) {
  pages_table = (struct gpm_table){GPUMEMPROF_CHUNK_PAGES, sizeof(struct gpumemprof_capture_pages),
                                   0, 0, NULL};
}

void gpm_pages_forked(void) {
  gpm_shadow_forked();
}

static uint64_t now(void) {
  return __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
}

/* ---- launches -----------------------------------------------------------------------------------
 */

/* Whether the module says that it does not see all that the kernel does. */
static bool is_unseen(const struct gpm_shadow_module *module, const struct gpumemprof_kernel *k) {
  char name[4096];
  size_t length = gpm_text_add(name, sizeof name, 0, GPUMEMPROF_PAGES_UNSEEN);
  length = gpm_text_add(name, sizeof name, length, gpm_sites_text(&k->symbol));
  return !k->symbol || length + 1 >= sizeof name || gpm_shadow_has(module, name);
}

/* Under the lock. Returns whether all that the kernel does will be in the words. */
static bool prepare(const void *kernel) {
  struct gpm_shadow *shadow = gpm_shadow_current();
  if (!shadow) return false;
  const struct gpumemprof_kernel *k = kernel ? gpm_modules_find_kernel(kernel) : NULL;
  struct gpm_shadow_module *module =
      k ? gpm_shadow_module_of(shadow, kernel, atomic_load(&gpm_pages_finder)) : NULL;
  gpm_shadow_enter(shadow, module, kernel, now());
  if (!module || gpm_map_get(&unseen_kernels, (uintptr_t)kernel)) return false;
  if (gpm_map_get(&seen_kernels, (uintptr_t)kernel)) return true;
  bool seen = !is_unseen(module, k);
  gpm_map_put(seen ? &seen_kernels : &unseen_kernels, (uintptr_t)kernel, module);
  return seen;
}

void gpm_pages_launch(const void *kernel) {
  static _Atomic bool registered;
  gpm_lock_take(&gpm_pages_lock);
  bool seen = prepare(kernel);
  gpm_lock_release(&gpm_pages_lock);
  if (!seen) atomic_store(&latest_unseen, now() + 1);
  /* CUDA has registered its own end by now, so that ours comes before it. */
  if (!atomic_exchange(&registered, true)) atexit(at_exit);
}

/* ---- blocks -------------------------------------------------------------------------------------
 */

/* What kernels use at the address that the program has. */
static bool is_marked(uint16_t kind) {
  return kind == GPUMEMPROF_KIND_DEVICE || kind == GPUMEMPROF_KIND_POOL ||
         kind == GPUMEMPROF_KIND_MANAGED;
}

void gpm_pages_allocated(const struct gpm_cell *cell, uint64_t address, uint64_t bytes) {
  if (is_marked(cell->kind)) gpm_shadow_want(address, bytes);
}

struct runs {
  struct gpumemprof_capture_pages now; /* pages 0: none */
  uint32_t count;
};

static void end_run(struct runs *r) {
  if (!r->now.pages) return;
  gpm_lock_take(&gpm_tree_lock);
  struct gpumemprof_capture_pages *record = gpm_table_next(&pages_table);
  if (record) {
    *record = r->now;
    gpm_table_publish(&pages_table);
  }
  gpm_lock_release(&gpm_tree_lock);
  r->count++;
}

static void add_page(struct runs *r, const struct gpumemprof_page *page) {
  uint16_t bits = (uint16_t)((page->read ? GPUMEMPROF_PAGE_READ : 0) |
                             (page->written ? GPUMEMPROF_PAGE_WRITTEN : 0));
  uint32_t latest = page->read > page->written ? page->read : page->written;
  uint64_t last = latest ? latest - 1 : 0;
  uint16_t flags = (uint16_t)((r->now.flags & GPUMEMPROF_PAGE_UNSEEN) | bits);
  bool same =
      r->now.pages && flags == r->now.flags && (last == r->now.last || r->count >= MOST_RUNS);
  if (!same) {
    end_run(r);
    r->now.first += r->now.pages;
    r->now.pages = 0;
    r->now.flags = flags;
    r->now.last = 0;
  }
  r->now.pages++;
  if (last > r->now.last) r->now.last = last;
}

/* Of the words of all devices, as kernels of each may use the block, the latest. */
static bool read_pages(uint64_t page, uint32_t count) {
  if (!block_pages && !(block_pages = gpm_memory_try(2 * BLOCK_PAGES * sizeof *block_pages)))
    return false;
  pages_of_device = block_pages + BLOCK_PAGES;
  memset(block_pages, 0, count * sizeof *block_pages);
  for (struct gpm_shadow *s = NULL; (s = gpm_shadow_next(s));) {
    if (!gpm_shadow_read(s, page, count, pages_of_device)) return false;
    for (uint32_t i = 0; i < count; i++) {
      struct gpumemprof_page *p = &block_pages[i], *its = &pages_of_device[i];
      if (its->read > p->read) p->read = its->read;
      if (its->written > p->written) p->written = its->written;
    }
  }
  return true;
}

/* Under the lock. */
static void record_block(uint64_t address, const struct gpm_block *block,
                         const struct gpm_cell *cell) {
  uint64_t first = address >> GPUMEMPROF_PAGE_BITS;
  uint64_t count = ((address + block->bytes - 1) >> GPUMEMPROF_PAGE_BITS) - first + 1;
  /* The host may use managed memory, too. */
  bool unseen = cell->kind == GPUMEMPROF_KIND_MANAGED || atomic_load(&latest_unseen) > block->clock;
  struct runs r = {.now = {.address = address,
                           .allocated = block->clock,
                           .device = cell->device->index,
                           .flags = unseen ? GPUMEMPROF_PAGE_UNSEEN : 0}};
  for (uint64_t done = 0; done < count;) {
    uint32_t piece = count - done < BLOCK_PAGES ? (uint32_t)(count - done) : BLOCK_PAGES;
    if (!read_pages(first + done, piece)) return; /* readers see that the rest is missing */
    for (uint32_t i = 0; i < piece; i++) add_page(&r, &block_pages[i]);
    done += piece;
  }
  end_run(&r);
}

/* Whether a live block has bytes of the range. Blocks begin at multiples of 512 bytes. */
static bool holds_block(uint64_t from, uint64_t end) {
  uint64_t start;
  for (uint64_t at = from; at < end; at += UINT64_C(1) << GPM_GRANULE_BITS)
    if (gpm_blocks_find_interior(at, &start)) return true;
  return false;
}

/* Clears the words of a block that ends, but for those of pages that it shares with another one. */
static void clear(uint64_t address, uint64_t bytes) {
  const uint64_t in_page = GPUMEMPROF_PAGE_SIZE - 1,
                 granule = (UINT64_C(1) << GPM_GRANULE_BITS) - 1;
  uint64_t first = address >> GPUMEMPROF_PAGE_BITS;
  uint64_t end = (address + bytes + in_page) >> GPUMEMPROF_PAGE_BITS;
  uint64_t behind = (address + bytes + granule) & ~granule;
  if (holds_block(address & ~in_page, address)) first++;
  if (holds_block(behind, (address + bytes + in_page) & ~in_page)) end--;
  if (end <= first) return;
  for (struct gpm_shadow *s = NULL; (s = gpm_shadow_next(s));)
    gpm_shadow_clear(s, first, end - first);
}

static void record_live_block(uint64_t address, struct gpm_block *block, void *data) {
  const struct gpm_cell *cell = atomic_load(&block->cell);
  (void)data;
  if (cell && is_marked(cell->kind) && block->bytes) record_block(address, block, cell);
}

/* Waits for the kernels that were launched. False: CUDA reports an error, or forbids to wait. */
static bool wait_for_device(void) {
  const struct gpm_driver *d = gpm_driver();
  return d->cuCtxSynchronize && !d->cuCtxSynchronize();
}

/* Nothing is asked of the device where no kernel marked a page. */
static bool has_marks(void) {
  if (!gpm_pages_are_wanted()) return false;
  gpm_lock_take(&gpm_pages_lock);
  bool any = gpm_shadow_next(NULL) != NULL;
  gpm_lock_release(&gpm_pages_lock);
  return any;
}

void gpm_pages_freeing(uint64_t address) {
  if (!has_marks()) return;
  struct gpm_block *block = gpm_blocks_find(address);
  const struct gpm_cell *cell = block ? atomic_load(&block->cell) : NULL;
  if (!cell || !is_marked(cell->kind) || !block->bytes || !wait_for_device()) return;
  gpm_lock_take(&gpm_pages_lock);
  if (gpm_shadow_next(NULL)) {
    record_block(address, block, cell);
    clear(address, block->bytes);
  }
  gpm_lock_release(&gpm_pages_lock);
}

/* Records all that is live, and forgets what the contexts have. */
static void record_all(void) {
  if (!gpm_observed(GPM_OBSERVING_HISTORY) || !has_marks() || !wait_for_device()) return;
  gpm_lock_take(&gpm_pages_lock);
  if (gpm_shadow_next(NULL)) gpm_blocks_each(record_live_block, NULL);
  gpm_lock_release(&gpm_pages_lock);
}

static void at_exit(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_event_enter() : NULL;
  if (!thread) return;
  record_all();
  gpm_event_leave(thread);
}

/* What stays on the device, as memory of pools does, has lost its words. */
void gpm_pages_context_ends(const void *context) {
  gpm_lock_take(&gpm_pages_lock);
  if (gpm_shadow_drop(context)) atomic_store(&latest_unseen, now() + 1);
  gpm_lock_release(&gpm_pages_lock);
}

void gpm_pages_forget(void) {
  gpm_lock_take(&gpm_pages_lock);
  seen_kernels = unseen_kernels = (struct gpm_map){NULL, 0, 0};
  gpm_shadow_forget();
  gpm_lock_release(&gpm_pages_lock);
}
