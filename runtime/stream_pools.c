/* stream_pools.c - pools of stream-ordered memory: what they took from the device (reserved) and
 * what of it is handed out (used), by their own account.
 *
 * The ledger counts cudaMallocAsync and cudaFreeAsync in the order the program calls them; a pool
 * gives back later, and keeps what it has. cuda_hooks.c brings a look where a pool must have grown
 * or may have changed, and now and then; a sample is taken where one did. Between looks the high
 * marks, which CUDA keeps exactly, hold what was missed. What CUDA keeps for graphs on a device is
 * treated as one more pool.
 */
#include "driver.h"
#include "effects.h"
#include "ledger.h"
#include "observers.h"
#include "samples.h"

struct pool {
  gpm_pool handle; /* null: of graphs */
  struct gpm_device *device;
  struct gpumemprof_capture_pool *record;
  uint32_t id;
  struct pool *next;
};

static struct gpm_lock pools_lock =
    GPM_LOCK(pools); /* protects what follows, and that no pool ends during a look */
static struct pool *pools;
static struct gpm_table pool_table;

static struct pool *find_pool(const struct gpm_device *device, gpm_pool handle) {
  struct pool *p = pools;
  while (p && (p->handle != handle || (!handle && p->device != device) ||
               p->record->flags & GPUMEMPROF_POOL_DESTROYED))
    p = p->next;
  return p;
}

static struct pool *add_pool(struct gpm_thread *thread, struct gpm_device *device, gpm_pool handle,
                             uint16_t flags, bool made_here) {
  struct pool *p = find_pool(device, handle);
  if (p) return p;
  uint32_t site = GPUMEMPROF_NONE;
  if (made_here) {
    gpm_lock_take(&gpm_tree_lock);
    site = gpm_sites_intern(gpm_event_line(thread));
    gpm_lock_release(&gpm_tree_lock);
  }
  struct gpumemprof_capture_pool *record = gpm_table_next(&pool_table);
  if (!record || !(p = gpm_memory_get(sizeof *p))) return NULL;
  *record = (struct gpumemprof_capture_pool){
      .handle = (uintptr_t)handle, .device = device->index, .flags = flags, .site = site};
  *p = (struct pool){handle, device, record, pool_table.count, pools};
  gpm_table_publish(&pool_table);
  return pools = p;
}

/* ---- looks --------------------------------------------------------------------------------------
 */

static bool ask_pool(const struct pool *p, int of_pool, int of_graphs, uint64_t *value) {
  const struct gpm_driver *driver = gpm_driver();
  if (!p->handle)
    return driver->cuDeviceGetGraphMemAttribute &&
           !driver->cuDeviceGetGraphMemAttribute(p->device->record->ordinal, of_graphs, value);
  return driver->cuMemPoolGetAttribute && !driver->cuMemPoolGetAttribute(p->handle, of_pool, value);
}

static void raise_high(uint64_t *at, uint64_t value) {
  if (value > *at) *at = value;
}

static void tell_growth(const struct pool *p, uint64_t before, uint64_t reserved) {
  if (reserved <= before) return;
  uint16_t kind = p->handle ? GPUMEMPROF_KIND_POOL : GPUMEMPROF_KIND_GRAPH;
  gpm_callbacks_acquired(p->device, kind, (uintptr_t)p->handle, reserved - before);
}

/* Reads its figures; whether it grew or shrank. */
static bool look_at(const struct pool *p) {
  struct gpumemprof_capture_pool *r = p->record;
  uint64_t used, reserved, high;
  if (!ask_pool(p, GPM_POOL_USED, GPM_GRAPH_USED, &used) ||
      !ask_pool(p, GPM_POOL_RESERVED, GPM_GRAPH_RESERVED, &reserved))
    return false;
  if (ask_pool(p, GPM_POOL_USED_HIGH, GPM_GRAPH_USED_HIGH, &high)) raise_high(&r->used_high, high);
  if (ask_pool(p, GPM_POOL_RESERVED_HIGH, GPM_GRAPH_RESERVED_HIGH, &high))
    raise_high(&r->reserved_high, high);
  bool changed = reserved != r->reserved;
  if (gpm_observed(GPM_OBSERVING_HOOKS)) tell_growth(p, r->reserved, reserved);
  __atomic_fetch_add(&p->device->pools_reserved, reserved - r->reserved, __ATOMIC_RELAXED);
  r->used = used;
  r->reserved = reserved;
  r->ticks = gpm_ticks();
  r->looks++;
  return changed;
}

static void look(const struct pool *p) {
  if (!look_at(p)) return;
  gpm_samples_pool(p->device, p->id, p->record);
  gpm_samples_device(p->device, GPUMEMPROF_SAMPLE_CHANGE);
}

static void read_threshold(const struct pool *p) {
  uint64_t value;
  if (p->handle && ask_pool(p, GPM_POOL_RELEASE_THRESHOLD, 0, &value)) p->record->threshold = value;
}

/* The device's own pool, and the one its allocations come from. thread: of no matter here. */
static void find_device_pools(struct gpm_thread *thread, struct gpm_device *device) {
  const struct gpm_driver *driver = gpm_driver();
  gpm_pool handle;
  device->pools_known = true;
  struct pool *p = NULL;
  if (driver->cuDeviceGetDefaultMemPool &&
      !driver->cuDeviceGetDefaultMemPool(&handle, device->record->ordinal) &&
      (p = add_pool(thread, device, handle, GPUMEMPROF_POOL_DEFAULT, false)))
    read_threshold(p);
  if (driver->cuDeviceGetMemPool && !driver->cuDeviceGetMemPool(&handle, device->record->ordinal) &&
      (p = add_pool(thread, device, handle, 0, false)))
    read_threshold(p);
}

