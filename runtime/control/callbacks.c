/* callbacks.c - the program's hooks (gpumemprof_hooks_add): what they receive for an event.
 *
 * observers.c reports each event while a set of hooks is registered, and calls the hooks when the
 * event is done.
 */
#include "control/callbacks.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "control/observers.h"
#include "cuda/cuda_query.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "threads/observing.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

#define DEVICE_NOT_ASKED INT32_MIN

/* Keys of blocks without an address have the highest bit set; keys of pieces have the address in
 * the bits below. */
static uint64_t address_of_key(uint64_t key, uint16_t kind) {
  if (!(key >> 63)) return key;
  return kind == GPUMEMPROF_KIND_CUSTOM ? key & (((uint64_t)1 << 48) - 1) : 0;
}

static struct gpumemprof_event *note_event(struct gpm_thread *thread, enum gpumemprof_what what,
                                           uint32_t site) {
  struct gpm_notice *notice = gpm_observers_notice(thread, site);
  if (!notice) return NULL;
  notice->event = (struct gpumemprof_event){.size = sizeof notice->event, .what = what};
  return &notice->event;
}

struct gpumemprof_event *gpm_callbacks_block(struct gpm_thread *thread, enum gpumemprof_what what,
                                             const struct gpm_cell *cell,
                                             const struct gpm_node *node, uint64_t key,
                                             const struct gpm_block *block, uint64_t clock) {
  struct gpumemprof_event *e = note_event(thread, what, node->record->site);
  if (!e) return NULL;
  e->kind = cell->kind;
  e->device = cell->device->record->ordinal;
  e->requested = e->acquired = block->bytes;
  e->address = address_of_key(key, cell->kind);
  e->block = block->clock;
  e->clock = clock;
  return e;
}

static struct gpumemprof_event *note_request(struct gpm_thread *thread, enum gpumemprof_what what,
                                             const struct gpm_node *node, uint16_t kind,
                                             uint64_t requested) {
  struct gpumemprof_event *e =
      note_event(thread, what, node ? node->record->site : GPUMEMPROF_NONE);
  if (!e) return NULL;
  e->kind = kind;
  e->device = kind == GPUMEMPROF_KIND_PINNED     ? GPUMEMPROF_HOST
              : kind == GPUMEMPROF_KIND_IMPORTED ? GPUMEMPROF_IMPORTED
                                                 : DEVICE_NOT_ASKED;
  e->requested = requested;
  e->clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  return e;
}

void gpm_callbacks_requested(struct gpm_thread *thread, const struct gpm_node *node, uint16_t kind,
                             uint64_t requested) {
  note_request(thread, GPUMEMPROF_ON_ALLOCATION_REQUESTED, node, kind, requested);
}

void gpm_callbacks_failed(struct gpm_thread *thread, const struct gpm_node *node, uint16_t kind,
                          uint64_t requested, int result) {
  struct gpumemprof_event *e =
      note_request(thread, GPUMEMPROF_ON_ALLOCATION_FAILED, node, kind, requested);
  if (e) e->result = result;
}

/* The allocation that made the pool grow is the latest notice of the thread, if there is one. */
void gpm_callbacks_acquired(const struct gpm_device *device, uint16_t kind, uint64_t handle,
                            uint64_t bytes) {
  struct gpm_thread *thread = gpm_thread_current;
  const struct gpm_notices *list = &thread->notices;
  uint32_t site = list->count ? list->first[list->count - 1].site : GPUMEMPROF_NONE;
  struct gpumemprof_event *e = note_event(thread, GPUMEMPROF_ON_ACQUIRED, site);
  if (!e) return;
  e->kind = kind;
  e->device = device->record->ordinal;
  e->requested = e->acquired = bytes;
  e->address = handle;
  e->clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
}

void gpm_callbacks_complete(struct gpumemprof_event *e) {
  if (e->device == DEVICE_NOT_ASKED) e->device = gpm_cuda_current_or(0);
}

void gpm_callbacks_call(const struct gpm_observer *o, const struct gpumemprof_event *e) {
  void (*hook)(const struct gpumemprof_event *, void *) = NULL;
  switch (e->what) {
  case GPUMEMPROF_ON_ALLOCATED:
  case GPUMEMPROF_ON_ALLOCATION_FAILED:
    hook = o->hooks.allocated;
    break;
  case GPUMEMPROF_ON_FREE_REQUESTED:
    hook = o->hooks.free_requested;
    break;
  case GPUMEMPROF_ON_FREE_FAILED:
    hook = o->hooks.free_failed;
    break;
  case GPUMEMPROF_ON_ACQUIRED:
    hook = o->hooks.acquired;
    break;
  case GPUMEMPROF_ON_ALLOCATION_REQUESTED:
    hook = o->hooks.allocation_requested;
    break;
  case GPUMEMPROF_ON_FREED:
    hook = o->hooks.freed;
    break;
  }
  if (hook) hook(e, o->data);
}

/* ---- called by the program ---------------------------------------------------------------------
 */

int __gpumemprof_hooks_add(const struct gpumemprof_hooks *hooks, void *data) {
  int saved = errno;
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  if (!hooks || hooks->size < sizeof hooks->size) {
    gpm_text_say("gpumemprof_hooks_add: there are no hooks, or their size is not set; nothing is "
                 "registered",
                 NULL);
    return GPUMEMPROF_ERROR_ARGUMENT;
  }
  if (!gpm_thread_is_outside()) return GPUMEMPROF_ERROR_OFF;
  struct gpm_observer content = {.data = data};
  size_t known = sizeof content.hooks;
  memcpy(&content.hooks, hooks, hooks->size < known ? hooks->size : known);
  int handle = gpm_observers_add(GPM_OBSERVING_HOOKS, &content);
  errno = saved;
  if (handle) return handle;
  gpm_text_say("gpumemprof_hooks_add: 16 sets of hooks are registered, which is the most; remove "
               "one first",
               NULL);
  return GPUMEMPROF_ERROR_FULL;
}

int __gpumemprof_hooks_remove(int handle) {
  return gpm_observers_remove(GPM_OBSERVING_HOOKS, handle);
}
