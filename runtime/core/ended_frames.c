/* ended_frames.c - scopes that end one after the other, without an event in between.
 *
 *   main | run | descend | descend | descend | pairs      an event opens the last four frames
 *                <----------------------------------      they end, and nothing happens meanwhile
 *
 * Such scopes have the same figures: the same own peak, and the same highest total of the device,
 * because they were entered at the same clock, and the clock at their ends is the same, too. So the
 * end of the innermost one finds out the figures (gpm_thread_end_later) and writes that clock,
 * negative, into the frames around it as their entry clock, which nothing needs any more. Compiled
 * code compares it with the clock when such a frame ends. Where they are equal it clears the frame
 * and does nothing else, so that the activation is no longer that of its frame. Otherwise another
 * thread had an event meanwhile, and the frame ends as any other (shadow_stack.c); so it does if a
 * signal handler used the same frame, because an entry clock is never negative.
 *
 * The next time that the thread enters the runtime it counts all of them
 * (gpm_thread_count_ended), before anything else changes. Paths that do not ask whether there are
 * any need a cell or a node in the frame on top, and there is none: the frame around the ended ones
 * is never one in which memory moved before, because the outermost of them does not end by itself.
 * What looks at the scopes of all threads, such as a reset, a dump and the end of the program,
 * counts for the others first (gpm_threads_count_ended). The lock of the first device protects what
 * has ended.
 *
 * Compiled code writes nothing into the capture, because that may be sealed by now, or be that of
 * the parent process. So a reader sees that the innermost one has ended (tools/model/fold.c), and
 * takes those around it for open.
 */
#include "core/ended_frames.h"
#include "base/compiled_code.h"
#include "base/compiler.h"
#include "base/signals.h"
#include "base/taps.h"
#include "core/activations.h"
#include "core/entries.h"
#include "records/devices.h"
#include "records/maxima.h"

/* Whether an open activation was entered at the clock and nothing has moved in it yet but what is
 * in activations inside it that are still open; and nothing else is to be done at its end. */
static inline bool is_untouched(const struct gpm_thread *thread, const struct gpm_open *open,
                                uint64_t entry_clock) {
  const struct gpumemprof_capture_activation *a = open->record; /* of the bottom: null */
  return a >= thread->segment_first && !a->flags && a->entry_clock == entry_clock &&
         !open->frame->cell;
}

static inline bool may_end_later(const struct gpm_thread *thread,
                                 const struct gpumemprof_frame *frame) {
  const struct gpm_open *open = thread->latest;
  const struct gpumemprof_capture_activation *a = open->record;
  return open->frame == frame && a->flags == GPUMEMPROF_ACTIVATION_MOVED &&
         a >= thread->segment_first && is_untouched(thread, open - 1, a->entry_clock) &&
         is_untouched(thread, open - 2, a->entry_clock);
}

/* Writes the flags and, in place of the entry clock, the highest total, in one store. */
static inline void mark_ended(struct gpumemprof_capture_activation *a, uint64_t highest) {
  uint64_t flags = GPUMEMPROF_ACTIVATION_MOVED | GPUMEMPROF_ACTIVATION_ENDED;
  gpm_two_store(a, (gpm_two){flags << 32 | a->node, highest});
}

bool gpm_thread_end_later(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  if (!may_end_later(thread, frame)) return false;
  const struct gpm_device *device = atomic_load_explicit(&gpm_ledger_first, memory_order_acquire);
  struct gpm_open *open = thread->latest;
  struct gpumemprof_capture_activation *a = open->record;
  const uint64_t entered = a->entry_clock;
  if (GPM_UNLIKELY(!device || !gpm_lock_take_quickly(&gpm_first_line.lock))) return false;
  if (GPM_UNLIKELY(gpm_ledger_many)) {
    gpm_lock_release(&gpm_first_line.lock);
    return false;
  }
  uint64_t clock = gpm_peek(&__gpumemprof_clock.events), highest = device->record->total;
  uint64_t before = gpm_maxima_since(&device->maxima, entered);
  if (before > highest) highest = before;
  for (struct gpm_open *o = open - 1; is_untouched(thread, o - 1, entered); o--)
    o->frame->entry_clock = 0 - clock;
  mark_ended(a, highest);
  thread->ended_highest = highest;
  frame->active = frame->node = frame->cell = NULL;
  atomic_store_explicit(&thread->has_ended, true, memory_order_relaxed);
  gpm_lock_release(&gpm_first_line.lock);
  return true;
}

