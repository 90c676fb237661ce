/* maxima.c - the highest device total since a given clock, exactly, in O(1) amortised per event.
 *
 * A stack of the totals from which a device's total fell, strictly falling:
 *
 *   total  |x                     ledger.c pushes the total that stood when an event lowers it;
 * push |   x                  pops every entry that is not higher. While the total rises nothing |
 * x  ^             happens: what stood before is lower than what follows. The answer for |        |
 * now         clock c is the highest of the total now, the first entry at or after c
 *          +----------------> clock     (nothing later was higher), and the one before it if that
 *                                       still stood at c (until > c).
 *
 * Under the device's lock. The entries are capture records (MAXIMA chunks), so that a reader can
 * answer for the scopes a killed program left open.
 */
#include "runtime.h"

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

/* Makes `at`, in the segment of m->first, the top entry and publishes it. */
static inline void set_top(struct gpm_maxima *m, struct gpumemprof_capture_maximum *at,
                           uint64_t clock, uint64_t until, uint64_t total) {
  at->clock = clock;
  at->until = until;
  at->total = total;
  m->top = at;
  struct gpumemprof_chunk *segment = (struct gpumemprof_chunk *)(void *)m->first - 1;
  __atomic_store_n(&segment->used, (uint64_t)((char *)(at + 1) - (char *)m->first),
                   __ATOMIC_RELEASE);
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

bool gpm_maxima_push(struct gpm_maxima *m, uint64_t clock, uint64_t until, uint64_t total) {
  struct gpumemprof_capture_maximum *at = m->top;
  if (GPM_LIKELY(at != NULL) && at->total <= total) { /* in place of the lowest not higher */
    while (at > m->first && at[-1].total <= total) at--;
    if (GPM_UNLIKELY(at == m->first && m->top_segment)) at = pop_segments(m, total);
  } else {
    at = GPM_LIKELY(at != m->last) ? at + 1 : more_entries(m);
    if (GPM_UNLIKELY(!at)) return false;
  }
  set_top(m, at, clock, until, total);
  return true;
}

/* The answer when `low` is the number of the first entry at or after the clock. */
static uint64_t highest_from(const struct gpm_maxima *m, uint64_t low, uint64_t count,
                             uint64_t clock) {
  const struct gpumemprof_capture_maximum *before = low > 0 ? entry(m, low - 1) : NULL;
  if (before && before->until > clock) return before->total; /* higher than all that follow */
  return low < count ? entry(m, low)->total : 0;
}

static GPM_NOINLINE uint64_t search_since(const struct gpm_maxima *m, uint64_t clock) {
  uint64_t count =
      (uint64_t)m->top_segment * ENTRIES_PER_SEGMENT + (uint64_t)(m->top - m->first) + 1;
  /* Gallop down from the top to an entry before the clock, then bisect: the first entry at or after
   * the clock is in [low, high]. */
  uint64_t high = count, low = count, step = 1;
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
  return highest_from(m, low, count, clock);
}

uint64_t gpm_maxima_since(const struct gpm_maxima *m, uint64_t clock) {
  const struct gpumemprof_capture_maximum *at = m->top;
  if (GPM_UNLIKELY(!at)) return 0;
  if (at->clock < clock) return at->until > clock ? at->total : 0;
  /* Most scopes are young: the answer is among the latest entries. */
  for (unsigned i = 0; i < 8; i++, at--) {
    if (GPM_UNLIKELY(at == m->first)) {
      if (m->top_segment) break;
      return at->total;
    }
    if (at[-1].clock < clock) return at[-1].until > clock ? at[-1].total : at->total;
  }
  return search_since(m, clock);
}
