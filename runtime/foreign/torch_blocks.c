/* torch_blocks.c - see torch.h.
 *
 * This does two things that torch's own allocator does. A free waits for other streams that used
 * the block (record_stream). And in a stream that is being captured into a CUDA graph, memory
 * belongs to the graph: an allocation and its free become nodes, so that each launch allocates its
 * memory. Memory that was allocated before cannot be freed in a capture, so its free waits until
 * the capture is over.
 */
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "cuda/driver.h"
#include "foreign/torch.h"
#include "tables/map.h"

enum {
  NOT_SUPPORTED = 801,
  OTHER_IS_CAPTURED = 906,
  CAPTURING = 1,
  NO_TIMING = 2
}; /* as in cuda.h */

static struct gpm_lock care_lock = GPM_LOCK(care); /* protects what follows */
static struct gpm_map cares;                       /* by address, without those that wait */
static struct gpm_torch_care *waiting_frees, *free_cares;
static _Atomic unsigned cares_now;     /* in the map and the list */
static _Atomic uint64_t without_pools; /* a bit for each device */
static _Atomic uint64_t pools_kept;

static uint64_t bit_of(int device) {
  return UINT64_C(1) << (device & 63);
}

/* ---- devices ------------------------------------------------------------------------------------
 */

/* Makes the device's primary context current, as torch has it: 0, or the driver's error. */
int gpm_torch_enter(const struct gpm_driver *d, int device, bool *pushed) {
  int current = -1, active = 0, error;
  unsigned flags;
  gpm_context context;
  *pushed = false;
  if (!d->cuCtxGetDevice(&current) && current == device) return 0;
  if ((error = d->cuDevicePrimaryCtxGetState(device, &flags, &active)) ||
      (error = d->cuDevicePrimaryCtxRetain(&context, device)))
    return error;
  error = d->cuCtxPushCurrent_v2(context);
  *pushed = !error;
  /* Others keep it alive; otherwise this reference has to. */
  if (active) d->cuDevicePrimaryCtxRelease_v2(device);
  return error;
}

void gpm_torch_leave(const struct gpm_driver *d) {
  gpm_context context;
  d->cuCtxPopCurrent_v2(&context);
}

bool gpm_torch_has_pools(const struct gpm_driver *d, int device) {
  return d->cuMemAllocAsync && d->cuMemFreeAsync && !(atomic_load(&without_pools) & bit_of(device));
}

/* Raises the pool's threshold: at each synchronisation a pool returns memory above it to the
 * device, and the default is 0. */
static GPM_COLD void keep_pool(const struct gpm_driver *d, int device) {
  gpm_pool pool;
  uint64_t threshold = 1, all = UINT64_MAX;
  if (atomic_fetch_or(&pools_kept, bit_of(device)) & bit_of(device)) return;
  if (d->cuDeviceGetMemPool && d->cuMemPoolGetAttribute && d->cuMemPoolSetAttribute &&
      !d->cuDeviceGetMemPool(&pool, device) &&
      !d->cuMemPoolGetAttribute(pool, GPM_POOL_RELEASE_THRESHOLD, &threshold) && !threshold)
    d->cuMemPoolSetAttribute(pool, GPM_POOL_RELEASE_THRESHOLD, &all);
}

static enum gpm_torch_stream captured(const struct gpm_driver *d, gpm_stream stream) {
  int status = 0, error = d->cuStreamIsCapturing ? d->cuStreamIsCapturing(stream, &status) : 0;
  if (error == OTHER_IS_CAPTURED) return GPM_TORCH_HELD_UP;
  return !error && status == CAPTURING ? GPM_TORCH_CAPTURED : GPM_TORCH_FREE_STREAM;
}

/* ---- records of blocks --------------------------------------------------------------------------
 */

/* The record of a block, created if there is none. Under the lock; null: no memory. */
static struct gpm_torch_care *care_for(uint64_t address) {
  struct gpm_torch_care *c = gpm_map_get(&cares, address);
  if (c) return c;
  if ((c = free_cares)) free_cares = c->next;
  else if (!(c = gpm_memory_get(sizeof *c))) return NULL;
  *c = (struct gpm_torch_care){.address = address};
  if (gpm_map_put(&cares, address, c)) {
    atomic_fetch_add(&cares_now, 1);
    return c;
  }
  c->next = free_cares;
  free_cares = c;
  return NULL;
}

/* Removes the record of a block and returns it in *care; zeros if there was none. */
void gpm_torch_take_care(uint64_t address, struct gpm_torch_care *care) {
  *care = (struct gpm_torch_care){.address = address};
  if (GPM_LIKELY(!atomic_load(&cares_now))) return;
  gpm_lock_take(&care_lock);
  struct gpm_torch_care *c = gpm_map_take(&cares, address);
  if (c) {
    *care = *c;
    c->next = free_cares;
    free_cares = c;
    atomic_fetch_sub(&cares_now, 1);
  }
  gpm_lock_release(&care_lock);
}

static GPM_COLD void note_graph(uint64_t address) {
  gpm_lock_take(&care_lock);
  struct gpm_torch_care *c = care_for(address);
  if (c) c->of_graph = true;
  gpm_lock_release(&care_lock);
}

