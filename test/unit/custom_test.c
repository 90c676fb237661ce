/* custom_test.c - the program's own allocators: random pools, segments, pieces and resets, against
 * a model that keeps arrays and recomputes every byte range each time; and very many pieces.
 */
#include "allocators/custom_pools.h"
#include "base/state.h"
#include "capture/capture.h"
#include "emit.h"
#include "records/devices.h"
#include "threads/threads.h"

/* These are what gpumemprof.h calls (weakly). */
struct gpumemprof_pool *__gpumemprof_pool_create(const char *name);
void __gpumemprof_pool_alloc(struct gpumemprof_pool *pool, const void *pointer, uint64_t bytes);
void __gpumemprof_pool_free(struct gpumemprof_pool *pool, const void *pointer);
void __gpumemprof_pool_reset(struct gpumemprof_pool *pool);
void __gpumemprof_pool_destroy(struct gpumemprof_pool *pool);

enum { POOLS = 4, SEGMENTS = 12, MOST = 300, UNIT = 512 };
static struct segment {
  uint64_t address, bytes; /* bytes 0: none */
  bool of[POOLS];
} segments[SEGMENTS];
struct piece {
  uint64_t address, bytes;
  int segment; /* -1: outside */
};
static struct pool {
  struct gpumemprof_pool *handle;
  struct piece piece[MOST];
  int count;
  uint64_t used_peak, reserved_peak, peak_free, peak_hole, pieces, segments;
  uint64_t growths, fragmented, passed_over, need, free, hole;
} pools[POOLS];
static uint64_t unknown, orphaned, replaced;

static uint64_t seed = 42;
static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(seed >> 33) % n;
}

static uint64_t counter(enum gpumemprof_counter c) {
  return gpm_capture->counters[c];
}

/* ---- the model ---------------------------------------------------------------------------------
 */
static uint64_t used(const struct pool *p, bool outside) {
  uint64_t sum = 0;
  for (int i = 0; i < p->count; i++)
    if (!outside || p->piece[i].segment < 0) sum += p->piece[i].bytes;
  return sum;
}

static uint64_t reserved(const struct pool *p) {
  uint64_t sum = 0;
  for (int s = 0; s < SEGMENTS; s++)
    if (segments[s].of[p - pools]) sum += segments[s].bytes;
  return sum;
}

/* Measures from each byte at which a hole can begin to the next piece after it. */
static uint64_t largest_hole(const struct pool *p) {
  uint64_t largest = 0;
  for (int s = 0; s < SEGMENTS; s++) {
    if (!segments[s].of[p - pools]) continue;
    for (int from = -1; from < p->count; from++) {
      if (from >= 0 && p->piece[from].segment != s) continue;
      uint64_t begin =
          from < 0 ? segments[s].address : p->piece[from].address + p->piece[from].bytes;
      uint64_t end = segments[s].address + segments[s].bytes;
      for (int i = 0; i < p->count; i++)
        if (p->piece[i].segment == s && p->piece[i].address >= begin && p->piece[i].address < end)
          end = p->piece[i].address;
      if (end - begin > largest) largest = end - begin;
    }
  }
  return largest;
}

static uint64_t free_bytes(const struct pool *p) {
  return reserved(p) - (used(p, false) - used(p, true));
}

static void drop(struct pool *p, int i) {
  p->piece[i] = p->piece[--p->count];
}

static int drop_overlapping(struct pool *p, uint64_t address, uint64_t bytes) {
  int dropped = 0;
  for (int i = p->count; i-- > 0;) {
    const struct piece *q = &p->piece[i];
    if (q->address >= address + bytes || q->address + q->bytes <= address) continue;
    drop(p, i);
    dropped++;
  }
  return dropped;
}

static void model_alloc(struct pool *p, uint64_t address, uint64_t bytes) {
  int in = -1;
  bool grew = false;
  for (int s = 0; s < SEGMENTS; s++)
    if (address >= segments[s].address && address - segments[s].address < segments[s].bytes) in = s;
  if (in >= 0 && !segments[in].of[p - pools]) {
    uint64_t free = free_bytes(p);
    if (free) {
      p->growths++;
      p->fragmented += free >= bytes && largest_hole(p) < bytes;
      p->passed_over += largest_hole(p) >= bytes;
      p->need = bytes;
      p->free = free;
      p->hole = largest_hole(p);
    }
    segments[in].of[p - pools] = true;
    p->segments++;
    if ((grew = reserved(p) > p->reserved_peak)) p->reserved_peak = reserved(p);
  }
  replaced += (uint64_t)drop_overlapping(p, address, bytes);
  bool whole = in >= 0 && address + bytes <= segments[in].address + segments[in].bytes;
  p->piece[p->count++] = (struct piece){address, bytes, whole ? in : -1};
  p->pieces++;
  if (used(p, false) > p->used_peak) p->used_peak = used(p, false);
  if (!grew) return;
  p->peak_free = free_bytes(p);
  p->peak_hole = largest_hole(p);
}

