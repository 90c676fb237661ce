/* pieces_test.c - the program's own allocators: what compiled code reports for nested calls and
 * pools inside pools, several threads, and how long very many pieces take.
 */
#include "allocators/custom_pools.h"
#include "base/state.h"
#include "capture/capture.h"
#include "emit.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* These are what gpumemprof.h calls (weakly). */
struct gpumemprof_pool *__gpumemprof_pool_create(const char *name);
void __gpumemprof_pool_alloc(struct gpumemprof_pool *pool, const void *pointer, uint64_t bytes);
void __gpumemprof_pool_free(struct gpumemprof_pool *pool, const void *pointer);
void __gpumemprof_pool_reset(struct gpumemprof_pool *pool);
void __gpumemprof_pool_destroy(struct gpumemprof_pool *pool);

static uint64_t counter(enum gpumemprof_counter c) {
  return gpm_capture->counters[c];
}

/* ---- what compiled code says -------------------------------------------------------------------
 */
static const struct gpumemprof_capture_custom_pool *record_named(const char *name,
                                                                 uint64_t handle) {
  const char *strings = test_record(GPUMEMPROF_CHUNK_STRINGS, 0, 0);
  const struct gpumemprof_capture_custom_pool *r;
  for (uint64_t i = 0; (r = test_record(GPUMEMPROF_CHUNK_CUSTOM_POOLS, 0, i)); i++)
    if (!strcmp(strings + r->name, name) && r->handle == handle) return r;
  return NULL;
}

static const void *at(uint64_t address) {
  return (const void *)(uintptr_t)address;
}

static void take(const void *handle, const char *name, uint64_t address, uint64_t bytes,
                 uint64_t entry) {
  __gpumemprof_piece_allocated(handle, name, at(address), bytes, entry);
}

static uint64_t now(void) {
  return __gpumemprof_clock.events;
}