/* An activation has ended if its frame is not its own any more. The frame may be in use again. */
static inline bool has_ended(const struct gpm_open *open) {
  return open->frame &&
         __atomic_load_n(&open->frame->active, __ATOMIC_RELAXED) != (void *)open->record;
}

/* Counts and removes what has ended. Returns the innermost activation that is still open. */
static GPM_INLINE struct gpm_open *remove_ended(struct gpm_thread *thread, bool counts,
                                                bool plain) {
  struct gpm_open *open = thread->latest;
  const uint64_t highest = thread->ended_highest, own_peak = (uint64_t)open->record->peak;
  struct gpumemprof_chunk *segment = thread->segment;
  uint64_t used = (uint64_t)((char *)open->record - (char *)thread->segment_first);
  do {
    struct gpumemprof_capture_node *node = open->node->record;
    if (counts) gpm_ledger_count_activation(plain, node, own_peak);
    if (counts) gpm_ledger_raise(plain, &node->device_peak, highest);
    /* One by one, in case the program is killed. Their records are neighbours. */
    __atomic_store_n(&segment->used, used, __ATOMIC_RELEASE);
    used -= sizeof *open->record;
    thread->latest = --open;
  } while (has_ended(open));
  thread->next_record = open[1].record;
  return open;
}

/* Under the lock. */
static void count_under_lock(struct gpm_thread *thread, bool recording) {
  const struct gpm_open *latest = thread->latest;
  if (GPM_UNLIKELY(!has_ended(latest))) return;
  const struct gpumemprof_capture_activation *innermost = latest->record;
  struct gpm_open *open = NULL;
  if (GPM_UNLIKELY(!recording)) open = remove_ended(thread, false, true);
  else if (gpm_ledger_plain()) open = remove_ended(thread, true, true);
  else open = remove_ended(thread, true, false);
  if (GPM_UNLIKELY(!open->record)) return;
  __atomic_store_n(&open->frame->entry_clock, GPM_NOT_BY_ITSELF, __ATOMIC_RELAXED);
  if (recording) gpm_activation_fold(open->record, innermost);
}

void gpm_thread_count_ended(struct gpm_thread *thread) {
  bool recording = gpm_recording(); /* in a forked child, nothing is open afterwards */
  if (!thread->has_ended) return;
  gpm_lock_take(&gpm_first_line.lock);
  count_under_lock(thread, recording);
  atomic_store_explicit(&thread->has_ended, false, memory_order_relaxed);
  gpm_lock_release(&gpm_first_line.lock);
}

/* A thread of which this counts may end one more frame by itself at the same time, so it checks
 * again when it enters the runtime (has_ended). */
void gpm_threads_count_ended(void) {
  sigset_t held; /* a handler that wants the lock would wait for the code that it interrupted */
  if (!gpm_recording()) return;
  gpm_signals_hold(&held);
  for (struct gpm_thread *t = gpm_thread_newest(); t; t = t->next) {
    if (!atomic_load_explicit(&t->has_ended, memory_order_relaxed)) continue;
    gpm_lock_take(&gpm_first_line.lock);
    if (t->has_ended) count_under_lock(t, true);
    gpm_lock_release(&gpm_first_line.lock);
  }
  gpm_signals_let_come(&held);
}
