/* blocks_test.c - the table of live blocks against a plain array: exact and interior look-ups.
 * GPUMEMPROF_TEST_SEED chooses them (seeds_in_turns.py). */
#include "emit.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "threads/threads.h"

enum { SLOTS = 400 };
#if defined(__aarch64__)
enum { ADDRESS_BITS = 48 };
#else
enum { ADDRESS_BITS = 47 };
#endif
static struct {
  uint64_t address, bytes;
  bool live;
} model[SLOTS];

static uint64_t state = 0x9e3779b97f4a7c15ULL;
static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static bool overlaps(uint64_t address, uint64_t bytes) {
  for (int i = 0; i < SLOTS; i++)
    if (model[i].live && address < model[i].address + model[i].bytes &&
        model[i].address < address + bytes)
      return true;
  return false;
}

/* Addresses are distant, adjacent, unaligned, at table borders, the highest of a program, and
 * beyond those. */
static uint64_t some_address(void) {
  switch (random_bits() % 6) {
  case 0:
    return 0x7f0000000000ULL + random_bits() % 64 * 512;
  case 1:
    return (random_bits() % (1ULL << 38)) * 512;
  case 2:
    return 0x200000000ULL + random_bits() % 100000 * 16;
  case 3:
    return (1ULL << 34) * (1 + random_bits() % 3) - random_bits() % 4 * 512;
  case 4:
    return (1ULL << ADDRESS_BITS) - (1ULL << 34) + random_bits() % 1000 * 512;
  default:
    return (1ULL << 52) + random_bits() % 1000 * 512;
  }
}

static void compare(uint64_t address) {
  int at = -1, inside = -1;
  for (int i = 0; i < SLOTS; i++) {
    if (!model[i].live) continue;
    if (model[i].address == address) at = i;
    if (address >= model[i].address && address - model[i].address < model[i].bytes) inside = i;
  }
  struct gpm_block *found = test_block(address);
  CHECK((found != NULL) == (at >= 0));
  CHECK(!found || found->bytes == model[at].bytes);
  if (inside >= 0 && model[inside].address >> ADDRESS_BITS)
    return; /* interiors are found below that */
  uint64_t start = 0;
  found = gpm_blocks_find_interior(address, &start);
  CHECK((found != NULL) == (inside >= 0));
  CHECK(!found || (start == model[inside].address && found->bytes == model[inside].bytes));
}

static uint64_t visited;
static void visit(uint64_t address, struct gpm_block *block, void *data) {
  (void)data;
  for (int i = 0; i < SLOTS; i++)
    if (model[i].live && model[i].address == address && model[i].bytes == block->bytes) visited++;
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20000;
  state += test_seed();
  static struct gpm_cell cell; /* any non-null cell marks a slot as taken */
  struct gpm_near near = {.start = UINT64_MAX};
  CHECK(gpm_blocks_start());
  for (int step = 0; step < steps; step++) {
    int i = (int)(random_bits() % SLOTS);
    if (model[i].live) {
      atomic_store(&test_block(model[i].address)->cell, NULL);
      model[i].live = false;
    } else {
      uint64_t address = some_address(),
               bytes = 1 + random_bits() % (random_bits() % 50 ? 4096 : 1ULL << 33);
      if (overlaps(address, bytes)) continue;
      struct gpm_block *b = gpm_blocks_slot(&near, address);
      CHECK(b && !atomic_load(&b->cell));
      b->bytes = bytes;
      atomic_store(&b->cell, &cell);
      model[i].address = address;
      model[i].bytes = bytes;
      model[i].live = true;
    }
    compare(model[i].address);
    compare(model[i].address + 1);
    compare(model[i].address + model[i].bytes - 1);
    compare(model[i].address + model[i].bytes);
    compare(some_address());
  }
  uint64_t live = 0;
  for (int i = 0; i < SLOTS; i++) live += model[i].live;
  gpm_blocks_each(visit, NULL);
  CHECK(visited == live && live > 50);
  return 0;
}
