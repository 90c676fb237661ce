/* observers.c - callbacks that the program registered, and the notices that wait for them.
 *
 *   event under way   ledger.c, under its locks  -> a notice in the thread's list
 *   event done        gpm_end, no longer busy    -> one callback for each notice, in order
 *
 * So a callback may do whatever the program may. Events of a thread during its callbacks make no
 * notices. An observer that is removed keeps its slot until the last thread has left its
 * functions: each thread counts itself in before it checks that the observer is still registered,
 * and a thread that removes an observer clears its handle before it checks for threads inside.
 */
#include "control/observers.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "capture/strings.h"
#include "control/callbacks.h"
#include "control/schedule.h"
#include "control/thresholds.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/pairs.h"
#include "records/sites.h"
#include "threads/observing.h"
#include "threads/threads.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

#define LIST_ROOM 64u   /* initially */
#define LIST_KEPT 4096u /* a longer list is unmapped */
#define SLOTS (2 * GPM_OBSERVERS_MOST)

static struct gpm_observer observer_slots[SLOTS];            /* hooks, then thresholds */
static struct gpm_lock observers_lock = GPM_LOCK(observers); /* for adding and removing */

struct gpm_observer *gpm_observers_at(enum gpm_observing what, unsigned slot) {
  return &observer_slots[slot + (what == GPM_OBSERVING_THRESHOLDS ? GPM_OBSERVERS_MOST : 0)];
}

/* ---- notices ------------------------------------------------------------------------------------
 */

static bool more_room(struct gpm_notices *list) {
  uint32_t room = list->room ? list->room * 2 : LIST_ROOM;
  struct gpm_notice *larger = gpm_memory_larger(list->first, list->count * sizeof *larger,
                                                list->room * sizeof *larger, room * sizeof *larger);
  if (!larger) return false;
  list->first = larger;
  list->room = room;
  return true;
}

struct gpm_notice *gpm_observers_notice(struct gpm_thread *thread, uint32_t site) {
  struct gpm_notices *list = &thread->notices;
  if (list->delivering || (list->count == list->room && !more_room(list))) return NULL;
  struct gpm_notice *notice = &list->first[list->count++];
  *notice = (struct gpm_notice){.site = site};
  return notice;
}

void gpm_observers_allocated(struct gpm_thread *thread, const struct gpm_cell *cell,
                             uint64_t address, const struct gpm_block *block, uint64_t requested) {
  if (gpm_observed(GPM_OBSERVING_HOOKS)) {
    struct gpumemprof_event *e = gpm_callbacks_block(thread, GPUMEMPROF_ON_ALLOCATED, cell,
                                                     cell->node, address, block, block->clock);
    if (e) e->requested = requested;
  }
  if (gpm_observed(GPM_OBSERVING_THRESHOLDS))
    gpm_thresholds_rose(thread, cell->device, cell->node, block, block->clock);
}

/* Prepares a second notice, which is added when the free is known to have succeeded. */
static void note_end_of_free(struct gpm_thread *thread, uint64_t key, bool is_piece) {
  struct gpm_notices *list = &thread->notices;
  struct gpm_notice requested = list->first[list->count - 1];
  requested.event.what = GPUMEMPROF_ON_FREED;
  if (!list->awaits || is_piece) {
    struct gpm_notice *notice = gpm_observers_notice(thread, requested.site);
    if (notice) *notice = requested;
    return;
  }
  if (!list->freeing) list->freeing = gpm_memory_get(sizeof *list->freeing);
  if (!list->freeing) return;
  *list->freeing = requested;
  list->freeing_key = key;
}

void gpm_observers_free_succeeded(struct gpm_thread *thread, uint64_t key) {
  struct gpm_notices *list = &thread->notices;
  if (!gpm_observed(GPM_OBSERVING_HOOKS) || list->delivering || list->freeing_key != key) return;
  list->freeing_key = 0;
  if (list->freeing->event.clock != thread->pending.clock) return; /* this free has no notice */
  struct gpm_notice *notice = gpm_observers_notice(thread, list->freeing->site);
  if (notice) *notice = *list->freeing;
}

