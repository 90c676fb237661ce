/* devices.c - the device ledgers: one per CUDA ordinal that was allocated on, and `host`.
 *
 * cuda_hooks.c asks for the ledger of the current device at each allocation (an array look-up); it
 * is made when the device is first seen, with its name and memory. shadow_stack.c asks for the
 * highest total since a scope's entry.
 */
#include "records/devices.h"
#include "base/compiled_code.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "records/call_tree.h"
#include "records/maxima.h"
#include "records/pairs.h"
#include "threads/threads.h"

#define ORDINALS 256 /* higher ordinals are charged to device 0 and counted as a loss */

/* The number of totals that belong to no CUDA device. They have negative ordinals. */
#define NOT_GPUS (-GPUMEMPROF_CUSTOM)

static struct gpm_device *_Atomic by_ordinal[ORDINALS + NOT_GPUS]; /* [ordinal + NOT_GPUS] */
static struct gpm_device *_Atomic by_index[ORDINALS + NOT_GPUS];
static _Atomic unsigned device_count;
static struct gpm_table device_table; /* under gpm_tree_lock */
struct gpm_device *_Atomic gpm_ledger_first;
_Atomic bool gpm_cuda_one_device;
bool gpm_ledger_many; /* written under the first lock */

static const struct gpumemprof_capture_device not_gpus[NOT_GPUS] = {
    {.name = "host (pinned memory)"},
    {.name = "imported (memory of other processes and APIs)"},
    {.name = "custom (the program's own allocators)"}};

static struct gpm_device *make_device(int ordinal,
                                      const struct gpumemprof_capture_device *described) {
  struct gpumemprof_capture_device *record = gpm_table_next(&device_table);
  struct gpm_device *device = record ? gpm_memory_get(sizeof *device) : NULL;
  if (!device) return NULL;
  *record = *described;
  record->ordinal = ordinal;
  record->peak_node = GPUMEMPROF_NONE;
  device->record = record;
  device->index = (uint16_t)device_table.count;
  device->maxima.owner = device->index;
  device->watched_above = gpm_measures_watch(ordinal) ? 0 : UINT64_MAX;
  gpm_ledger_limit_repeats(device);
  device->own_lock = (struct gpm_lock)GPM_LOCK(device);
  bool is_first = ordinal >= 0 && !atomic_load(&gpm_ledger_first);
  device->lock = is_first || ordinal < 0 ? &gpm_first_line.lock : &device->own_lock;
  if (device->lock != &gpm_first_line.lock && !gpm_ledger_many) {
    gpm_lock_take(&gpm_first_line.lock);
    gpm_ledger_many = true;
    gpm_lock_release(&gpm_first_line.lock);
  }
  gpm_table_publish(&device_table);
  atomic_store(&by_index[device->index], device);
  if (is_first) atomic_store(&gpm_ledger_first, device);
  atomic_store(&by_ordinal[ordinal + NOT_GPUS], device);
  atomic_fetch_add(&device_count, 1);
  return device;
}

bool gpm_ledger_start(void) {
  for (unsigned i = 0; i < ORDINALS + NOT_GPUS; i++) {
    atomic_store(&by_ordinal[i], NULL);
    atomic_store(&by_index[i], NULL);
  }
  atomic_store(&gpm_ledger_first, NULL);
  atomic_store(&device_count, 0);
  atomic_store(&gpm_first_line.lock.held, 0);
  gpm_ledger_many = false;
  device_table = (struct gpm_table){GPUMEMPROF_CHUNK_DEVICES,
                                    sizeof(struct gpumemprof_capture_device), 0, 0, NULL};
  gpm_pairs_start();
  return make_device(GPUMEMPROF_HOST, &not_gpus[-GPUMEMPROF_HOST - 1]) != NULL;
}

void gpm_ledger_forked(void) {
  atomic_store(&gpm_tree_lock.held, 0);
  atomic_store(&gpm_first_line.lock.held, 0);
  for (unsigned i = 0; i < gpm_ledger_device_count(); i++)
    atomic_store(&atomic_load(&by_index[i])->own_lock.held, 0);
  gpm_pairs_forked();
}

