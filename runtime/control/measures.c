/* measures.c - scopes whose figures the program wants to know (measure.h: gpumemprof_scope_begin).
 *
 * A measured scope is a block on the shadow stack, so its own peak and nesting work as for every
 * scope, and it ends on every way out; shadow_stack.c reports its end. What an activation does not
 * count is counted here while the scope is open: gross figures by kind in a meter of the thread,
 * which a scope reads at its begin and its end, and what other threads do for it (contexts.c) in a
 * meter of its own. The snapshot of its peak is taken when its device's total exceeds all previous
 * ones; a device stores the lowest such total of all scopes.
 */
#include "control/measures.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "core/contexts.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "records/made_sites.h"
#include "threads/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* ---- counting -----------------------------------------------------------------------------------
 */

static void add_blocks(struct gpumemprof_amount *at, uint64_t bytes, int sign) {
  at->bytes += (uint64_t)sign * bytes;
  at->blocks += (uint64_t)sign;
}

static void count(struct gpm_meter *meter, const struct gpm_moved *moved) {
  switch (moved->change) {
  case GPM_CHANGE_CREATED:
    add_blocks(&meter->created[moved->kind], moved->bytes, 1);
    meter->allocated += moved->device_bytes;
    return;
  case GPM_CHANGE_ENDED:
    add_blocks(&meter->ended[moved->kind], moved->bytes, 1);
    meter->freed += moved->device_bytes;
    return;
  case GPM_CHANGE_TAKEN_BACK:
    add_blocks(&meter->ended[moved->kind], moved->bytes, -1);
    meter->freed -= moved->device_bytes;
    return;
  }
}

void gpm_measures_count(struct gpm_thread *thread, const struct gpm_moved *moved) {
  thread->near.start = UINT64_MAX; /* repeats.c counts nothing: it refuses the next event */
  if (thread->measure) count(thread->meter, moved);
  if (thread->delegating && atomic_load_explicit(&gpm_measures_open_count, memory_order_relaxed))
    gpm_contexts_count(thread, moved);
}

static struct gpm_measure *of_frame(const struct gpumemprof_frame *frame) {
  return (struct gpm_measure *)(uintptr_t)frame->start;
}

void gpm_measures_count_for(const struct gpm_open *open, const struct gpm_moved *moved) {
  count(&of_frame(open->frame)->others, moved);
}

void gpm_measures_rose(struct gpm_device *device, uint64_t clock) {
  const struct gpumemprof_capture_device *d = device->record;
  uint64_t lowest = UINT64_MAX;
  gpm_lock_take(&gpm_measures_lock);
  for (struct gpm_measure *m = gpm_measures_open; m; m = m->next) {
    struct gpumemprof_snapshot *peak = &m->result.peak;
    if (m->ordinal != d->ordinal) continue;
    if (d->total > peak->acquired) {
      gpm_snapshot_totals(peak, device);
      peak->clock = clock;
      peak->time_ns = gpm_ticks_monotonic_ns();
    }
    if (peak->acquired < lowest) lowest = peak->acquired;
  }
  device->watched_above = lowest;
  gpm_ledger_limit_repeats(device);
  gpm_lock_release(&gpm_measures_lock);
}

/* A scope that began before any device was in use takes the first device. */
static void take_device(struct gpm_measure *m, int ordinal) {
  if (m->ordinal >= 0 || ordinal < 0) return;
  m->ordinal = m->result.before.device = m->result.peak.device = ordinal;
}

bool gpm_measures_watch(int ordinal) {
  bool watched = false;
  gpm_lock_take(&gpm_measures_lock);
  for (struct gpm_measure *m = gpm_measures_open; m; m = m->next) {
    take_device(m, ordinal);
    watched |= m->ordinal == ordinal;
  }
  gpm_lock_release(&gpm_measures_lock);
  return watched;
}

/* ---- begin --------------------------------------------------------------------------------------
 */

/* Returns the number of exceptions under way on this thread, as libstdc++ or libc++abi reports
 * it. */
static int uncaught_exceptions(void) {
  static int (*_Atomic ask)(void);
  static _Atomic bool searched;
  if (!atomic_load(&searched)) {
    atomic_store(&ask, (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "_ZSt19uncaught_exceptionsv"));
    atomic_store(&searched, true);
  }
  int (*function)(void) = atomic_load(&ask);
  return function ? function() : 0;
}

/* Null: no memory was allocated on it, or on any, yet. */
static struct gpm_device *device_of(struct gpm_measure *m) {
  struct gpm_device *first = atomic_load(&gpm_ledger_first);
  if (m->ordinal >= 0) return gpm_ledger_known_device(m->ordinal);
  if (first) take_device(m, first->record->ordinal);
  return first;
}

