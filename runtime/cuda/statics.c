/* statics.c - __device__, __constant__ and __managed__ variables, which take device memory without
 * a call of the program.
 *
 * The start-up code of each object registers its variables here (the plugin adds a call after
 * __cudaRegisterVar). Each device counts them from when it is first seen, below the root and in no
 * scope, because no call allocated them. CUDA may load an object only when it is first used, so the
 * device may really have less for a while. They end when their object is closed; at exit they are
 * still live, and no leaks.
 */
#include "cuda/statics.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/state.h"
#include "base/taps.h"
#include "core/ledger.h"
#include "cuda/effects.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/made_sites.h"
#include "threads/threads.h"

#include <string.h>

struct variable {
  void **binary; /* CUDA's handle of the object */
  const struct gpumemprof_site *site;
  uint64_t bytes;
  bool managed;   /* counted once for all devices */
  uint64_t *keys; /* the keys of its blocks, by record number of the device; 0: it has none there */
  struct variable *next;
};
#define MOST_DEVICES 64u

static struct gpm_lock statics_lock =
    GPM_LOCK(statics); /* protects what follows; taken before a device's lock */
static struct variable *variables;

static void place(struct gpm_thread *thread, struct variable *v, struct gpm_device *device) {
  if (device->index >= MOST_DEVICES || v->keys[device->index]) return;
  for (unsigned i = 0; v->managed && i < MOST_DEVICES; i++)
    if (v->keys[i]) return;
  struct gpm_node *node = gpm_tree_child(gpm_tree_root(), v->site);
  struct gpm_cell *cell =
      node ? gpm_cells_get(node, device, GPUMEMPROF_KIND_STATIC, NULL, NULL) : NULL;
  if (!cell) return;
  v->keys[device->index] = gpm_event_key();
  gpm_ledger_placed(thread, cell, v->keys[device->index], v->bytes);
}

void gpm_statics_place(struct gpm_thread *thread, struct gpm_device *device) {
  gpm_lock_take(&statics_lock);
  for (struct variable *v = variables; v; v = v->next) place(thread, v, device);
  gpm_lock_release(&statics_lock);
}

GPM_EXPORT void __gpumemprof_variable(void **binary, const struct gpumemprof_site *site,
                                      uint64_t bytes, int managed) {
  if (!gpm_recording()) return;
  struct variable *v = gpm_memory_get(sizeof *v);
  uint64_t *keys = v ? gpm_memory_get(MOST_DEVICES * sizeof *keys) : NULL;
  if (!keys) return;
  *v = (struct variable){.binary = binary,
                         .site = gpm_sites_copy(site),
                         .bytes = bytes,
                         .managed = managed,
                         .keys = keys};
  gpm_lock_take(&statics_lock);
  v->next = variables;
  variables = v;
  gpm_lock_release(&statics_lock);
  unsigned count = gpm_ledger_device_count();
  if (count < 2) return; /* a device seen later gets all variables */
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&statics_lock);
  for (unsigned i = 1; i < count; i++)
    if (!gpm_is_not_gpu(gpm_ledger_device_at(i))) place(thread, v, gpm_ledger_device_at(i));
  gpm_lock_release(&statics_lock);
  gpm_event_leave(thread);
}

void gpm_statics_unregistered(void **binary) {
  struct gpm_thread *thread = atomic_load(&gpm_exiting) ? NULL : gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&statics_lock);
  for (struct variable **at = &variables; *at;) {
    struct variable *v = *at;
    if (v->binary != binary) {
      at = &v->next;
      continue;
    }
    for (unsigned i = 0; i < MOST_DEVICES; i++)
      if (v->keys[i]) gpm_ledger_unplaced(thread, v->keys[i]);
    *at = v->next;
  }
  gpm_lock_release(&statics_lock);
  gpm_event_leave(thread);
}

bool gpm_statics_are_managed(void) {
  bool any = false;
  gpm_lock_take(&statics_lock);
  for (struct variable *v = variables; v && !any; v = v->next) any = v->managed;
  gpm_lock_release(&statics_lock);
  return any;
}

void gpm_statics_forked(void) {
  atomic_store(&statics_lock.held, 0);
  for (struct variable *v = variables; v; v = v->next)
    for (unsigned i = 0; i < MOST_DEVICES; i++) v->keys[i] = 0;
}