static GPM_COLD struct gpm_device *add_device(int ordinal) {
  struct gpumemprof_capture_device described = {0};
  if (ordinal < 0) described = not_gpus[-ordinal - 1];
  sigset_t held;
  gpm_signals_hold(&held); /* a longjmp out of a lock of the driver would leave it locked */
  if (ordinal >= 0) gpm_cuda_describe(ordinal, &described); /* before the lock: it calls CUDA */
  gpm_lock_take(&gpm_tree_lock);
  struct gpm_device *device = atomic_load(&by_ordinal[ordinal + NOT_GPUS]);
  if (!device) device = make_device(ordinal, &described);
  gpm_lock_release(&gpm_tree_lock);
  if (device && ordinal >= 0 && gpm_thread_current) gpm_statics_place(gpm_thread_current, device);
  gpm_signals_let_come(&held);
  return device;
}

struct gpm_device *gpm_ledger_device(int ordinal) {
  if (GPM_UNLIKELY(ordinal < -NOT_GPUS || ordinal >= ORDINALS)) {
    gpm_capture_count(GPUMEMPROF_COUNTER_unknown_device);
    ordinal = 0;
  }
  struct gpm_device *device =
      atomic_load_explicit(&by_ordinal[ordinal + NOT_GPUS], memory_order_acquire);
  return GPM_LIKELY(device) ? device : add_device(ordinal);
}

struct gpm_device *gpm_ledger_known_device(int ordinal) {
  return ordinal < -NOT_GPUS || ordinal >= ORDINALS ? NULL
                                                    : atomic_load(&by_ordinal[ordinal + NOT_GPUS]);
}

unsigned gpm_ledger_device_count(void) {
  return atomic_load(&device_count);
}
struct gpm_device *gpm_ledger_device_at(unsigned index) {
  return atomic_load(&by_index[index]);
}

/* Under the device's lock. */
static inline uint64_t highest_since(const struct gpm_device *device, uint64_t clock) {
  uint64_t now = device->record->total, before = gpm_maxima_since(&device->maxima, clock);
  return now > before ? now : before;
}

uint64_t gpm_ledger_peak_since(uint64_t clock) {
  uint64_t highest = 0;
  unsigned count = gpm_ledger_device_count();
  for (unsigned i = 1; i < count; i++) { /* 0 is host */
    struct gpm_device *device = atomic_load_explicit(&by_index[i], memory_order_acquire);
    if (gpm_is_not_gpu(device)) continue;
    gpm_lock_take(device->lock);
    uint64_t since = highest_since(device, clock);
    gpm_lock_release(device->lock);
    if (since > highest) highest = since;
  }
  return highest;
}

void gpm_ledger_scope_ended(struct gpumemprof_capture_node *node,
                            const struct gpumemprof_capture_activation *activation,
                            uint64_t wall_ticks) {
  uint64_t highest = 0;
  gpm_lock_take(&gpm_first_line.lock);
  if (GPM_UNLIKELY(gpm_ledger_many)) {
    gpm_lock_release(&gpm_first_line.lock);
    highest = gpm_ledger_peak_since(activation->entry_clock);
    gpm_lock_take(&gpm_first_line.lock);
  } else {
    struct gpm_device *device = atomic_load_explicit(&gpm_ledger_first, memory_order_acquire);
    if (device) highest = highest_since(device, activation->entry_clock);
  }
  bool plain = gpm_ledger_plain();
  if (activation->flags & GPUMEMPROF_ACTIVATION_MOVED)
    gpm_ledger_count_activation(plain, node, (uint64_t)activation->peak);
  if (activation->flags & GPUMEMPROF_ACTIVATION_PROFILED) {
    gpm_ledger_add(plain, &node->calls, 1);
    gpm_ledger_add(plain, &node->wall_ticks, wall_ticks);
  }
  gpm_ledger_raise(plain, &node->device_peak, highest);
  gpm_lock_release(&gpm_first_line.lock);
}
