/* fold.c - ends the scopes that a running or killed program left open, exactly as their exit would
 * have.
 *
 *   thread 3:  main | step | make
 *              <-----------------  innermost first
 *
 * A scope's own peak and net are folded into those of its caller. Its device peak is the maximum
 * since its entry.
 *
 * The rules are those of capture.h (ACTIVATIONS, MAXIMA).
 */
#include "model/profile.h"
#include "support/memory.h"

/* The highest total of a device at any moment since clock c. */
static uint64_t highest_since(const struct gpm_reader *r, uint32_t device, uint64_t c) {
  struct gpm_range range = r->device_maxima[device];
  const struct gpumemprof_capture_maximum *first = r->maxima + range.begin;
  uint64_t low = 0, high = range.end - range.begin; /* low: first entry with until > c */
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (first[middle].until <= c) low = middle + 1;
    else high = middle;
  }
  uint64_t now = r->devices[device].total;
  return low < range.end - range.begin && first[low].total > now ? first[low].total : now;
}

static uint64_t device_peak_since(const struct gpm_reader *r, uint64_t c) {
  uint64_t highest = 0;
  for (uint32_t i = 0; i < r->device_count; i++) {
    if (r->devices[i].ordinal < 0) continue;
    uint64_t peak = highest_since(r, i, c);
    if (peak > highest) highest = peak;
  }
  return highest;
}

void gpm_fold_add(struct gpm_fold *f, const struct gpumemprof_capture_activation *a) {
  bool shared = a->flags & GPUMEMPROF_ACTIVATION_SHARED; /* it has what is inside it */
  if (f->attached || shared) *f = (struct gpm_fold){0};
  int64_t reached = (int64_t)((uint64_t)a->net + (uint64_t)f->peak);
  f->peak = a->peak > reached ? a->peak : reached;
  f->net = (int64_t)((uint64_t)a->net + (uint64_t)f->net);
  f->moved |= (a->flags & GPUMEMPROF_ACTIVATION_MOVED) != 0;
  f->attached = a->flags & GPUMEMPROF_ACTIVATION_ATTACHED;
}

void gpm_fold_open(struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  uint64_t open = r->thread_count ? r->threads[r->thread_count - 1].end : 0;
  p->ended = gpm_memory_array(open, sizeof *p->ended);
  for (uint32_t t = 0; t < r->thread_count; t++) {
    struct gpm_fold fold = {0};
    for (uint64_t i = r->threads[t].end; i-- > r->threads[t].begin;) {
      const struct gpumemprof_capture_activation *a = &r->activations[i];
      gpm_fold_add(&fold, a);
      bool ended = a->flags & GPUMEMPROF_ACTIVATION_ENDED;
      bool profiled = a->flags & GPUMEMPROF_ACTIVATION_PROFILED;
      if (!fold.moved && !profiled) continue;
      p->ended[p->ended_count++] = (struct gpm_ended_scope){
          .node = a->node,
          .moved = fold.moved,
          .profiled = profiled,
          .own_peak = fold.moved ? (uint64_t)fold.peak : 0,
          .device_peak = ended ? a->entry_clock : device_peak_since(r, a->entry_clock),
      };
    }
  }
}
