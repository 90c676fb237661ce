/* unaccounted.c - by how much a device's free memory changed during calls into libraries that were
 * not rebuilt, less what the ledger recorded meanwhile (option unaccounted=calls).
 *
 * The thunks around such calls ask before and after:
 *   change = (free before - free after) - (recorded after - recorded before) - found by inner calls
 * It is shown at the calling line. It is less precise than cupti=on: the driver takes memory in
 * steps of 2 MiB and more, other threads' and processes' changes are in it, and a call that makes
 * the first context of a device has no figure to compare with. A line whose calls change nothing is
 * sampled less often.
 */
#include "cuda/unaccounted.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/state.h"
#include "base/text.h"
#include "capture/capture.h"
#include "core/shadow_stack.h"
#include "cuda/cuda_query.h"
#include "options/options.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024u
#define QUIET 64u /* calls in a row without a change; then one in as many is sampled */

struct watched { /* a calling line on one device */
  struct gpm_node *node;
  struct gpm_device *device;
  uint64_t calls;
  uint32_t quiet;
  struct gpumemprof_capture_unaccounted *record; /* null before the first change */
  struct watched *next;
};
static struct watched *watched_by_line[BUCKETS]; /* under watched_lock */
static struct gpm_lock watched_lock = GPM_LOCK(watched);
static struct gpm_table unaccounted_table = {
    GPUMEMPROF_CHUNK_UNACCOUNTED, sizeof(struct gpumemprof_capture_unaccounted), 0, 0, NULL};
static _Atomic bool sampled;
/* The sum of the changes that this thread has found. */
static _Thread_local int64_t found_here GPM_IE_TLS;

static bool samples(void) {
  return gpm_options.unaccounted[0] == 'c';
}

static struct watched *watch(struct gpm_node *node, struct gpm_device *device) {
  struct watched **bucket = &watched_by_line[((uintptr_t)node >> 6 ^ device->index) % BUCKETS], *w;
  for (w = *bucket; w && (w->node != node || w->device != device); w = w->next) continue;
  if (!w && (w = gpm_memory_get(sizeof *w))) {
    *w = (struct watched){.node = node, .device = device, .next = *bucket};
    *bucket = w;
  }
  return w;
}

/* Marks the calling thread busy and returns it; null when nothing can be recorded. */
static struct gpm_thread *begin_sample(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  return thread && !gpm_busy(thread) && gpm_begin(thread) ? thread : NULL;
}

GPM_EXPORT void __gpumemprof_sample_before(struct gpumemprof_sample *sample) {
  sample->device = -1;
  if (!gpm_recording() || !samples()) return;
  atomic_store(&sampled, true);
  struct gpm_thread *thread = begin_sample();
  if (!thread) return;
  int ordinal;
  struct gpm_node *node = gpm_thread_line(thread);
  struct gpm_device *device = NULL;
  if (node && gpm_cuda_free_memory(&ordinal, &sample->free)) device = gpm_ledger_device(ordinal);
  if (device) {
    gpm_lock_take(&watched_lock);
    struct watched *w = watch(node, device);
    if (w && (w->quiet < QUIET || w->calls % QUIET == 0)) sample->device = ordinal;
    if (w) w->calls++;
    gpm_lock_release(&watched_lock);
    sample->recorded = __atomic_load_n(&device->record->total, __ATOMIC_RELAXED);
    sample->inner = found_here;
  }
  gpm_end(thread);
}

/* Under watched_lock. */
static void add_change(struct watched *w, int64_t change) {
  if (!w->record) {
    struct gpumemprof_capture_unaccounted *record = gpm_table_next(&unaccounted_table);
    if (!record) return;
    record->node = w->node->id;
    record->device = w->device->index;
    gpm_table_publish(&unaccounted_table);
    w->record = record;
  }
  struct gpumemprof_capture_unaccounted *r = w->record;
  r->calls++;
  r->bytes += change;
  if (llabs(change) > llabs(r->largest)) r->largest = change;
}

GPM_EXPORT void __gpumemprof_sample_after(struct gpumemprof_sample *sample) {
  struct gpm_thread *thread = sample->device >= 0 ? begin_sample() : NULL;
  if (!thread) return;
  int ordinal;
  uint64_t free_now;
  struct gpm_node *node = gpm_thread_line(thread);
  if (node && gpm_cuda_free_memory(&ordinal, &free_now) && ordinal == sample->device) {
    struct gpm_device *device = gpm_ledger_device(ordinal);
    uint64_t recorded = __atomic_load_n(&device->record->total, __ATOMIC_RELAXED);
    int64_t change = (int64_t)(sample->free - free_now) - (int64_t)(recorded - sample->recorded) -
                     (found_here - sample->inner);
    gpm_lock_take(&watched_lock);
    struct watched *w = watch(node, device);
    if (w) w->quiet = change ? 0 : w->quiet + 1;
    if (w && change) add_change(w, change);
    gpm_lock_release(&watched_lock);
    found_here += change;
  }
  gpm_end(thread);
}

void gpm_unaccounted_reset(void) {
  gpm_lock_take(&watched_lock);
  for (unsigned i = 0; i < BUCKETS; i++)
    for (struct watched *w = watched_by_line[i]; w; w = w->next)
      if (w->record) w->record->calls = 0, w->record->bytes = w->record->largest = 0;
  gpm_lock_release(&watched_lock);
}

void gpm_unaccounted_forked(void) {
  atomic_store(&watched_lock.held, 0);
  memset(watched_by_line, 0, sizeof watched_by_line); /* they belong to the parent's capture */
  unaccounted_table.count = 0;
  unaccounted_table.last = NULL;
}

void gpm_unaccounted_end(void) {
  if (samples() && !atomic_load(&sampled))
    gpm_text_say("unaccounted=calls: nothing was sampled; compile the calling files with "
                 "-fplugin-arg-gpumemprof-unaccounted=calls",
                 NULL);
}
