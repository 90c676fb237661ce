/* ended_frames.c - scopes that end one after the other, without an event in between.
 *
 *   main | run | descend | descend | descend | pairs      an event opens the last four frames
 *                <----------------------------------      they end, and nothing happens meanwhile
 *
 * Such scopes have the same figures: the same own peak, and the same highest total of the device,
 * because they were entered at the same clock, and the clock at their ends is the same, too. So the
 * end of the innermost one finds out the figures (gpm_thread_end_later) and writes that clock into
 * the frames around it as their entry clock, which nothing needs any more. Compiled code compares
 * it with the clock when such a frame ends. Where they are equal it clears the frame and does
 * nothing else, so that the activation is no longer that of its frame. Otherwise another thread had
 * an event meanwhile, and the frame ends as any other (shadow_stack.c).
 *
 * The next time that the thread enters the runtime it counts all of them
 * (gpm_thread_count_ended), before anything else changes. Paths that do not ask whether there are
 * any need a cell or a node in the frame on top, and there is none: the frame around the ended ones
 * is never one in which memory moved before, because the outermost of them does not end by itself.
 *
 * Compiled code writes nothing into the capture, because that may be sealed by now, or be that of
 * the parent process. So a reader sees that the innermost one has ended (tools/model/fold.c), and
 * takes those around it for open.
 */
#include "core/ended_frames.h"
#include "base/compiled_code.h"
#include "base/compiler.h"
#include "base/taps.h"
#include "core/activations.h"
#include "records/devices.h"
#include "records/maxima.h"

/* Writes the flags and, in place of the entry clock, the highest total, in one store. */
static inline void mark_ended(struct gpumemprof_capture_activation *a, uint64_t highest) {
  typedef uint64_t two __attribute__((vector_size(16), may_alias));
  uint64_t flags = GPUMEMPROF_ACTIVATION_MOVED | GPUMEMPROF_ACTIVATION_ENDED;
  *(two *)(void *)a = (two){flags << 32 | a->node, highest};
}

bool gpm_thread_end_later(struct gpm_thread *thread) {
  const struct gpm_device *device = atomic_load_explicit(&gpm_ledger_first, memory_order_acquire);
  struct gpm_open *open = thread->latest;
  struct gpumemprof_capture_activation *a = open->record;
  const uint64_t entered = a->entry_clock;
  if (GPM_UNLIKELY(!device || !gpm_lock_take_quickly(device->lock))) return false;
  bool one = !gpm_ledger_many;
  uint64_t clock = gpm_peek(&__gpumemprof_clock.events), highest = device->record->total;
  uint64_t before = gpm_maxima_since(&device->maxima, entered);
  gpm_lock_release(device->lock);
  if (GPM_UNLIKELY(!one)) return false;
  if (before > highest) highest = before;
  for (struct gpm_open *o = open - 1; gpm_is_untouched(thread, o - 1, entered); o--)
    o->frame->entry_clock = clock;
  mark_ended(a, highest);
  struct gpumemprof_frame *frame = open->frame;
  frame->active = frame->node = frame->cell = NULL;
  thread->ended_highest = highest;
  thread->has_ended = true;
  return true;
}

/* Counts the activations that have ended and removes them. Returns the innermost of those that are
 * still open. */
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
    open--;
    GPM_ASSERT(open->record);
  } while (open->frame->active != open->record);
  thread->next_record = open[1].record;
  return thread->latest = open;
}

void gpm_thread_count_ended(struct gpm_thread *thread) {
  bool recording = gpm_recording(); /* in a forked child, nothing is open afterwards */
  if (!thread->has_ended) return;
  struct gpm_open *open = NULL;
  const struct gpumemprof_capture_activation *innermost = thread->latest->record;
  GPM_ASSERT(innermost->flags == (GPUMEMPROF_ACTIVATION_MOVED | GPUMEMPROF_ACTIVATION_ENDED));
  gpm_lock_take(&gpm_first_line.lock);
  if (GPM_UNLIKELY(!recording)) open = remove_ended(thread, false, true);
  else if (gpm_ledger_plain()) open = remove_ended(thread, true, true);
  else open = remove_ended(thread, true, false);
  gpm_lock_release(&gpm_first_line.lock);
  thread->has_ended = false;
  open->frame->entry_clock = GPM_NOT_BY_ITSELF;
  if (recording) gpm_activation_fold(open->record, innermost);
}
