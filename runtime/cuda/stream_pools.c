/* stream_pools.c - pools of stream-ordered memory: the bytes that they acquired from the device
 * (reserved), and those of them that are handed out (used), as the pools report them.
 *
 * The ledger counts cudaMallocAsync and cudaFreeAsync in the order in which the program calls them;
 * a pool returns memory to the device later, or keeps it. cuda_hooks.c asks for a refresh when a
 * pool must have grown or may have changed, and from time to time; a sample is taken if a pool did
 * change. CUDA keeps exact high marks, which include what happened between two refreshes. The
 * memory that CUDA keeps for graphs on a device is treated as one more pool.
 *
 * Only existing pools are refreshed and can be found by their handle. The first RECORDS_MOST pools
 * have a record of their own. Later ones share one record per device, which has the sums of those
 * that exist, and the highest sums seen by a refresh.
 */
#include "cuda/stream_pools.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "cuda/cuda_query.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "cuda/samples.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "records/sites.h"
#include "tables/map.h"
#include "threads/observing.h"
#include "threads/threads.h"

#define RECORDS_MOST (1u << 16)

struct pool {
  gpm_pool handle; /* null: the memory of graphs */
  struct gpm_device *device;
  struct gpumemprof_capture_pool *record;
  uint32_t id;
  bool ends;               /* it is being destroyed and cannot be found by its handle */
  uint64_t used, reserved; /* at the latest refresh */
  struct pool *next, **link;
};

static struct gpm_lock pools_lock =
    GPM_LOCK(pools);       /* protects what follows, and keeps pools alive during a refresh */
static struct pool *pools; /* all pools that exist */
static struct pool *spare_pools;
static struct gpm_map pool_of_handle; /* without those that end */
static struct gpm_map lumped_pools;   /* device -> the shared record of its later pools */
static struct gpm_table pool_table;

/* The key of a pool; for the memory of graphs a number that is no handle. */
static uint64_t key_of(const struct gpm_device *device, gpm_pool handle) {
  return handle ? (uintptr_t)handle : (uint64_t)1 << 63 | device->index;
}

static struct pool *find_pool(const struct gpm_device *device, gpm_pool handle) {
  return gpm_map_get(&pool_of_handle, key_of(device, handle));
}

static struct pool *new_pool(void) {
  struct pool *p = spare_pools;
  if (!p) return gpm_memory_get(sizeof *p);
  spare_pools = p->next;
  return p;
}

static void link_pool(struct pool *p) {
  p->next = pools;
  p->link = &pools;
  if (pools) pools->link = &p->next;
  pools = p;
}

static void drop_pool(struct pool *p) {
  *p->link = p->next;
  if (p->next) p->next->link = p->link;
  p->next = spare_pools;
  spare_pools = p;
}

static struct gpumemprof_capture_pool *new_record(const struct gpm_device *device, gpm_pool handle,
                                                  uint16_t flags, uint32_t site, uint32_t *id) {
  struct gpumemprof_capture_pool *record = gpm_table_next(&pool_table);
  if (!record) return NULL;
  *record = (struct gpumemprof_capture_pool){
      .handle = (uintptr_t)handle, .device = device->index, .flags = flags, .site = site};
  *id = pool_table.count;
  gpm_table_publish(&pool_table);
  return record;
}

/* The record that the pools of a device without their own record share; null: no room. */
static GPM_COLD struct gpumemprof_capture_pool *shared_record(struct gpm_device *device,
                                                              uint32_t *id) {
  gpm_capture_count(GPUMEMPROF_COUNTER_pools_lumped);
  uint64_t key = (uint64_t)device->index + 1;
  struct pool *p = gpm_map_get(&lumped_pools, key);
  if (!p && (p = gpm_memory_get(sizeof *p))) {
    p->record = new_record(device, NULL, GPUMEMPROF_POOL_OTHERS, GPUMEMPROF_NONE, &p->id);
    if (!p->record || !gpm_map_put(&lumped_pools, key, p)) return NULL;
  }
  if (!p) return NULL;
  *id = p->id;
  return p->record;
}