static void hooks(struct gpm_thread *self) {
  static char objects[4];
  const void *outer = &objects[0], *inner = &objects[1];
  const uint64_t base = 1ULL << 41;
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, base, 1 << 20, 1 << 20);

  /* Object and class identify a pool; a pool inside another may start at the same address. */
  take(outer, "Outer", base, 4096, now());
  take(inner, "Inner", base, 512, now());
  take(inner, "Other", base + 8192, 100, now());
  CHECK(record_named("Outer", (uintptr_t)outer)->used.bytes == 4096);
  CHECK(record_named("Inner", (uintptr_t)inner)->used.bytes == 512);
  CHECK(record_named("Other", (uintptr_t)inner)->used.bytes == 100);
  CHECK(record_named("Inner", (uintptr_t)inner)->reserved.bytes == 1 << 20);
  __gpumemprof_piece_freed(outer, "Outer", at(base), 0); /* its own, not the later one */
  CHECK(!record_named("Outer", (uintptr_t)outer)->used.blocks);
  CHECK(record_named("Inner", (uintptr_t)inner)->used.blocks == 1);
  __gpumemprof_piece_freed(NULL, "anybody", at(base), 0); /* no object: the latest there */
  CHECK(!record_named("Inner", (uintptr_t)inner)->used.blocks);

  /* The innermost of nested calls is recorded, even if the outer one hands out a part of its piece.
   */
  uint64_t entry = now();
  take(outer, "Outer", base, 1024, now());
  take(outer, "Outer", base, 1000, entry);
  take(outer, "Outer", base + 16, 1000, entry);
  CHECK(record_named("Outer", (uintptr_t)outer)->used.bytes == 1024);
  CHECK(record_named("Outer", (uintptr_t)outer)->used.blocks == 1);
  uint64_t unknown_before = counter(GPUMEMPROF_COUNTER_unknown_pieces);
  __gpumemprof_piece_freed(outer, "Outer", at(base + 16), 0); /* which will free all of it */
  CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == unknown_before);
  CHECK(record_named("Outer", (uintptr_t)outer)->used.blocks == 1);

  /* When a free calls another one, the inner call is not a double free. Outside of any free it is.
   */
  static struct test_site scope;
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "release", "");
  scope.site.flags = GPUMEMPROF_SITE_ALLOCATOR;
  __gpumemprof_piece_freed(outer, "Outer", at(base), 0);
  struct gpumemprof_frame *frame = test_push(&scope, UINTPTR_MAX);
  __gpumemprof_piece_freed(outer, "Outer", at(base), 0);
  CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == unknown_before);
  test_pop(frame);
  __gpumemprof_piece_freed(outer, "Outer", at(base), 0);
  CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == unknown_before + 1);

  /* A call and the definition that it calls report the same free. */
  take(outer, "Outer", base, 64, now());
  __gpumemprof_piece_freed(outer, "Outer", at(base), 1);
  __gpumemprof_piece_freed(outer, "Outer", at(base), 0);
  CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == unknown_before + 1);
  __gpumemprof_piece_freed(outer, "Outer", at(base), 1);
  CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == unknown_before + 2);

  /* An address is handed out repeatedly: the free of the piece before was not seen. Null is not a
   * piece; zero bytes are one. */
  uint64_t replaced_before = counter(GPUMEMPROF_COUNTER_replaced_blocks);
  for (int i = 0; i < 3; i++) take(outer, "Outer", base, 64, now());
  CHECK(counter(GPUMEMPROF_COUNTER_replaced_blocks) == replaced_before + 2);
  take(outer, "Outer", 0, 64, now());
  __gpumemprof_piece_freed(outer, "Outer", NULL, 0);
  take(outer, "Outer", base + 64, 0, now());
  CHECK(record_named("Outer", (uintptr_t)outer)->used.bytes == 64);
  CHECK(record_named("Outer", (uintptr_t)outer)->used.blocks == 2);
  take(outer, "Outer", base + 128, UINT64_MAX - 5, now());
  CHECK(counter(GPUMEMPROF_COUNTER_events_not_stored) == 1);

  /* The segment's free ends the remaining pieces, whatever their pool. */
  uint64_t orphans = counter(GPUMEMPROF_COUNTER_orphaned_pieces);
  test_free(self, base);
  CHECK(!record_named("Outer", (uintptr_t)outer)->used.blocks);
  CHECK(!record_named("Other", (uintptr_t)inner)->used.blocks);
  CHECK(counter(GPUMEMPROF_COUNTER_orphaned_pieces) == orphans + 3);
  CHECK(!record_named("Other", (uintptr_t)inner)->reserved.blocks);
  CHECK(!gpm_ledger_device(GPUMEMPROF_CUSTOM)->record->total);

  /* So does other memory at the address of a segment whose free was not seen. */
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, base, 1 << 20, 1 << 20);
  take(outer, "Outer", base + 512, 64, now());
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, base, 1 << 16, 1 << 16);
  CHECK(!record_named("Outer", (uintptr_t)outer)->used.blocks);
  CHECK(!record_named("Outer", (uintptr_t)outer)->reserved.blocks);
  /* After a failed free, the pieces have ended and the memory is recorded again. */
  take(outer, "Outer", base + 512, 64, now());
  test_free(self, base);
  test_free_failed(self);
  take(outer, "Outer", base + 1024, 64, now());
  CHECK(record_named("Outer", (uintptr_t)outer)->used.blocks == 1);
  CHECK(record_named("Outer", (uintptr_t)outer)->reserved.bytes == 1 << 16);
  test_free(self, base);
}

/* ---- threads -----------------------------------------------------------------------------------
 */
enum { THREADS = 4, EACH = 256 };
static struct gpumemprof_pool *shared[2];

/* Each thread uses its own segment, of pools that all threads share. */
static void *work(void *number) {
  uint64_t base = (1ULL << 42) + ((uint64_t)(uintptr_t)number << 30), mine = (uintptr_t)number + 1;
  struct gpm_thread *self = gpm_thread_self();
  for (int round = 0; round < 20; round++) {
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, base, EACH * 512, EACH * 512);
    for (uint64_t i = 0; i < EACH; i++)
      __gpumemprof_pool_alloc(shared[i % 2], at(base + i * 512), 256);
    for (uint64_t i = 0; i < EACH; i += 3)
      __gpumemprof_pool_free(shared[i % 2], at(base + (i * mine % EACH / 6 * 6 + i % 2 * 3) * 512));
    if (round < 19) test_free(self, base);
  }
  return NULL;
}

