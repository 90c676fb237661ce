/* maxima_test.c - the highest total since a clock, against a scan of all totals.
 *
 * Five shapes of the total over time, deep enough to cross segments both ways, and questions from
 * the latest clocks back to the first.
 */
#include "base/state.h"
#include "emit.h"
#include "records/maxima.h"

enum { EVENTS = 20000 };
static uint64_t totals[EVENTS + 1]; /* after the event of that clock; [0]: before any */

static uint64_t shape(int which, uint64_t clock, uint64_t before) {
  switch (which) {
  case 0:
    return clock; /* rising */
  case 1:
    return EVENTS - clock; /* falling: the deepest stack */
  case 2:
    return 5000 - clock % 5000; /* sawtooth: whole segments popped at once */
  case 3:
    return (uint64_t)rand() % 1000;
  default:
    return before + 2 > (uint64_t)rand() % 3 ? before + 2 - (uint64_t)rand() % 4 % (before + 2) : 0;
  }
}

static uint64_t scan(uint64_t clock, uint64_t now) {
  uint64_t highest = 0;
  for (uint64_t c = clock; c <= now; c++)
    if (totals[c] > highest) highest = totals[c];
  return highest;
}

static uint64_t highest(const struct gpm_maxima *m, uint64_t clock, uint64_t now) {
  uint64_t before = gpm_maxima_since(m, clock);
  return before > now ? before : now;
}

int main(void) {
  CHECK(gpm_recording());
  for (int which = 0; which < 5; which++) {
    struct gpm_maxima m = {.owner = 100 + (uint32_t)which};
    uint64_t now = 0; /* the present total */
    CHECK(gpm_maxima_since(&m, 0) == 0);
    for (uint64_t clock = 1; clock <= EVENTS; clock++) {
      totals[clock] = shape(which, clock, totals[clock - 1]);
      if (totals[clock] < now) {
        struct gpumemprof_capture_maximum *at = gpm_maxima_position(&m, now);
        if (!at) at = gpm_maxima_make_position(&m, now);
        CHECK(at);
        gpm_maxima_set(&m, at, clock, now);
      }
      now = totals[clock];
      for (uint64_t back = 0; back < 12 && back < clock; back++)
        CHECK(highest(&m, clock - back, now) == scan(clock - back, clock));
      if (clock % 97) continue;
      uint64_t from = 1 + (uint64_t)rand() % clock;
      CHECK(highest(&m, from, now) == scan(from, clock));
      CHECK(highest(&m, 1, now) == scan(1, clock));
    }
    CHECK(highest(&m, EVENTS + 1, now) == totals[EVENTS]);
  }
  return 0;
}