void gpm_pools_look(struct gpm_thread *thread, struct gpm_device *device) {
  gpm_lock_take(&pools_lock);
  if (!device->pools_known) find_device_pools(thread, device);
  for (const struct pool *p = pools; p; p = p->next)
    if (p->device == device && !(p->record->flags & GPUMEMPROF_POOL_DESTROYED)) look(p);
  gpm_lock_release(&pools_lock);
}

void gpm_pools_sum(const struct gpm_device *device, uint64_t *used, uint64_t *reserved) {
  *used = *reserved = 0;
  gpm_lock_take(&pools_lock);
  for (const struct pool *p = pools; p; p = p->next) {
    if (p->device != device) continue;
    *used += p->record->used;
    *reserved += p->record->reserved;
  }
  gpm_lock_release(&pools_lock);
}

void gpm_pools_poll(struct gpm_device *device) {
  if (!gpm_lock_try(&pools_lock)) return;
  if (!device->pools_known) find_device_pools(NULL, device);
  for (const struct pool *p = pools; p; p = p->next)
    if (p->device == device && !(p->record->flags & GPUMEMPROF_POOL_DESTROYED) && look_at(p))
      gpm_samples_pool(p->device, p->id, p->record);
  gpm_lock_release(&pools_lock);
}

struct gpm_device *gpm_pools_device(gpm_pool handle) {
  gpm_lock_take(&pools_lock);
  const struct pool *p = handle ? find_pool(NULL, handle) : NULL;
  gpm_lock_release(&pools_lock);
  return p ? p->device : NULL;
}

void gpm_pools_each(const struct gpm_device *device,
                    void (*see)(uint32_t pool, uint64_t used, uint64_t reserved, void *data),
                    void *data) {
  gpm_lock_take(&pools_lock);
  for (const struct pool *p = pools; p; p = p->next)
    if (p->device == device && p->record->reserved)
      see(p->id, p->record->used, p->record->reserved, data);
  gpm_lock_release(&pools_lock);
}

/* ---- calls of the program -----------------------------------------------------------------------
 */

/* Allocations of such a pool are nobody's device's. */
static void notice_host_pool(int ordinal) {
  if (ordinal == GPUMEMPROF_HOST) atomic_fetch_or(&gpm_pool_calls_differ, GPM_HOST_POOLS);
}

static void found_pool(gpm_pool handle, int ordinal, uint16_t flags, bool made_here) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  struct gpm_device *device = gpm_ledger_device(ordinal);
  notice_host_pool(ordinal);
  gpm_lock_take(&pools_lock);
  struct pool *p = device ? add_pool(thread, device, handle, flags, made_here) : NULL;
  if (p) {
    read_threshold(p);
    look(p);
  }
  gpm_lock_release(&pools_lock);
  gpm_event_leave(thread);
}

void gpm_pools_created(gpm_pool pool, const struct gpm_location *location) {
  found_pool(pool, gpm_ordinal_of(location), 0, true);
}

void gpm_pools_imported(gpm_pool pool) {
  found_pool(pool, GPUMEMPROF_IMPORTED, GPUMEMPROF_POOL_IMPORTED, true);
}

void gpm_pools_chosen(gpm_pool pool, int ordinal) {
  found_pool(pool, ordinal, 0, false);
}

static void pool_event(gpm_pool handle, uint16_t flag) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&pools_lock);
  struct pool *p = find_pool(NULL, handle);
  if (p) {
    read_threshold(p);
    look(p);
    p->record->flags |= flag;
  }
  gpm_lock_release(&pools_lock);
  gpm_event_leave(thread);
}

void gpm_pools_changed(gpm_pool pool) {
  pool_event(pool, 0);
}

/* It is looked at no more: its handle may stand for another pool soon. */
void gpm_pools_destroy(gpm_pool pool) {
  pool_event(pool, GPUMEMPROF_POOL_DESTROYED);
}

/* A pool whose blocks are still live keeps what they take until they are freed; CUDA tells no
 * more of it, so that it counts as empty. */
void gpm_pools_destroyed(gpm_pool handle, int result) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&pools_lock);
  struct pool *p = pools;
  while (p && p->handle != handle) p = p->next; /* the newest of the name */
  if (p && p->record->flags & GPUMEMPROF_POOL_DESTROYED) {
    if (result) p->record->flags &= (uint16_t)~GPUMEMPROF_POOL_DESTROYED;
    else {
      __atomic_fetch_sub(&p->device->pools_reserved, p->record->reserved, __ATOMIC_RELAXED);
      p->record->used = p->record->reserved = 0;
    }
  }
  gpm_lock_release(&pools_lock);
  gpm_event_leave(thread);
}

void gpm_graphs_changed(void) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  unsigned count = gpm_ledger_device_count();
  gpm_lock_take(&pools_lock);
  for (unsigned i = 1; i < count; i++) {
    struct gpm_device *device = gpm_ledger_device_at(i);
    struct pool *p = NULL;
    if (!gpm_is_apart(device)) p = add_pool(thread, device, NULL, GPUMEMPROF_POOL_GRAPHS, false);
    if (p) look(p);
  }
  gpm_lock_release(&pools_lock);
  gpm_event_leave(thread);
}

void gpm_pools_start(void) {
  atomic_store(&pools_lock.held, 0);
  atomic_store(&gpm_pool_calls_differ, 0);
  pools = NULL;
  pool_table = (struct gpm_table){GPUMEMPROF_CHUNK_POOLS, sizeof(struct gpumemprof_capture_pool), 0,
                                  0, NULL};
}
