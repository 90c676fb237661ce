/* resets.c - calls that end many blocks at once: the end of a context, of which a device's reset is
 * one.
 *
 * The end of a context frees its device, managed, pinned and array memory. Memory of pools, graphs
 * and cuMemCreate belongs to the device and stays (observed on an H200), and the program's
 * variables return with the next use. Before the call the driver is asked for each block's context,
 * because another thread may allocate before the call returns; after a successful call, the blocks
 * found are freed at its line. CUDA does not report the context of an array, so the arrays on the
 * device are assumed to belong to its primary context.
 */
#include "base/memory.h"
#include "base/taps.h"
#include "core/ledger.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "cuda/samples.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "records/devices.h"
#include "threads/threads.h"

struct gpm_reset { /* what the call under way of a thread ends */
  gpm_context context;
  const struct gpm_device *device; /* whose primary context it is, or null */
  uint64_t until;                  /* the clock before the call */
  uint64_t *addresses;
  uint32_t count, room;
};

static bool remember(struct gpm_reset *r, uint64_t address) {
  if (r->count == r->room) {
    uint32_t room = r->room ? r->room * 2 : 4096;
    uint64_t *larger = gpm_memory_larger(r->addresses, r->count * sizeof *larger,
                                         r->room * sizeof *larger, room * sizeof *larger);
    if (!larger) return false;
    r->addresses = larger;
    r->room = room;
  }
  r->addresses[r->count++] = address;
  return true;
}

static bool goes_with(const struct gpm_reset *r, uint64_t address, const struct gpm_cell *cell) {
  gpm_context context = NULL;
  switch (cell->kind) {
  case GPUMEMPROF_KIND_ARRAY:
    return cell->device == r->device;
  case GPUMEMPROF_KIND_DEVICE:
  case GPUMEMPROF_KIND_MANAGED:
  case GPUMEMPROF_KIND_PINNED:
    return !gpm_driver()->cuPointerGetAttribute(&context, GPM_POINTER_CONTEXT, address) &&
           context == r->context;
  default:
    return false;
  }
}

static void choose(uint64_t address, struct gpm_block *block, void *data) {
  struct gpm_reset *r = data;
  struct gpm_cell *cell = atomic_load(&block->cell);
  if (cell && goes_with(r, address, cell)) remember(r, address);
}

static void before_end(gpm_context context, int primary_of) {
  if (!gpm_driver()->cuPointerGetAttribute) return;
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  if (!thread->reset) thread->reset = gpm_memory_get(sizeof *thread->reset);
  struct gpm_reset *r = thread->reset;
  if (r) {
    r->context = context;
    r->device = gpm_ledger_known_device(primary_of);
    r->until = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
    r->count = 0;
    if (context) gpm_blocks_each(choose, r);
    for (uint32_t i = 0; i < r->count; i++) gpm_pages_freeing(r->addresses[i]);
    gpm_pages_context_ends(context);
  }
  gpm_event_leave(thread);
}

static bool is_active(int ordinal) {
  const struct gpm_driver *driver = gpm_driver();
  unsigned flags = 0;
  int active = 0;
  return driver->cuDevicePrimaryCtxGetState &&
         !driver->cuDevicePrimaryCtxGetState(ordinal, &flags, &active) && active;
}

/* The primary context of a device; null if it has none. CUPTI must not report these calls, which
 * are not the program's. */
static gpm_context primary_context(int ordinal) {
  const struct gpm_driver *driver = gpm_driver();
  gpm_context context = NULL;
  uintptr_t outer = __gpumemprof_stack.inside;
  __gpumemprof_stack.inside = (uintptr_t)__builtin_frame_address(0);
  if (is_active(ordinal) && driver->cuDevicePrimaryCtxRetain &&
      !driver->cuDevicePrimaryCtxRetain(&context, ordinal))
    driver->cuDevicePrimaryCtxRelease_v2(ordinal);
  __gpumemprof_stack.inside = outer;
  return context;
}

void gpm_reset_device(int ordinal) {
  gpm_samples_ending();
  before_end(primary_context(ordinal), ordinal);
}

void gpm_reset_current(void) {
  int ordinal = -1;
  const struct gpm_driver *driver = gpm_driver();
  if (driver->cuCtxGetDevice && !driver->cuCtxGetDevice(&ordinal)) gpm_reset_device(ordinal);
  else gpm_reset_context(NULL);
}

void gpm_reset_context(gpm_context context) {
  gpm_samples_ending();
  before_end(context, GPUMEMPROF_CUSTOM - 1);
}

static void free_all(int result) {
  struct gpm_thread *thread = result == GPM_CUDA_SUCCESS ? gpm_event_enter() : NULL;
  struct gpm_reset *r = thread ? thread->reset : NULL;
  for (uint32_t i = 0; r && i < r->count; i++) {
    struct gpm_block *block = gpm_blocks_find(r->addresses[i]);
    if (block && atomic_load(&block->cell) && block->clock <= r->until)
      gpm_ledger_free(thread, r->addresses[i]);
  }
  if (r) r->count = 0;
  if (thread) gpm_event_leave(thread);
}

void gpm_reset_done(int result) {
  free_all(result);
  gpm_samples_ended();
}

void gpm_reset_released(int ordinal, int result) {
  if (result == GPM_CUDA_SUCCESS && !is_active(ordinal)) free_all(result);
  gpm_samples_ended();
}