/* line: the one that makes it; null: it is not made now. */
static struct pool *add_pool(struct gpm_device *device, gpm_pool handle, uint16_t flags,
                             const struct gpumemprof_site *line) {
  struct pool *p = find_pool(device, handle);
  if (p) return p;
  uint32_t site = GPUMEMPROF_NONE;
  if (line) {
    gpm_lock_take(&gpm_tree_lock);
    site = gpm_sites_intern(line);
    gpm_lock_release(&gpm_tree_lock);
  }
  uint32_t id;
  bool own = pool_table.count < RECORDS_MOST;
  struct gpumemprof_capture_pool *record =
      own ? new_record(device, handle, flags, site, &id) : shared_record(device, &id);
  if (!record || !(p = new_pool())) return NULL;
  *p = (struct pool){.handle = handle, .device = device, .record = record, .id = id};
  link_pool(p);
  return gpm_map_put(&pool_of_handle, key_of(device, handle), p) ? p : NULL;
}

/* ---- refreshes ----------------------------------------------------------------------------------
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

static void report_pool_growth(const struct pool *p, uint64_t before, uint64_t reserved) {
  if (reserved <= before) return;
  uint16_t kind = p->handle ? GPUMEMPROF_KIND_POOL : GPUMEMPROF_KIND_GRAPH;
  gpm_callbacks_acquired(p->device, kind, (uintptr_t)p->handle, reserved - before);
}

static bool is_shared(const struct pool *p) {
  return p->record->flags & GPUMEMPROF_POOL_OTHERS;
}

/* Updates the high marks: from those of CUDA, or to the highest sum seen. */
static void raise_highs(const struct pool *p) {
  struct gpumemprof_capture_pool *r = p->record;
  uint64_t high;
  if (is_shared(p)) {
    raise_high(&r->used_high, r->used);
    raise_high(&r->reserved_high, r->reserved);
    return;
  }
  if (ask_pool(p, GPM_POOL_USED_HIGH, GPM_GRAPH_USED_HIGH, &high)) raise_high(&r->used_high, high);
  if (ask_pool(p, GPM_POOL_RESERVED_HIGH, GPM_GRAPH_RESERVED_HIGH, &high))
    raise_high(&r->reserved_high, high);
}

static void set_figures(struct pool *p, uint64_t used, uint64_t reserved) {
  __atomic_fetch_add(&p->device->pools_reserved, reserved - p->reserved, __ATOMIC_RELAXED);
  p->record->used += used - p->used;
  p->record->reserved += reserved - p->reserved;
  p->used = used;
  p->reserved = reserved;
}

/* Refreshes the figures of a pool. Returns whether it grew or shrank. */
static bool read_pool(struct pool *p) {
  struct gpumemprof_capture_pool *r = p->record;
  uint64_t used, reserved;
  if (!ask_pool(p, GPM_POOL_USED, GPM_GRAPH_USED, &used) ||
      !ask_pool(p, GPM_POOL_RESERVED, GPM_GRAPH_RESERVED, &reserved))
    return false;
  bool changed = reserved != p->reserved;
  if (gpm_observed(GPM_OBSERVING_HOOKS)) report_pool_growth(p, p->reserved, reserved);
  set_figures(p, used, reserved);
  raise_highs(p);
  r->ticks = gpm_ticks();
  r->readings++;
  return changed;
}

static void sample_pool(struct pool *p) {
  if (!read_pool(p)) return;
  gpm_samples_pool(p->device, p->id, p->record);
  gpm_samples_device(p->device, GPUMEMPROF_SAMPLE_CHANGE);
}

static void read_threshold(const struct pool *p) {
  uint64_t value;
  if (p->handle && ask_pool(p, GPM_POOL_RELEASE_THRESHOLD, 0, &value)) p->record->threshold = value;
}

/* Adds the device's default pool, and the one that its allocations come from. */
static void find_device_pools(struct gpm_device *device) {
  const struct gpm_driver *driver = gpm_driver();
  gpm_pool handle;
  device->pools_known = true;
  struct pool *p = NULL;
  if (driver->cuDeviceGetDefaultMemPool &&
      !driver->cuDeviceGetDefaultMemPool(&handle, device->record->ordinal) &&
      (p = add_pool(device, handle, GPUMEMPROF_POOL_DEFAULT, NULL)))
    read_threshold(p);
  if (driver->cuDeviceGetMemPool && !driver->cuDeviceGetMemPool(&handle, device->record->ordinal) &&
      (p = add_pool(device, handle, 0, NULL)))
    read_threshold(p);
}