static void add_to_open(struct gpm_measure *m) {
  gpm_lock_take(&gpm_measures_lock);
  m->next = gpm_measures_open;
  m->link = &gpm_measures_open;
  if (m->next) m->next->link = &m->next;
  gpm_measures_open = m;
  gpm_lock_release(&gpm_measures_lock);
}

/* The device's lock is held while its totals are read, and until the device watches for higher
 * ones. */
static void watch_device(struct gpm_measure *m, struct gpm_device *device) {
  gpm_lock_take(device->lock);
  gpm_snapshot_totals(&m->result.before, device);
  if (device->watched_above > m->result.before.acquired)
    device->watched_above = m->result.before.acquired;
  gpm_ledger_limit_repeats(device);
  gpm_snapshot_totals(&m->result.peak, device);
  add_to_open(m);
  gpm_lock_release(device->lock);
}

/* The scope counts from here on. A device that is not known yet is made under gpm_tree_lock, and
 * watches from its beginning if it finds the scope open then (gpm_measures_watch). */
static void open_measure(struct gpm_measure *m) {
  struct gpm_device *device = device_of(m);
  if (!device) {
    gpm_lock_take(&gpm_tree_lock);
    device = device_of(m);
    if (!device) add_to_open(m);
    gpm_lock_release(&gpm_tree_lock);
  }
  if (device) watch_device(m, device);
  atomic_fetch_add(&gpm_measures_open_count, 1);
}

/* Its block is on the shadow stack, and the thread is busy. */
static void begin_measure(struct gpm_thread *thread, struct gpm_measure *m,
                          struct gpumemprof_frame *frame) {
  struct gpumemprof_capture_activation *a = frame->active;
  gpm_snapshot_fill(&m->result.before, thread, m->ordinal, m->asked);
  m->result.peak =
      (struct gpumemprof_snapshot){.device = m->ordinal, .time_ns = m->result.before.time_ns};
  m->thread = thread;
  m->frame = frame;
  m->ticks = frame->start;
  m->outer = thread->measure;
  m->begun = *thread->meter;
  thread->measure = m;
  thread->measuring++;
  thread->near.start = UINT64_MAX;
  frame->start = (uintptr_t)m;
  a->flags |= GPUMEMPROF_ACTIVATION_MEASURED;
  open_measure(m);
}

uint64_t __gpumemprof_scope_open(const char *name, const char *file, const char *function,
                                 uint32_t line, int device, unsigned asks) {
  int saved = errno;
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread)) return 0;
  const struct gpumemprof_block_site *site = gpm_sites_make_block(name, file, function, line);
  int ordinal = gpm_snapshot_ordinal(device), uncaught = uncaught_exceptions();
  if (!thread->meter) thread->meter = gpm_memory_get(sizeof *thread->meter);
  struct gpm_measure *m = site && thread->meter ? gpm_measures_take() : NULL;
  uint64_t handle = 0;
  if (m) {
    m->asked = asks;
    m->ordinal = ordinal;
    m->uncaught = uncaught;
    struct gpumemprof_frame *frame = __gpumemprof_block_enter(site);
    if (frame->active && gpm_thread_enter()) {
      begin_measure(thread, m, frame);
      gpm_set_busy(thread, false);
      handle = m->handle;
    } else { /* the stack does not record this depth, or there is no room */
      __gpumemprof_block_exit(frame);
      gpm_measures_give(m);
    }
  }
  errno = saved;
  return handle;
}

/* ---- end ----------------------------------------------------------------------------------------
 */

static void subtract(struct gpm_meter *from, const struct gpm_meter *other) {
  for (unsigned kind = 0; kind < GPUMEMPROF_KIND_COUNT; kind++) {
    from->created[kind].bytes -= other->created[kind].bytes;
    from->created[kind].blocks -= other->created[kind].blocks;
    from->ended[kind].bytes -= other->ended[kind].bytes;
    from->ended[kind].blocks -= other->ended[kind].blocks;
  }
  from->allocated -= other->allocated;
  from->freed -= other->freed;
}

/* Adds what its thread counted and what other threads counted for it. */
static void fill_gross(struct gpumemprof_result *r, const struct gpm_measure *m) {
  struct gpm_meter own = *m->thread->meter, less = m->begun;
  subtract(&less, &m->others); /* own - (begun - others) */
  subtract(&own, &less);
  r->allocated = own.allocated;
  r->freed = own.freed;
  memcpy(r->created, own.created, sizeof own.created);
  memcpy(r->ended, own.ended, sizeof own.ended);
}