void gpm_torch_free_later(const struct gpm_torch_care *care) {
  gpm_lock_take(&care_lock);
  struct gpm_torch_care *c = free_cares;
  if (c) free_cares = c->next;
  else c = gpm_memory_get(sizeof *c);
  if (c) { /* else the memory stays allocated */
    *c = *care;
    c->next = waiting_frees;
    waiting_frees = c;
    atomic_fetch_add(&cares_now, 1);
  }
  gpm_lock_release(&care_lock);
}

int gpm_torch_take(const struct gpm_driver *d, uint64_t bytes, int device, gpm_stream stream,
                   gpm_deviceptr *p, bool *pooled) {
  int error = 0;
  *pooled = gpm_torch_has_pools(d, device);
  if (*pooled && !(atomic_load(&pools_kept) & bit_of(device))) keep_pool(d, device);
  if (*pooled && (error = d->cuMemAllocAsync(p, bytes, stream)) == NOT_SUPPORTED) {
    atomic_fetch_or(&without_pools, bit_of(device));
    *pooled = false;
  }
  if (!*pooled) error = d->cuMemAlloc_v2(p, bytes);
  else if (!error && GPM_UNLIKELY(captured(d, stream) == GPM_TORCH_CAPTURED)) note_graph(*p);
  return error;
}

enum gpm_torch_stream gpm_torch_captured(const struct gpm_driver *d,
                                         const struct gpm_torch_care *care, gpm_stream stream) {
  enum gpm_torch_stream state = captured(d, stream);
  for (unsigned i = 0; i < care->users && i < GPM_TORCH_USERS && !state; i++)
    if (captured(d, care->user[i])) state = GPM_TORCH_HELD_UP; /* waiting for it would join it */
  return state;
}

/* Makes the stream wait for the work that the other one has at this moment. */
static int wait_for(const struct gpm_driver *d, gpm_stream stream, gpm_stream other) {
  gpm_event event;
  if (!d->cuEventCreate || !d->cuEventRecord || !d->cuStreamWaitEvent || !d->cuEventDestroy_v2 ||
      d->cuEventCreate(&event, NO_TIMING))
    return -1;
  int error = d->cuEventRecord(event, other);
  if (!error) error = d->cuStreamWaitEvent(stream, event, 0);
  d->cuEventDestroy_v2(event);
  return error;
}

static GPM_COLD void wait_for_users(const struct gpm_driver *d, const struct gpm_torch_care *care,
                                    gpm_stream stream) {
  int error = care->users > GPM_TORCH_USERS;
  for (unsigned i = 0; i < care->users && !error; i++)
    if (care->user[i] != stream) error = wait_for(d, stream, care->user[i]);
  if (error && d->cuCtxSynchronize) d->cuCtxSynchronize();
}

int gpm_torch_give_back(const struct gpm_driver *d, const struct gpm_torch_care *care,
                        gpm_stream stream, bool pooled) {
  if (GPM_UNLIKELY(care->users)) wait_for_users(d, care, stream);
  return pooled ? d->cuMemFreeAsync(care->address, stream) : d->cuMemFree_v2(care->address);
}

/* Frees a waiting block if its capture is over. Returns whether it is gone. */
static bool free_late(const struct gpm_driver *d, const struct gpm_torch_care *care) {
  bool pushed;
  if (gpm_torch_enter(d, care->device, &pushed)) return true; /* it ended with its context */
  bool over = gpm_torch_captured(d, care, care->stream) == GPM_TORCH_FREE_STREAM;
  if (over) gpm_torch_give_back(d, care, care->stream, gpm_torch_has_pools(d, care->device));
  if (pushed) gpm_torch_leave(d);
  return over;
}

void gpm_torch_free_waiting(const struct gpm_driver *d) {
  if (GPM_LIKELY(!atomic_load(&cares_now))) return;
  gpm_lock_take(&care_lock);
  struct gpm_torch_care *c = waiting_frees, *next;
  waiting_frees = NULL;
  gpm_lock_release(&care_lock);
  for (; c; c = next) {
    bool freed = free_late(d, c);
    next = c->next;
    gpm_lock_take(&care_lock);
    c->next = freed ? free_cares : waiting_frees;
    *(freed ? &free_cares : &waiting_frees) = c;
    gpm_lock_release(&care_lock);
    if (freed) atomic_fetch_sub(&cares_now, 1);
  }
}

void gpm_torch_forked(void) {
  atomic_store(&care_lock.held, 0);
  cares = (struct gpm_map){0};
  waiting_frees = free_cares = NULL;
  atomic_store(&cares_now, 0);
}

void gpumemprof_torch_record_stream(void *pointer, void *stream) {
  if (!pointer) return;
  gpm_lock_take(&care_lock);
  struct gpm_torch_care *c = care_for((uintptr_t)pointer);
  unsigned i = 0;
  while (c && i < c->users && i < GPM_TORCH_USERS && c->user[i] != stream) i++;
  if (c && i == c->users && i <= GPM_TORCH_USERS) {
    if (i < GPM_TORCH_USERS) c->user[i] = stream;
    c->users = (uint8_t)(i + 1);
  }
  gpm_lock_release(&care_lock);
}
