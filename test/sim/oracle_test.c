/* oracle_test.c - the memory of a device against a brute-force account of it: random allocations
 * and frees of all sizes, after each of which blocks do not overlap and free memory is what the
 * units in use leave.
 */
#include "check.h"

#include <cuda_runtime.h>
#include <stdint.h>

#define BLOCKS 400
#define STEPS 40000
#define UNIT (2 * MIB)
#define MEMORY (256 * MIB)

static struct block {
  uintptr_t start;
  size_t size;
} blocks[BLOCKS];

static unsigned state = 12345;

static unsigned any(unsigned below) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % below;
}

/* Mostly small, some around the unit, a few large. */
static size_t any_size(void) {
  switch (any(10)) {
  case 0:
    return UNIT - 600 + any(1200);
  case 1:
    return UNIT + any(20 * MIB);
  case 2:
    return MIB / 2 + any(MIB);
  default:
    return 1 + any(100 * KIB);
  }
}

/* Units that hold at least one byte of a block, each counted once. */
static size_t units_in_use(void) {
  static unsigned char used[1 << 20];
  uintptr_t lowest = UINTPTR_MAX;
  size_t count = 0;
  for (int i = 0; i < BLOCKS; i++)
    if (blocks[i].size && blocks[i].start < lowest) lowest = blocks[i].start;
  lowest -= lowest % UNIT;
  memset(used, 0, sizeof used);
  for (int i = 0; i < BLOCKS; i++) {
    if (!blocks[i].size) continue;
    size_t first = (blocks[i].start - lowest) / UNIT;
    size_t last = (blocks[i].start + blocks[i].size - 1 - lowest) / UNIT;
    for (size_t u = first; u <= last && u < sizeof used; u++) {
      count += !used[u];
      used[u] = 1;
    }
  }
  return count;
}

static void check_no_overlap(const struct block *b) {
  for (int i = 0; i < BLOCKS; i++) {
    const struct block *o = &blocks[i];
    if (o == b || !o->size) continue;
    if (b->start < o->start + o->size && o->start < b->start + b->size) {
      fprintf(stderr, "blocks of %zu and %zu bytes overlap\n", b->size, o->size);
      failures++;
    }
  }
}

TEST_WITH(random_allocations_agree_with_a_plain_account, "memory=256MiB") {
  size_t left, total, full = 0;
  for (int step = 0; step < STEPS && !failures; step++) {
    struct block *b = &blocks[any(BLOCKS)];
    if (b->size) {
      OK(cudaFree((void *)b->start));
      b->size = 0;
    } else {
      size_t size = any_size();
      void *p = NULL;
      cudaError_t error = cudaMalloc(&p, size);
      if (error == cudaErrorMemoryAllocation) {
        /* Only where a new unit is needed and there is none. */
        CHECK((units_in_use() + (size + UNIT - 1) / UNIT) * UNIT > MEMORY);
        full++;
      } else {
        OK(error);
        *b = (struct block){(uintptr_t)p, size};
        check_no_overlap(b);
      }
    }
    if (step % 16) continue;
    OK(cudaMemGetInfo(&left, &total));
    CHECK_EQ(total - left, units_in_use() * UNIT);
  }
  CHECK(full > 0); /* the device was full at times */
  for (int i = 0; i < BLOCKS; i++)
    if (blocks[i].size) OK(cudaFree((void *)blocks[i].start));
  OK(cudaMemGetInfo(&left, &total));
  CHECK_EQ(left, total);
}
