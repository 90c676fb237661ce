/* live_blocks_test.c - the block below an address, among thousands that come and go
 * (tools/uses/live_blocks.h), against an array that has the block of each address. */
#undef NDEBUG
#include "uses/live_blocks.h"

#include <assert.h>
#include <stdio.h>

enum { ADDRESSES = 4000, STEPS = 200000 };

static uint64_t state = 1;

static unsigned below(unsigned limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % limit;
}

int main(void) {
  static uint32_t block[ADDRESSES];
  struct gpm_live_blocks live = {0};
  unsigned count = 0, most = 0;
  assert(gpm_live_blocks_find(&live, 7) == GPUMEMPROF_NONE);
  gpm_live_blocks_remove(&live, 7);
  for (uint32_t step = 1; step <= STEPS; step++) {
    unsigned address = below(ADDRESSES), fewer = step / 50000 % 2 ? 3 : 1; /* fills up, empties */
    if (!block[address] && below(4) >= fewer) {
      gpm_live_blocks_add(&live, block[address] = step, address * 16 + 16);
      count++;
    } else if (below(4) < fewer) {
      gpm_live_blocks_remove(&live, address * 16 + 16);
      count -= block[address] != 0;
      block[address] = 0;
    }
    if (count > most) most = count;
    unsigned wanted = below(ADDRESSES * 16 + 32);
    uint32_t found = GPUMEMPROF_NONE;
    for (unsigned i = wanted / 16; i-- > 0 && found == GPUMEMPROF_NONE;)
      if (i < ADDRESSES && block[i]) found = block[i];
    assert(gpm_live_blocks_find(&live, wanted) == found);
  }
  assert(most > GPM_LIVE_LEAF * 8);
  gpm_live_blocks_free(&live);
  printf("each block is found among up to %u\n", most);
  return 0;
}
