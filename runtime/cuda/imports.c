/* imports.c - memory that another process allocated and this one opened (cudaIpcOpenMemHandle).
 *
 * It is counted separately, and once however often it is opened: a second opening gives the same
 * address, and the last closing ends the block. The driver gives the size of the memory at the
 * address.
 */
#include "base/lock.h"
#include "capture/capture.h"
#include "core/ledger.h"
#include "cuda/cuda_query.h"
#include "cuda/effects.h"
#include "tables/map.h"
#include "threads/threads.h"

static struct gpm_lock imports_lock =
    GPM_LOCK(imports);                /* protects what follows; taken before a device's lock */
static struct gpm_map open_addresses; /* address -> how often it is open, as a pointer */

static uintptr_t times_opened(uint64_t address) {
  return (uintptr_t)gpm_map_get(&open_addresses, address);
}

void gpm_imports_opened(uint64_t address) {
  uint64_t bytes = gpm_cuda_range(address);
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&imports_lock);
  uintptr_t times = times_opened(address);
  gpm_map_put(&open_addresses, address, (void *)(times + 1));
  gpm_lock_release(&imports_lock);
  if (!times)
    gpm_event_allocated(thread, GPUMEMPROF_KIND_IMPORTED, GPUMEMPROF_IMPORTED, address, bytes);
  gpm_event_leave(thread);
}

/* Records a free for the last closing, and for the closing of an unknown address. */
void gpm_imports_close(uint64_t address) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&imports_lock);
  uintptr_t times = times_opened(address);
  if (times > 1) gpm_map_put(&open_addresses, address, (void *)(times - 1));
  else gpm_map_take(&open_addresses, address);
  gpm_lock_release(&imports_lock);
  thread->pending.address = 0;
  if (times <= 1) gpm_event_free(thread, address);
  gpm_event_leave(thread);
}

void gpm_imports_closed(uint64_t address, int result) {
  if (result == GPM_CUDA_SUCCESS) return gpm_event_freed(address);
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  bool freed = thread->pending.address == address;
  if (!freed || thread->pending.pair) { /* the address was known */
    gpm_lock_take(&imports_lock);
    gpm_map_put(&open_addresses, address, (void *)(times_opened(address) + 1));
    gpm_lock_release(&imports_lock);
  }
  if (freed) gpm_ledger_free_failed(thread, result);
  else gpm_capture_count(GPUMEMPROF_COUNTER_failed_frees);
  gpm_event_leave(thread);
}

void gpm_imports_forked(void) {
  atomic_store(&imports_lock.held, 0);
  open_addresses = (struct gpm_map){0};
}
