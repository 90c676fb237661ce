/* top_scopes.c - the scopes that are open in each thread of a running program: top_refresh.h.
 *
 *   thread 0   main        net +5 GiB   own peak 5.2 GiB
 *                step      net +1 GiB   own peak 1.2 GiB
 *                  make    net 0        own peak 512 MiB
 *
 * Each scope has what it has so far, as if all scopes inside it had ended now (fold.c). Reading
 * does not stop the program.
 *
 * A capture has the scopes in which memory moved, the profiled ones, and the scopes around both.
 */
#include "support/memory.h"
#include "top/top_refresh.h"

static bool is_scope(const struct gpumemprof_capture_activation *a) {
  return !(a->flags & GPUMEMPROF_ACTIVATION_LINE); /* what a line has, the scope around it has */
}

/* The end of the activations of a thread that are open for certain. Where the innermost one has
 * ended, those around it in which nothing else happened may have, too, all but the outermost of
 * them. */
static uint64_t end_of_open(const struct gpm_reader *r, const struct gpm_range *range) {
  const struct gpumemprof_capture_activation *a = r->activations;
  uint64_t end = range->end;
  if (end == range->begin || !(a[end - 1].flags & GPUMEMPROF_ACTIVATION_ENDED)) return end;
  for (end--; end - range->begin > 1; end--)
    if (a[end - 1].flags || a[end - 2].flags || a[end - 1].entry_clock != a[end - 2].entry_clock)
      break;
  return end;
}

/* The open scopes of one thread, outermost first. */
static uint32_t add_scopes(const struct gpm_reader *r, const struct gpm_range *range,
                           struct gpm_top_scope *scopes) {
  uint32_t count = 0;
  uint64_t end = end_of_open(r, range);
  for (uint64_t k = range->begin; k < end; k++) count += is_scope(&r->activations[k]);
  struct gpm_fold fold = {0};
  uint32_t depth = count;
  for (uint64_t k = range->end; k-- > range->begin;) {
    const struct gpumemprof_capture_activation *a = &r->activations[k];
    gpm_fold_add(&fold, a);
    if (k >= end || !is_scope(a)) continue;
    depth--;
    scopes[depth] = (struct gpm_top_scope){.thread = range->owner,
                                           .depth = depth,
                                           .node = a->node,
                                           .net = fold.net,
                                           .own_peak = fold.peak,
                                           .shared = a->flags & GPUMEMPROF_ACTIVATION_SHARED,
                                           .attached = a->flags & GPUMEMPROF_ACTIVATION_ATTACHED};
  }
  return count;
}

struct gpm_top_scope *gpm_top_scopes(const struct gpm_top *t, uint32_t *count) {
  const struct gpm_reader *r = t->reader;
  uint64_t open = r->thread_count ? r->threads[r->thread_count - 1].end : 0;
  struct gpm_top_scope *scopes = gpm_memory_array(open, sizeof *scopes);
  *count = 0;
  for (uint32_t i = 0; i < r->thread_count; i++)
    *count += add_scopes(r, &r->threads[i], scopes + *count);
  return scopes;
}