void gpm_observers_freed(struct gpm_thread *thread, const struct gpm_pair *pair, uint64_t address,
                         const struct gpm_block *block, uint64_t clock) {
  if (gpm_observed(GPM_OBSERVING_HOOKS) &&
      gpm_callbacks_block(thread, GPUMEMPROF_ON_FREE_REQUESTED, pair->cell, pair->from, address,
                          block, clock))
    note_end_of_free(thread, address, pair->cell->kind == GPUMEMPROF_KIND_CUSTOM);
  if (gpm_observed(GPM_OBSERVING_THRESHOLDS)) gpm_thresholds_fell(pair->cell->device);
}

void gpm_observers_free_failed(struct gpm_thread *thread, const struct gpm_pair *pair,
                               uint64_t address, const struct gpm_block *block, uint64_t clock,
                               int result) {
  thread->notices.freeing_key = 0;
  if (gpm_observed(GPM_OBSERVING_HOOKS)) {
    struct gpumemprof_event *e = gpm_callbacks_block(thread, GPUMEMPROF_ON_FREE_FAILED, pair->cell,
                                                     pair->from, address, block, clock);
    if (e) e->result = result;
  }
  if (gpm_observed(GPM_OBSERVING_THRESHOLDS))
    gpm_thresholds_rose(thread, pair->cell->device, pair->from, block, clock);
}

/* ---- delivery ----------------------------------------------------------------------------------
 */

/* The thread is busy meanwhile, because a signal handler that took the lock would wait for the code
 * that it interrupted. */
struct gpm_texts gpm_observers_location(struct gpm_thread *thread, uint32_t site) {
  struct gpm_texts t = {"", "", 0};
  if (site == GPUMEMPROF_NONE) return t;
  gpm_set_busy(thread, true);
  gpm_lock_take(&gpm_tree_lock); /* nothing is written */
  const struct gpumemprof_capture_site *s = gpm_sites_record(site);
  t = (struct gpm_texts){gpm_strings_keep(s->file), gpm_strings_keep(s->function), s->line};
  gpm_lock_release(&gpm_tree_lock);
  gpm_set_busy(thread, false);
  return t;
}

static bool go_inside(struct gpm_thread *thread, struct gpm_observer *o) {
  thread->notices.inside = o;
  if (gpm_observers_enter(o)) return true;
  thread->notices.inside = NULL;
  return false;
}

static void come_out(struct gpm_thread *thread, struct gpm_observer *o) {
  gpm_observers_exit(o);
  thread->notices.inside = NULL;
}

static void report_event(struct gpm_thread *thread, struct gpumemprof_event e,
                         struct gpm_texts location) {
  e.file = location.file;
  e.function = location.function;
  e.line = location.line;
  gpm_callbacks_complete(&e);
  for (unsigned i = 0; i < GPM_OBSERVERS_MOST; i++) {
    struct gpm_observer *o = gpm_observers_at(GPM_OBSERVING_HOOKS, i);
    if (!go_inside(thread, o)) continue;
    gpm_callbacks_call(o, &e);
    come_out(thread, o);
  }
}

static void report_crossing(struct gpm_thread *thread, const struct gpm_notice *notice,
                            struct gpm_texts location) {
  struct gpumemprof_crossing c = notice->crossing;
  c.file = location.file;
  c.function = location.function;
  c.line = location.line;
  int handle = notice->handle;
  struct gpm_observer *o = gpm_observers_at(GPM_OBSERVING_THRESHOLDS, notice->slot);
  if (!go_inside(thread, o)) return;
  if (atomic_load(&o->handle) == handle) o->threshold.callback(&c, o->threshold.data);
  come_out(thread, o);
}

/* A callback makes events on this thread, so the state that the event under way still needs is
 * saved and restored. In a child that a callback forked, the list is empty and no free of the
 * parent is pending. */