void gpm_pools_sample(struct gpm_device *device) {
  gpm_lock_take(&pools_lock);
  if (!device->pools_known) find_device_pools(device);
  for (struct pool *p = pools; p; p = p->next)
    if (p->device == device && !p->ends) sample_pool(p);
  gpm_lock_release(&pools_lock);
}

void gpm_pools_sum(const struct gpm_device *device, uint64_t *used, uint64_t *reserved) {
  *used = *reserved = 0;
  gpm_lock_take(&pools_lock);
  for (const struct pool *p = pools; p; p = p->next) {
    if (p->device != device) continue;
    *used += p->used;
    *reserved += p->reserved;
  }
  gpm_lock_release(&pools_lock);
}

void gpm_pools_poll(struct gpm_device *device) {
  if (!gpm_lock_try(&pools_lock)) return;
  if (!device->pools_known) find_device_pools(device);
  for (struct pool *p = pools; p; p = p->next)
    if (p->device == device && !p->ends && read_pool(p))
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
    if (p->device == device && p->reserved) see(p->id, p->used, p->reserved, data);
  gpm_lock_release(&pools_lock);
}

/* ---- calls of the program -----------------------------------------------------------------------
 */

/* Allocations from a pool of the host belong to no GPU. */
static void notice_host_pool(int ordinal) {
  if (ordinal == GPUMEMPROF_HOST) atomic_fetch_or(&gpm_pool_calls_differ, GPM_HOST_POOLS);
}

static void found_pool(gpm_pool handle, int ordinal, uint16_t flags, bool made_here) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  struct gpm_device *device = gpm_ledger_device(ordinal);
  notice_host_pool(ordinal);
  const struct gpumemprof_site *line = made_here ? gpm_event_line(thread) : NULL;
  gpm_lock_take(&pools_lock);
  struct pool *p = device ? add_pool(device, handle, flags, line) : NULL;
  if (p) {
    read_threshold(p);
    sample_pool(p);
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

static void set_destroyed(struct pool *p, bool destroyed) {
  p->ends = destroyed;
  if (is_shared(p)) return; /* other pools of the record may exist */
  if (destroyed) p->record->flags |= GPUMEMPROF_POOL_DESTROYED;
  else p->record->flags &= (uint16_t)~GPUMEMPROF_POOL_DESTROYED;
}

static void pool_event(gpm_pool handle, bool ends) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&pools_lock);
  struct pool *p = find_pool(NULL, handle);
  if (p) {
    read_threshold(p);
    sample_pool(p);
  }
  if (p && ends) {
    set_destroyed(p, true);
    gpm_map_take(&pool_of_handle, key_of(NULL, handle));
  }
  gpm_lock_release(&pools_lock);
  gpm_event_leave(thread);
}

void gpm_pools_changed(gpm_pool pool) {
  pool_event(pool, false);
}

/* Stops refreshing the pool, because CUDA may soon give its handle to another pool. */
void gpm_pools_destroy(gpm_pool pool) {
  pool_event(pool, true);
}

/* A destroyed pool keeps the memory of its live blocks until they are freed. CUDA reports nothing
 * about it any more, so it counts as empty. */
void gpm_pools_destroyed(gpm_pool handle, int result) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&pools_lock);
  struct pool *p = pools;
  while (p && (p->handle != handle || !p->ends)) p = p->next;
  if (p && result) {
    set_destroyed(p, false);
    gpm_map_put(&pool_of_handle, key_of(NULL, handle), p);
  } else if (p) {
    set_figures(p, 0, 0);
    drop_pool(p);
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
    if (!gpm_is_not_gpu(device)) p = add_pool(device, NULL, GPUMEMPROF_POOL_GRAPHS, NULL);
    if (p) sample_pool(p);
  }
  gpm_lock_release(&pools_lock);
  gpm_event_leave(thread);
}

void gpm_pools_start(void) {
  atomic_store(&pools_lock.held, 0);
  atomic_store(&gpm_pool_calls_differ, 0);
  pools = spare_pools = NULL;
  pool_of_handle = lumped_pools = (struct gpm_map){NULL, 0, 0};
  pool_table = (struct gpm_table){GPUMEMPROF_CHUNK_POOLS, sizeof(struct gpumemprof_capture_pool), 0,
                                  0, NULL};
}
