/* table.c - the runtime's table of live blocks beside a sharded hash table.
 *
 *   table KINDS LIVE THREADS ROUNDS COUNT     KINDS: null, hash, ours, or all of them in turns
 *
 * LIVE blocks in a dense range of 512-byte granules. COUNT times: a random one is replaced, that is
 * a free address is inserted, a random block looked up, the old one deleted. `null` makes the same
 * addresses and no table. Threads share the table and own a part of the addresses each, as they do
 * with a CUDA allocator. The runtime's code is its own source file; its caller holds the lock of a
 * device when it writes a record, which is not part of the table. Prints, for each round and kind,
 * the processor time of all threads. */
#define _GNU_SOURCE
#include "core.h"
#include "records/blocks.c"
#include "records/cells.h"

#include "shard_hash.h"
#include "timer.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define BASE 0x700000000000u
#define THREADS_MAX 64
enum kind { NONE, HASH, OURS, KINDS };
static const char *const names[KINDS] = {"null", "hash", "ours"};

struct part {                              /* of one thread */
  _Alignas(128) uint32_t *granules[KINDS]; /* live ones, then free ones */
  uint32_t live, spare;
  uint64_t random, ns, sum;
  struct gpm_near near;
  enum kind kind;
  uint64_t count;
  unsigned number;
};
static struct part parts[THREADS_MAX];
static struct gpm_cell cell; /* any non-null one marks a slot as taken */
static pthread_barrier_t start_line;

static inline uint64_t random_bits(struct part *p) {
  p->random ^= p->random << 13;
  p->random ^= p->random >> 7;
  return p->random ^= p->random << 17;
}
static inline uint32_t below(uint64_t bits, uint32_t limit) {
  return (uint32_t)((bits & 0xffffffffu) * limit >> 32);
}
static inline uint64_t address_of(uint32_t granule) {
  return BASE + ((uint64_t)granule << GRANULE_BITS);
}
static void missing(void) {
  fprintf(stderr, "table: a live block is missing\n");
  exit(1);
}

static inline void insert(enum kind kind, struct part *p, uint64_t address, uint64_t clock) {
  if (kind == HASH) hash_insert(address, (struct hash_record){64, clock, 1, 0});
  if (kind != OURS) return;
  struct gpm_block *b = gpm_blocks_slot(&p->near, address);
  if (!b) missing();
  b->bytes = 64;
  b->clock = clock;
  b->ticks = 0;
  atomic_store_explicit(&b->cell, &cell, memory_order_release);
}
static inline uint64_t find_entry(enum kind kind, uint64_t address) {
  struct hash_record record;
  if (kind == NONE) return address;
  if (kind == HASH) return hash_find(address, &record) ? record.clock : (missing(), 0);
  struct gpm_block *b = gpm_blocks_find(address);
  return b ? b->clock : (missing(), 0);
}
static inline uint64_t remove_block(enum kind kind, uint64_t address) {
  struct hash_record record;
  if (kind == NONE) return address;
  if (kind == HASH) return hash_delete(address, &record) ? record.clock : (missing(), 0);
  struct gpm_block *b = gpm_blocks_find(address);
  if (!b) missing();
  uint64_t clock = b->clock;
  atomic_store_explicit(&b->cell, NULL, memory_order_release);
  return clock;
}

static inline __attribute__((always_inline)) void replace(enum kind kind, struct part *p) {
  uint32_t *granules = p->granules[kind];
  uint64_t sum = 0;
  for (uint64_t i = 0; i < p->count; i++) {
    uint64_t bits = random_bits(p);
    uint32_t *live = &granules[below(bits, p->live)];
    uint32_t *free_one = &granules[p->live + below(bits >> 8, p->spare)];
    uint32_t old = *live;
    *live = *free_one;
    *free_one = old;
    insert(kind, p, address_of(*live), i);
    sum += find_entry(kind, address_of(granules[below(bits >> 29, p->live)]));
    sum += remove_block(kind, address_of(old));
  }
  p->sum += sum;
}

static void *work(void *argument) {
  struct part *p = argument;
  bench_pin_nth(p->number);
  pthread_barrier_wait(&start_line);
  uint64_t start = bench_cpu_ns();
  if (p->kind == NONE) replace(NONE, p);
  if (p->kind == HASH) replace(HASH, p);
  if (p->kind == OURS) replace(OURS, p);
  p->ns = bench_cpu_ns() - start;
  return NULL;
}

/* Granules in random order; neighbours in an allocation stay neighbours in the table only by
 * chance. */
static void fill(struct part *p, enum kind kind, uint32_t first) {
  uint32_t all = p->live + p->spare;
  uint32_t *granules = p->granules[kind] = malloc(all * sizeof *granules);
  if (!granules) missing();
  for (uint32_t i = 0; i < all; i++) granules[i] = first + i;
  for (uint32_t i = all - 1; i; i--) {
    uint32_t j = below(random_bits(p) >> 16, i + 1), other = granules[j];
    granules[j] = granules[i];
    granules[i] = other;
  }
  for (uint32_t i = 0; i < p->live; i++) insert(kind, p, address_of(granules[i]), i);
}

int main(int argc, char **argv) {
  const char *wanted = argc > 1 ? argv[1] : "";
  uint64_t live = bench_count(argc, argv, 2, "live"),
           threads = bench_count(argc, argv, 3, "threads");
  uint64_t rounds = bench_count(argc, argv, 4, "rounds"),
           count = bench_count(argc, argv, 5, "count");
  if (!threads || threads > THREADS_MAX || live < 16 * threads || live > 1u << 30) return 2;
  if (!gpm_blocks_start()) return 1;
  pthread_t handles[THREADS_MAX];
  pthread_barrier_init(&start_line, NULL, (unsigned)threads);
  for (unsigned t = 0; t < threads; t++) {
    struct part *p = &parts[t];
    *p = (struct part){.live = (uint32_t)(live / threads),
                       .random = 88172645463325252u + t,
                       .near.start = UINT64_MAX,
                       .count = count,
                       .number = t};
    p->spare = p->live / 4 + 16;
    for (enum kind k = NONE; k < KINDS; k++)
      if (!strcmp(wanted, "all") || !strcmp(wanted, names[k]))
        fill(p, k, 1 + t * (p->live + p->spare));
  }
  for (uint64_t round = 0; round < rounds; round++)
    for (enum kind k = NONE; k < KINDS; k++) {
      if (!parts[0].granules[k]) continue;
      uint64_t ns = 0;
      for (unsigned t = 0; t < threads; t++) {
        parts[t].kind = k;
        if (pthread_create(&handles[t], NULL, work, &parts[t])) return 1;
      }
      for (unsigned t = 0; t < threads; t++) {
        pthread_join(handles[t], NULL);
        ns += parts[t].ns;
      }
      bench_print_as(names[k], ns, threads * count);
    }
  return 0;
}