void gpm_observers_deliver(struct gpm_thread *thread) {
  struct gpm_notices *list = &thread->notices;
  if (list->delivering) return; /* a signal handler interrupted a delivery */
  list->delivering = true;
  int saved = errno;
  struct gpm_pending_free pending = thread->pending;
  struct physical *releasing = thread->releasing;
  uint64_t piece_freed_at_call = thread->piece_freed_at_call;
  uint32_t forks = list->process;
  for (uint32_t i = 0; i < list->count; i++) {
    const struct gpm_notice *notice = &list->first[i];
    struct gpm_texts location = gpm_observers_location(thread, notice->site);
    if (notice->cycle) gpm_schedule_report(notice->cycle);
    else if (notice->grew) gpm_growth_report(&notice->growth);
    else if (notice->handle) report_crossing(thread, notice, location);
    else report_event(thread, notice->event, location);
  }
  list->count = 0;
  if (list->room > LIST_KEPT) {
    gpm_memory_unmap(list->first, list->room * sizeof *list->first);
    list->first = NULL;
    list->room = 0;
  }
  if (list->process == forks) {
    thread->pending = pending;
    thread->releasing = releasing;
  } else list->freeing_key = 0;
  thread->piece_freed_at_call = piece_freed_at_call;
  list->delivering = false;
  errno = saved;
}

/* No other thread exists in the child; the forking thread may be inside an observer. */
void gpm_observers_forked(void) {
  const struct gpm_thread *self = gpm_thread_current;
  atomic_store(&observers_lock.held, 0);
  for (unsigned i = 0; i < SLOTS; i++)
    atomic_store(&observer_slots[i].inside, self && self->notices.inside == &observer_slots[i]);
}

/* ---- observers ----------------------------------------------------------------------------------
 */

/* While there are hooks, compiled code calls the runtime before allocations and after frees,
 * too. */
static void notify_thunks(unsigned observers) {
  uint64_t *observed = &__gpumemprof_clock.observed, hooks = GPUMEMPROF_OBSERVED_HOOKS;
  if (observers & GPM_OBSERVING_HOOKS) __atomic_fetch_or(observed, hooks, __ATOMIC_RELAXED);
  else __atomic_fetch_and(observed, ~hooks, __ATOMIC_RELAXED);
}

/* A handle encodes a slot and the number of its use. The caller holds the lock. */
static int put_in_slot(enum gpm_observing what, const struct gpm_observer *content) {
  for (unsigned i = 0; i < GPM_OBSERVERS_MOST; i++) {
    struct gpm_observer *o = gpm_observers_at(what, i);
    if (atomic_load(&o->handle) || atomic_load(&o->inside)) continue;
    int handle = o->uses * GPM_OBSERVERS_MOST + (int)i + 1;
    o->uses = (o->uses + 1) % (INT_MAX / GPM_OBSERVERS_MOST - 1);
    o->hooks = content->hooks;
    o->threshold = content->threshold;
    o->data = content->data;
    atomic_store(&o->handle, handle);
    notify_thunks(atomic_fetch_or(&gpm_observers, what) | what);
    return handle;
  }
  return 0;
}

int gpm_observers_add(enum gpm_observing what, const struct gpm_observer *content) {
  gpm_lock_take(&observers_lock);
  int handle = put_in_slot(what, content);
  gpm_lock_release(&observers_lock);
  return handle;
}

static void wait_until_nobody_is_inside(const struct gpm_observer *o) {
  for (unsigned checks = 0; atomic_load(&o->inside); checks++) {
    struct timespec pause = {0, 100000};
    if (checks < 100) gpm_yield();
    else
      gpm_syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause); /* a callback may take long */
  }
}

int gpm_observers_remove(enum gpm_observing what, int handle) {
  const struct gpm_thread *thread = gpm_thread_current;
  struct gpm_observer *o =
      handle > 0 ? gpm_observers_at(what, (unsigned)(handle - 1) % GPM_OBSERVERS_MOST) : NULL;
  int saved = errno, none = gpm_recording() ? GPUMEMPROF_ERROR_ARGUMENT : GPUMEMPROF_ERROR_OFF;
  if (!o) return none;
  gpm_lock_take(&observers_lock);
  bool found = atomic_compare_exchange_strong(&o->handle, &handle, 0), others = false;
  for (unsigned i = 0; i < GPM_OBSERVERS_MOST; i++)
    others |= atomic_load(&gpm_observers_at(what, i)->handle) != 0;
  if (!others) notify_thunks(atomic_fetch_and(&gpm_observers, ~(unsigned)what) & ~(unsigned)what);
  gpm_lock_release(&observers_lock);
  if (found && !(thread && thread->notices.delivering)) wait_until_nobody_is_inside(o);
  errno = saved;
  return found ? 0 : none;
}
