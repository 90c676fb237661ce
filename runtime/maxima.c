/* maxima.c - the highest device total since a given clock, exactly, in O(1) amortised per event.
 *
 * A stack of (clock, total) pairs with strictly falling totals, per device:
 *
 *   total  |x                         push pops every entry that is not higher; the answer for "since
 *          |   x                      clock c" is the first entry at or after c: nothing later was
 *          |        x    x            higher. The state at c itself is the entry before it, if no event
 *          +----------------> clock   came between (until > c).
 *
 * ledger.c pushes and asks under the device's lock. The entries are capture records (MAXIMA chunks), so
 * that a reader can answer for the scopes a killed program left open.
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
      gpm_capture_chunk(GPUMEMPROF_CHUNK_MAXIMA, sizeof(struct gpumemprof_capture_maximum), m->owner,
                        ENTRIES_PER_SEGMENT * sizeof(struct gpumemprof_capture_maximum));
  if (!chunk) return false;
  m->segments[m->segment_count++] = chunk;
  return true;
}

/* Publishes `count` entries in the segment that holds the last one. */
static void set_used(struct gpm_maxima *m, uint64_t segment, uint64_t count) {
  __atomic_store_n(&m->segments[segment]->used, count * sizeof(struct gpumemprof_capture_maximum),
                   __ATOMIC_RELEASE);
}

bool gpm_maxima_push(struct gpm_maxima *m, uint64_t clock, uint64_t total) {
  uint64_t count = m->count;
  if (count) entry(m, count - 1)->until = clock;
  while (count && entry(m, count - 1)->total <= total) {
    count--;
    if (count % ENTRIES_PER_SEGMENT == 0) set_used(m, count / ENTRIES_PER_SEGMENT, 0);
  }
  if (count / ENTRIES_PER_SEGMENT >= m->segment_count && !add_segment(m)) return false;
  *entry(m, count) = (struct gpumemprof_capture_maximum){clock, UINT64_MAX, total};
  set_used(m, count / ENTRIES_PER_SEGMENT, count % ENTRIES_PER_SEGMENT + 1);
  m->count = count + 1;
  return true;
}

uint64_t gpm_maxima_since(const struct gpm_maxima *m, uint64_t clock) {
  uint64_t low = 0, high = m->count; /* first entry with entry.clock >= clock */
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (entry(m, middle)->clock < clock) low = middle + 1;
    else high = middle;
  }
  uint64_t highest = low < m->count ? entry(m, low)->total : 0;
  if (low > 0) {
    const struct gpumemprof_capture_maximum *before = entry(m, low - 1);
    if (before->until > clock && before->total > highest) highest = before->total;
  }
  return highest;
}