static void threads(void) {
  pthread_t thread[THREADS];
  for (int i = 0; i < 2; i++) CHECK((shared[i] = __gpumemprof_pool_create("shared")));
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  uint64_t pieces = 0, bytes = 0, ever = 0;
  for (int i = 0; i < 2; i++) {
    const struct gpumemprof_capture_custom_pool *r = shared[i]->record;
    CHECK(r->reserved.blocks == THREADS && r->segments == THREADS * 20);
    CHECK(r->reserved.bytes == THREADS * EACH * 512 && r->used.bytes == r->used.blocks * 256);
    CHECK(!r->outside.blocks);
    pieces += r->used.blocks;
    bytes += r->used.bytes;
    ever += r->pieces;
  }
  CHECK(ever == THREADS * 20 * EACH && pieces);
  CHECK(gpm_ledger_device(GPUMEMPROF_CUSTOM)->record->total == bytes);
  for (int i = 0; i < 2; i++) __gpumemprof_pool_destroy(shared[i]);
  CHECK(!gpm_ledger_device(GPUMEMPROF_CUSTOM)->record->total);
}

/* A forked child has the pools of its parent, but none of their pieces. */
static void child(void) {
  struct gpumemprof_pool *pool = __gpumemprof_pool_create("of both");
  __gpumemprof_pool_alloc(pool, at(1 << 20), 100);
  const struct gpumemprof_capture_custom_pool *parents = pool->record;
  fflush(stdout);
  pid_t pid = fork();
  if (!pid) {
    __gpumemprof_pool_alloc(pool, at(2 << 20), 30);
    CHECK(pool->record != parents && pool->record->used.bytes == 30);
    CHECK(record_named("of both", 0) == pool->record);
    __gpumemprof_pool_free(pool, at(1 << 20));
    CHECK(counter(GPUMEMPROF_COUNTER_unknown_pieces) == 1);
    __gpumemprof_pool_destroy(pool);
    CHECK(!gpm_ledger_device(GPUMEMPROF_CUSTOM)->record->total);
    unlink(gpm_capture_path());
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  CHECK(pool->record == parents && parents->used.bytes == 100);
  __gpumemprof_pool_destroy(pool);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Hands out and takes back many pieces in a scattered order, and returns the ns for each of the
 * two. */
static double time_pieces(struct gpumemprof_pool *pool, uint64_t base, uint32_t count) {
  double begin = seconds();
  for (uint32_t i = 0; i < count; i++)
    __gpumemprof_pool_alloc(pool, (const void *)(uintptr_t)(base + (i * 7919ULL % count) * 256),
                            128);
  for (uint32_t i = 0; i < count; i++)
    __gpumemprof_pool_free(pool, (const void *)(uintptr_t)(base + (i * 104729ULL % count) * 256));
  return (seconds() - begin) * 1e9 / count / 2;
}

int main(int argc, char **argv) {
  uint32_t many = argc > 1 ? (uint32_t)atoi(argv[1]) : 300000;
  struct gpm_thread *self = gpm_thread_self();
  CHECK(gpm_recording());
  hooks(self);
  uint64_t base = 1ULL << 40;
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, base, many * 256ULL, many * 256ULL);
  struct gpumemprof_pool *large = __gpumemprof_pool_create("large");
  double few = time_pieces(large, base, many / 100), all = time_pieces(large, base, many);
  printf("%u pieces: %.0f ns each; %u: %.0f\n", many / 100, few, many, all);
  CHECK(all < few * 50 + 2000); /* with a list it would take a hundred times as long */
  const struct gpumemprof_capture_custom_pool *r = record_named("large", 0);
  CHECK(!r->used.blocks && r->used_peak == many * 128ULL && r->hole == many * 256ULL);
  test_free(self, base);
  CHECK(!r->reserved.blocks);
  child();
  threads();
  return 0;
}