static void compare(void) {
  uint64_t all = 0, blocks = 0;
  for (int i = 0; i < POOLS; i++) {
    const struct pool *p = &pools[i];
    const struct gpumemprof_capture_custom_pool *r =
        test_record(GPUMEMPROF_CHUNK_CUSTOM_POOLS, 0, (uint64_t)i);
    CHECK(r->used.bytes == used(p, false) && r->used.blocks == (uint64_t)p->count);
    CHECK(r->outside.bytes == used(p, true));
    CHECK(r->reserved.bytes == reserved(p));
    CHECK(r->used_peak == p->used_peak && r->reserved_peak == p->reserved_peak);
    CHECK(r->peak_free == p->peak_free && r->peak_hole == p->peak_hole);
    CHECK(r->pieces == p->pieces && r->segments == p->segments);
    CHECK(r->hole == largest_hole(p));
    CHECK(r->growths == p->growths && r->fragmented == p->fragmented);
    CHECK(r->passed_over == p->passed_over);
    CHECK(r->growth_need == p->need && r->growth_free == p->free && r->growth_hole == p->hole);
    all += used(p, false);
    blocks += (uint64_t)p->count;
  }
  CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == unknown);
  CHECK(counter(GPUMEMPROF_COUNTER_orphaned_pieces) == orphaned);
  CHECK(counter(GPUMEMPROF_COUNTER_replaced_blocks) == replaced);
  const struct gpumemprof_capture_device *d = gpm_ledger_device(GPUMEMPROF_CUSTOM)->record;
  CHECK(d->total == all && d->live[GPUMEMPROF_KIND_CUSTOM].blocks == blocks);
}

/* ---- random turns ------------------------------------------------------------------------------
 */
static void turn(struct gpm_thread *self) {
  struct pool *p = &pools[below(POOLS)];
  struct segment *s = &segments[below(SEGMENTS)];
  switch (below(20)) {
  case 0: /* a segment begins or ends; neighbours are adjacent */
    if (below(4)) return;
    if (!s->bytes) {
      s->address = 0x100000000ULL + (uint64_t)(s - segments) * 64 * UNIT;
      s->bytes = (32 + below(2) * 32) * UNIT;
      test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, s->address, s->bytes, s->bytes);
      return;
    }
    test_free(self, s->address);
    for (int i = 0; i < POOLS; i++) {
      if (!s->of[i]) continue;
      orphaned += (uint64_t)drop_overlapping(&pools[i], s->address, s->bytes);
      s->of[i] = false;
    }
    s->bytes = 0;
    return;
  case 1:
    if (below(16)) return;
    __gpumemprof_pool_reset(p->handle);
    p->count = 0;
    return;
  case 2: /* a free of an address that is not a piece */
    __gpumemprof_pool_free(p->handle, (const void *)(uintptr_t)(0x100000003ULL + below(9)));
    unknown++;
    return;
  case 3:
  case 4:
  case 5:
  case 6:
  case 7:
  case 8: {
    if (!p->count) return;
    int i = (int)below((uint32_t)p->count);
    __gpumemprof_pool_free(p->handle, (const void *)(uintptr_t)p->piece[i].address);
    drop(p, i);
    return;
  }
  default: { /* an allocation, usually where the pool has no piece */
    uint64_t address = 0x100000000ULL + below(SEGMENTS * 64 * UNIT / 16) * 16;
    uint64_t bytes = 16 * (1 + below(below(8) ? 40 : 2000));
    bool avoid = below(10);
    if (s->bytes && !below(6)) { /* the whole segment */
      address = s->address;
      bytes = s->bytes;
      avoid = false;
    }
    for (int i = 0, tries = 0; avoid && i < p->count && tries < 20; i++)
      if (p->piece[i].address < address + bytes &&
          address < p->piece[i].address + p->piece[i].bytes) {
        address = 0x100000000ULL + below(SEGMENTS * 64 * UNIT / 16) * 16;
        i = -1;
        tries++;
      }
    if (p->count == MOST) return;
    __gpumemprof_pool_alloc(p->handle, (const void *)(uintptr_t)address, bytes);
    model_alloc(p, address, bytes);
  }
  }
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20000;
  struct gpm_thread *self = gpm_thread_self();
  CHECK(gpm_recording());
  for (int i = 0; i < POOLS; i++) CHECK((pools[i].handle = __gpumemprof_pool_create("pool")));
  for (int step = 0; step < steps; step++) {
    turn(self);
    compare();
  }
  CHECK(orphaned > 10 && replaced > 10 && unknown > 10 && pools[0].growths > 3);
  CHECK(pools[0].fragmented > 3 && pools[0].passed_over > 3);
  CHECK(pools[0].fragmented + pools[0].passed_over < pools[0].growths);

  for (int i = 0; i < POOLS; i++) __gpumemprof_pool_destroy(pools[i].handle);
  const struct gpumemprof_capture_custom_pool *gone =
      test_record(GPUMEMPROF_CHUNK_CUSTOM_POOLS, 0, 1);
  CHECK(!gone->used.bytes && !gone->reserved.bytes && !gone->reserved.blocks && !gone->hole);
  __gpumemprof_pool_free(pools[1].handle, &pools);
  CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == unknown + 1);
  CHECK(!gpm_ledger_device(GPUMEMPROF_CUSTOM)->record->total);

  return 0;
}
