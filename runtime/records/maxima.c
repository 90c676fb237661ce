/* maxima.c - the highest device total since a given clock, exactly, in O(1) amortised per event.
 *
 * A stack of the totals from which a device's total fell, each with the clock of the event that
 * lowered it. A total about to fall pops every entry that is not higher, then is pushed: totals
 * fall and clocks rise towards the top. While the total rises nothing happens, because earlier
 * totals are lower than later ones. The totals since clock c are the entries left after c and the
 * current total; of these entries the first is the highest.
 *
 * Under the device's lock. The entries are capture records (MAXIMA chunks), so that a reader can
 * answer for the scopes a killed program left open.
 */
#include "records/maxima.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "capture/capture.h"

#define ENTRIES_PER_SEGMENT 2048u

static struct gpumemprof_capture_maximum *first_of(struct gpumemprof_chunk *segment) {
  return (struct gpumemprof_capture_maximum *)(segment + 1);
}

static struct gpumemprof_capture_maximum *entry(const struct gpm_maxima *m, uint64_t i) {
  return first_of(m->segments[i / ENTRIES_PER_SEGMENT]) + i % ENTRIES_PER_SEGMENT;
}

static bool add_segment(struct gpm_maxima *m) {
  if (!(m->segment_count & (m->segment_count - 1))) { /* a power of two: the list is full */
    uint32_t room = m->segment_count ? m->segment_count * 2 : 1;
    struct gpumemprof_chunk **list = gpm_memory_get(room * sizeof *list);
    if (!list) return false;
    for (uint32_t i = 0; i < m->segment_count; i++) list[i] = m->segments[i];
    m->segments = list;
  }
  struct gpumemprof_chunk *chunk =
      gpm_capture_chunk(GPUMEMPROF_CHUNK_MAXIMA, sizeof(struct gpumemprof_capture_maximum),
                        m->owner, ENTRIES_PER_SEGMENT * sizeof(struct gpumemprof_capture_maximum));
  if (!chunk) return false;
  m->segments[m->segment_count++] = chunk;
  return true;
}

static void enter_entries(struct gpm_maxima *m, uint32_t k) {
  m->top_segment = k;
  m->first = first_of(m->segments[k]);
  m->last = m->first + ENTRIES_PER_SEGMENT - 1;
}

/* The stack is empty or its top segment full: goes on in the next one. */
static GPM_COLD struct gpumemprof_capture_maximum *more_entries(struct gpm_maxima *m) {
  uint32_t k = m->top ? m->top_segment + 1 : 0;
  if (k == m->segment_count && !add_segment(m)) return NULL;
  enter_entries(m, k);
  return m->first;
}

/* The whole top segment is not higher than total: pops it and goes on below. */
static GPM_COLD struct gpumemprof_capture_maximum *pop_segments(struct gpm_maxima *m,
                                                                uint64_t total) {
  for (;;) {
    uint32_t k = m->top_segment;
    struct gpumemprof_capture_maximum *at =
        k ? entry(m, (uint64_t)k * ENTRIES_PER_SEGMENT - 1) : NULL;
    if (!at || at->total > total) return m->first;
    __atomic_store_n(&m->segments[k]->used, 0, __ATOMIC_RELEASE);
    enter_entries(m, k - 1);
    while (at > m->first && at[-1].total <= total) at--;
    if (at > m->first) return at;
  }
}

GPM_NOINLINE struct gpumemprof_capture_maximum *gpm_maxima_make_position(struct gpm_maxima *m,
                                                                         uint64_t total) {
  struct gpumemprof_capture_maximum *at = gpm_maxima_position(m, total);
  if (at) return at;
  return m->top && m->top->total <= total ? pop_segments(m, total) : more_entries(m);
}

/* The first entry left after the clock, when it is not among the latest. */
static GPM_NOINLINE uint64_t search_since(const struct gpm_maxima *m, uint64_t clock) {
  uint64_t count =
      (uint64_t)m->top_segment * ENTRIES_PER_SEGMENT + (uint64_t)(m->top - m->first) + 1;
  if (entry(m, 0)->until > clock) return entry(m, 0)->total; /* a scope older than all of them */
  /* Gallop down from the top to an entry left before, then bisect: it is in [low, high]. */
  uint64_t high = count, low = count, step = 1;
  while (low && entry(m, low - 1)->until > clock) {
    high = low - 1;
    low = high > step ? high - step : 0;
    step *= 2;
  }
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (entry(m, middle)->until <= clock) low = middle + 1;
    else high = middle;
  }
  return low < count ? entry(m, low)->total : 0;
}

uint64_t gpm_maxima_since(const struct gpm_maxima *m, uint64_t clock) {
  const struct gpumemprof_capture_maximum *at = m->top;
  if (GPM_UNLIKELY(!at) || at->until <= clock) return 0;
  /* Most scopes are young: the answer is among the latest entries. */
  for (unsigned i = 0; i < 8; i++, at--) {
    if (GPM_UNLIKELY(at == m->first)) {
      if (m->top_segment) break;
      return at->total;
    }
    if (at[-1].until <= clock) return at->total;
  }
  return search_since(m, clock);
}
