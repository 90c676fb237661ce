/* virtual_memory.c - physical memory of cuMemCreate: one block from its creation until it is
 * released as often as it was created or retained, and unmapped from everywhere.
 *
 * The lines of cuda_api.def call these functions. Addresses that are only reserved take no memory
 * and are not recorded. The driver may reuse a handle while the memory that it named before is
 * still mapped, so a block's key is a number made here. Imported memory belongs to another process:
 * it is counted separately, from its first mapping on, which gives its size.
 */
#include "base/lock.h"
#include "base/memory.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/ledger.h"
#include "cuda/effects.h"
#include "tables/map.h"
#include "threads/threads.h"

struct physical {
  uint64_t key; /* the key of its block */
  uint32_t handles, mappings;
  bool imported;
  bool counted; /* it has a block */
  struct physical *next_free;
};
struct mapping {
  struct physical *physical;
  uint64_t bytes;
  struct mapping *next_free;
};

static struct gpm_lock vmm_lock =
    GPM_LOCK(vmm); /* protects all that follows; taken before a device's lock */
static struct gpm_map by_handle, by_address;
static struct physical *free_physicals;
static struct mapping *free_mappings;

static struct physical *new_physical(gpm_physical handle, bool imported) {
  struct physical *p = free_physicals;
  if (p) free_physicals = p->next_free;
  else if (!(p = gpm_memory_get(sizeof *p))) return NULL;
  *p = (struct physical){.key = gpm_event_key(), .handles = 1, .imported = imported};
  return gpm_map_put(&by_handle, handle, p) ? p : NULL;
}

/* Ends memory that has no handle and no mapping any more. */
static void end_physical(struct gpm_thread *thread, struct physical *p) {
  if (p->counted) gpm_ledger_free(thread, p->key);
  p->next_free = free_physicals;
  free_physicals = p;
}

void gpm_vmm_created(gpm_physical handle, uint64_t bytes, int ordinal) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&vmm_lock);
  struct physical *p = new_physical(handle, false);
  uint64_t key = p ? p->key : 0;
  if (p) p->counted = true;
  gpm_lock_release(&vmm_lock);
  if (p) gpm_event_allocated(thread, GPUMEMPROF_KIND_VMM, ordinal, key, bytes);
  gpm_event_leave(thread);
}

/* The same handle may be imported twice. */
void gpm_vmm_imported(gpm_physical handle) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&vmm_lock);
  struct physical *p = gpm_map_get(&by_handle, handle);
  if (p) p->handles++;
  else new_physical(handle, true);
  gpm_lock_release(&vmm_lock);
  gpm_event_leave(thread);
}

/* The mapping that contains an address. Programs usually pass the start of one. */
static struct mapping *mapping_at(uint64_t address) {
  struct mapping *m = gpm_map_get(&by_address, address);
  for (uint32_t i = 0; !m && i < by_address.room; i++) {
    struct mapping *one = by_address.slots[i].value;
    if (one && address - by_address.slots[i].key < one->bytes) m = one;
  }
  return m;
}

void gpm_vmm_retained(gpm_physical handle, uint64_t address) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&vmm_lock);
  struct mapping *m = mapping_at(address);
  if (m) {
    m->physical->handles++;
    gpm_map_put(&by_handle, handle, m->physical);
  }
  gpm_lock_release(&vmm_lock);
  gpm_event_leave(thread);
}

void gpm_vmm_mapped(uint64_t address, uint64_t bytes, gpm_physical handle) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  uint64_t imported_key = 0;
  gpm_lock_take(&vmm_lock);
  struct physical *p = gpm_map_get(&by_handle, handle);
  struct mapping *m = p ? free_mappings : NULL;
  if (m) free_mappings = m->next_free;
  else if (p) m = gpm_memory_get(sizeof *m);
  if (m) {
    *m = (struct mapping){.physical = p, .bytes = bytes};
    if (gpm_map_put(&by_address, address, m)) p->mappings++;
    if (p->imported && !p->counted) {
      p->counted = true;
      imported_key = p->key;
    }
  }
  gpm_lock_release(&vmm_lock);
  if (imported_key)
    gpm_event_allocated(thread, GPUMEMPROF_KIND_IMPORTED, GPUMEMPROF_IMPORTED, imported_key, bytes);
  gpm_event_leave(thread);
}

/* Ends a range of whole mappings, some of which may not be known. Called after the call, because
 * the keys of blocks are not reused. */
void gpm_vmm_unmapped(uint64_t address, uint64_t bytes) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&vmm_lock);
  for (uint64_t at = address, end = address + bytes; at < end;) {
    struct mapping *m = gpm_map_take(&by_address, at);
    if (!m) break;
    struct physical *p = m->physical;
    at += m->bytes;
    m->next_free = free_mappings;
    free_mappings = m;
    if (--p->mappings == 0 && p->handles == 0) end_physical(thread, p);
  }
  gpm_lock_release(&vmm_lock);
  gpm_event_leave(thread);
}

/* Called before the call, because the driver may hand the handle out again as soon as it returns.
 */
void gpm_vmm_release(gpm_physical handle) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  thread->releasing = NULL;
  thread->pending.pair = NULL;
  gpm_lock_take(&vmm_lock);
  struct physical *p = gpm_map_get(&by_handle, handle);
  if (p) {
    thread->releasing = p;
    if (--p->handles == 0) {
      gpm_map_take(&by_handle, handle);
      if (p->mappings == 0 && p->counted) gpm_event_free(thread, p->key);
    }
  } else gpm_ledger_free(thread, handle); /* no block: counted as an unknown free */
  gpm_lock_release(&vmm_lock);
  gpm_event_leave(thread);
}

void gpm_vmm_released(gpm_physical handle, int result) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  struct physical *p = thread->releasing;
  gpm_lock_take(&vmm_lock);
  bool ended = p && p->handles == 0 && p->mappings == 0;
  if (result == GPM_CUDA_SUCCESS) {
    if (ended) {
      gpm_observers_free_succeeded(thread, p->key);
      p->next_free = free_physicals;
      free_physicals = p;
    }
  } else {
    if (p && p->handles++ == 0) gpm_map_put(&by_handle, handle, p);
    if (!p || (ended && p->counted)) gpm_ledger_free_failed(thread, result);
    else gpm_capture_count(GPUMEMPROF_COUNTER_failed_frees);
  }
  thread->releasing = NULL;
  gpm_lock_release(&vmm_lock);
  gpm_event_leave(thread);
}

void gpm_vmm_forked(void) {
  atomic_store(&vmm_lock.held, 0);
  by_handle = by_address = (struct gpm_map){0};
}