static enum gpumemprof_left way_out(const struct gpm_thread *thread, const struct gpm_measure *m) {
  if (m->result.left) return m->result.left; /* gpumemprof_scope_end is under way */
  if (thread->leaving == GPM_LEAVING_THREAD_ENDS) return GPUMEMPROF_LEFT_BY_THREAD;
  if (uncaught_exceptions() > m->uncaught) return GPUMEMPROF_LEFT_BY_EXCEPTION;
  return thread->leaving == GPM_LEAVING_UNWINDS ? GPUMEMPROF_LEFT_BY_LONGJMP
                                                : GPUMEMPROF_LEFT_BY_RETURN;
}

/* Fills the result, which nothing changes afterwards. Returns how many ticks the scope lasted. */
static uint64_t close_measure(struct gpm_thread *thread, struct gpm_measure *m,
                              const struct gpumemprof_capture_activation *whole) {
  struct gpumemprof_result *r = &m->result;
  uint64_t ticks = gpm_ticks() - m->ticks;
  gpm_snapshot_fill(&r->after, thread, m->ordinal, m->asked);
  gpm_lock_take(&gpm_measures_lock);
  *m->link = m->next;
  if (m->next) m->next->link = m->link;
  gpm_lock_release(&gpm_measures_lock);
  atomic_fetch_sub(&gpm_measures_open_count, 1);
  r->left = way_out(thread, m);
  r->wall_ns = r->after.time_ns - r->before.time_ns;
  r->net = whole->net;
  r->own_peak = (uint64_t)whole->peak;
  fill_gross(r, m);
  r->device_peak = r->peak.acquired;
  r->device_peak_above_entry = r->peak.acquired - r->before.acquired;
  thread->measure = m->outer;
  thread->measuring--;
  m->frame = NULL;
  gpm_lock_take(&gpm_measures_lock);
  m->thread = NULL;
  gpm_measures_wait(m);
  gpm_lock_release(&gpm_measures_lock);
  return ticks;
}

uint64_t gpm_measures_ended(struct gpm_thread *thread, const struct gpm_open *open) {
  return close_measure(thread, of_frame(open->frame), open->record);
}

/* Whether functions that were called since, and have not returned, have frames above it. */
static bool is_covered(const struct gpumemprof_frame *frame) {
  uintptr_t here = gpm_thread_machine_stack();
  for (const struct gpumemprof_frame *f = gpm_thread_top(); f > frame; f--)
    if (f->scope && f->stack >= here) return true;
  return false;
}

/* A function called by the scope's function ends it: the result is that of this moment, and the
 * block stays on the stack. */
static void detach_measure(struct gpm_thread *thread, struct gpm_measure *m) {
  struct gpm_open *open = thread->latest;
  gpm_lock_take(&gpm_contexts_lock); /* other threads may work for it */
  struct gpumemprof_capture_activation whole = *open->record;
  /* Adds what is open above it, as if that ended now. */
  while (open->frame != m->frame || gpm_is_line(open)) {
    struct gpumemprof_capture_activation around = *(--open)->record;
    gpm_activation_fold(&around, &whole);
    whole = around;
  }
  m->frame->start = m->ticks;
  open->record->flags &= ~GPUMEMPROF_ACTIVATION_MEASURED;
  gpm_lock_release(&gpm_contexts_lock);
  close_measure(thread, m, &whole);
}

static bool is_open(const struct gpm_thread *thread, const struct gpm_measure *m) {
  const struct gpm_open *open = thread->latest;
  if (!m->frame->active || of_frame(m->frame) != m) return false;
  while (open->frame && (open->frame > m->frame || gpm_is_line(open))) open--;
  return open->frame == m->frame && open->record->flags & GPUMEMPROF_ACTIVATION_MEASURED;
}

/* Ends an open scope. Returns false if it belongs to another thread. */
static bool end_measure(struct gpm_measure *m) {
  int uncaught = uncaught_exceptions();
  struct gpm_thread *thread = gpm_thread_current;
  if (!thread || m->thread != thread || gpm_busy(thread)) return false;
  if (!is_open(thread, m))
    return false; /* a handler jumped out of the runtime, or recording stopped */
  m->result.left = uncaught > m->uncaught ? GPUMEMPROF_LEFT_BY_EXCEPTION : GPUMEMPROF_LEFT_BY_END;
  if (!is_covered(m->frame)) __gpumemprof_block_exit(m->frame);
  else if (gpm_thread_enter()) {
    detach_measure(thread, m);
    gpm_set_busy(thread, false);
  }
  return !m->thread;
}

int __gpumemprof_scope_close(uint64_t scope, struct gpumemprof_result *result, size_t size) {
  int saved = errno;
  struct gpm_measure *m = gpm_measures_claim(scope);
  if (m && m->handle && end_measure(m)) m = gpm_measures_claim(scope);
  bool ended = m && !m->handle;
  if (ended && result) memcpy(result, &m->result, size < sizeof *result ? size : sizeof *result);
  if (ended) gpm_measures_give(m);
  errno = saved;
  return ended;
}
