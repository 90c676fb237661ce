/* maxima.c - the highest device total since a given clock, exactly, in O(1) amortised per event.
 *
 * A stack of (clock, total) pairs with strictly falling totals, per device:
 *
 *   total  |x                         push pops every entry that is not higher; the answer for
 * "since |   x                      clock c" is the first entry at or after c: nothing later was |
 * x    x            higher. The state at c itself is the entry before it, if no event
 *          +----------------> clock   came between (until > c).
 *
 * ledger.c pushes and asks under the device's lock. The entries are capture records (MAXIMA
 * chunks), so that a reader can answer for the scopes a killed program left open.
 */
#include "runtime.h"

#define ENTRIES_PER_SEGMENT 2048u

static struct gpumemprof_capture_maximum *entry(const struct gpm_maxima *m, uint64_t i) {
  struct gpumemprof_chunk *segment = m->segments[i / ENTRIES_PER_SEGMENT];
  return (struct gpumemprof_capture_maximum *)(segment + 1) + i % ENTRIES_PER_SEGMENT;
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

static struct gpumemprof_capture_maximum *first_of(struct gpumemprof_chunk *segment) {
  return (struct gpumemprof_capture_maximum *)(segment + 1);
}

/* Writes the new top entry at `at` of segment number k and publishes it. */
static void set_top(struct gpm_maxima *m, uint32_t k, struct gpumemprof_capture_maximum *at,
                    uint64_t clock, uint64_t total) {
  struct gpumemprof_chunk *segment = m->segments[k];
  *at = (struct gpumemprof_capture_maximum){clock, UINT64_MAX, total};
  m->top = at;
  m->top_segment = k;
  __atomic_store_n(&segment->used, (uint64_t)((char *)(at + 1) - (char *)first_of(segment)),
                   __ATOMIC_RELEASE);
}

bool gpm_maxima_push(struct gpm_maxima *m, uint64_t clock, uint64_t total) {
  struct gpumemprof_capture_maximum *at = m->top;
  uint32_t k = m->top_segment;
  if (GPM_UNLIKELY(!at)) {
    if (!add_segment(m)) return false;
    set_top(m, 0, first_of(m->segments[0]), clock, total);
    return true;
  }
  at->until = clock;
  if (at->total > total) { /* above the top entry */
    if (GPM_UNLIKELY(at == first_of(m->segments[k]) + ENTRIES_PER_SEGMENT - 1)) {
      if (++k == m->segment_count && !add_segment(m)) return false;
      at = first_of(m->segments[k]);
    } else at++;
  } else { /* in place of the lowest entry that is not higher */
    for (;;) {
      struct gpumemprof_capture_maximum *first = first_of(m->segments[k]);
      while (at > first && at[-1].total <= total) at--;
      if (at > first || k == 0) break;
      struct gpumemprof_capture_maximum *below =
          first_of(m->segments[k - 1]) + ENTRIES_PER_SEGMENT - 1;
      if (below->total > total) break;
      __atomic_store_n(&m->segments[k]->used, 0, __ATOMIC_RELEASE);
      at = below;
      k--;
    }
  }
  set_top(m, k, at, clock, total);
  return true;
}

uint64_t gpm_maxima_since(const struct gpm_maxima *m, uint64_t clock) {
  if (!m->top) return 0;
  const struct gpumemprof_capture_maximum *top = m->top;
  uint64_t count = (uint64_t)m->top_segment * ENTRIES_PER_SEGMENT +
                   (uint64_t)(top - first_of(m->segments[m->top_segment])) + 1;
  /* Most scopes are young: gallop down from the top to an entry before the clock, then bisect. */
  uint64_t high = count, low = count,
           step = 1; /* first entry with entry.clock >= clock is in [low, high] */
  while (low && entry(m, low - 1)->clock >= clock) {
    high = low - 1;
    low = high > step ? high - step : 0;
    step *= 2;
  }
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (entry(m, middle)->clock < clock) low = middle + 1;
    else high = middle;
  }
  uint64_t highest = low < count ? entry(m, low)->total : 0;
  if (low > 0) {
    const struct gpumemprof_capture_maximum *before = entry(m, low - 1);
    if (before->until > clock && before->total > highest) highest = before->total;
  }
  return highest;
}
