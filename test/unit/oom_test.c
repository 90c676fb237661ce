/* oom_test.c - out of memory: the record of a failure against a brute-force count, with more lines
 * and call paths than it has room for; records taken while other threads allocate; what one costs;
 * and sizes in words.
 */
#include "base/state.h"
#include "base/text.h"
#include "capture/capture.h"
#include "emit.h"
#include "options/options.h"
#include "threads/threads.h"

#include <pthread.h>
#include <time.h>

void __gpumemprof_post_cudaMalloc(void **block, size_t bytes, int result);

/* ---- a driver, which oom.c asks ----------------------------------------------------------------
 */
static _Thread_local int current_device;
int cuDriverGetVersion(int *version);
int cuCtxGetDevice(int *device);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);

int cuDriverGetVersion(int *version) {
  return *version = 13000, 0;
}
int cuCtxGetDevice(int *device) {
  return *device = current_device, 0;
}
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  *free_bytes = 1000;
  *total = (size_t)1 << 40;
  return 0;
}

static void fail(size_t bytes) {
  void *none = NULL;
  __gpumemprof_post_cudaMalloc(&none, bytes, 2);
}

static const struct gpumemprof_capture_oom *latest(void) {
  uint64_t count = test_record_count(GPUMEMPROF_CHUNK_OOMS, 0);
  CHECK(count);
  return test_record(GPUMEMPROF_CHUNK_OOMS, 0, count - 1);
}

static void check_sums(const struct gpumemprof_capture_oom *o) {
  struct gpumemprof_capture_amount lines = o->other_lines, paths = o->other_paths;
  uint64_t bytes = 0, blocks = 0;
  for (uint32_t i = 0; i < o->lines; i++) {
    lines.bytes += o->line[i].live.bytes;
    lines.blocks += o->line[i].live.blocks;
    CHECK(!i || o->line[i - 1].live.bytes >= o->line[i].live.bytes);
    CHECK(o->line[i].node_bytes && o->line[i].node_bytes <= o->line[i].live.bytes);
  }
  for (uint32_t i = 0; i < o->paths; i++) {
    paths.bytes += o->path[i].live.bytes;
    paths.blocks += o->path[i].live.blocks;
    CHECK(!i || o->path[i - 1].live.bytes >= o->path[i].live.bytes);
  }
  for (unsigned k = 0; k < GPUMEMPROF_KINDS; k++) {
    bytes += o->live[k].bytes;
    blocks += o->live[k].blocks;
  }
  CHECK(bytes == o->total && blocks == o->blocks);
  CHECK(lines.bytes == o->total && lines.blocks == o->blocks);
  CHECK(paths.bytes == o->total && paths.blocks == o->blocks);
}

/* ---- against a brute force ---------------------------------------------------------------------
 */
enum { SCOPES = 300, LINES = 40, SIZES = 200 }; /* scopes call every line: 12 000 call paths */
static struct test_site scopes[SCOPES], lines[LINES][2], outer, outer_call;
static uint64_t held_by_line[LINES][2], blocks_of_line[LINES][2], held_by_path[SCOPES][LINES][2];
static uint64_t next_address = (uint64_t)1 << 41, random_state = 88172645463325252u;

static uint64_t random_below(uint64_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % n;
}

static void make_sites(void) {
  test_site_set(&outer, GPUMEMPROF_SITE_FUNCTION, "o.c", 1, "outer", "");
  test_site_set(&outer_call, GPUMEMPROF_SITE_CALL, "o.c", 2, "outer", "");
  for (int s = 0; s < SCOPES; s++)
    test_site_set(&scopes[s], GPUMEMPROF_SITE_FUNCTION, "s.c", (uint32_t)s + 1, "scope", "");
  for (int l = 0; l < LINES; l++)
    for (int f = 0; f < 2; f++)
      test_site_set(&lines[l][f], GPUMEMPROF_SITE_CALL, f ? "other.c" : "s.c", (uint32_t)(1000 + l),
                    "scope", "");
}

static uint64_t random_size(void) { /* often equal sizes, often large ones */
  uint64_t size = random_below(SIZES);
  return random_below(50) ? size * 512 : size << 20;
}

static struct made {
  uint64_t address, bytes;
  int scope, line, file;
} made[1 << 17];
static int made_count;

static void allocate_at(struct gpm_thread *self, int scope, int line, int file) {
  struct made *m = &made[made_count++];
  *m = (struct made){next_address, random_size(), scope, line, file};
  next_address += m->bytes + 512;
  struct gpumemprof_frame *f = test_push(&scopes[scope].site, UINTPTR_MAX);
  f->call = &lines[line][file].site;
  test_allocate(self, 0, random_below(3) ? GPUMEMPROF_KIND_DEVICE : GPUMEMPROF_KIND_ARRAY,
                m->address, m->bytes, m->bytes);
  test_pop(f);
  held_by_line[line][file] += m->bytes;
  blocks_of_line[line][file]++;
  held_by_path[scope][line][file] += m->bytes;
}

static void free_one(struct gpm_thread *self) {
  struct made *m = &made[random_below((uint64_t)made_count)], gone = *m;
  *m = made[--made_count];
  struct gpumemprof_frame *f = test_push(&scopes[0].site, UINTPTR_MAX);
  f->call = &lines[0][0].site;
  test_free(self, gone.address);
  test_pop(f);
  held_by_line[gone.line][gone.file] -= gone.bytes;
  blocks_of_line[gone.line][gone.file]--;
  held_by_path[gone.scope][gone.line][gone.file] -= gone.bytes;
}

static int descending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x > y ? -1 : x < y;
}

static void compare_lines(const struct gpumemprof_capture_oom *o) {
  uint64_t sizes[LINES * 2];
  memcpy(sizes, held_by_line, sizeof sizes);
  qsort(sizes, LINES * 2, sizeof *sizes, descending);
  CHECK(o->lines == GPUMEMPROF_OOM_LINES && o->paths == GPUMEMPROF_OOM_PATHS);
  const char *strings = test_record(GPUMEMPROF_CHUNK_STRINGS, 0, 0);
  for (uint32_t i = 0; i < o->lines; i++) {
    const struct gpumemprof_capture_line *line =
        test_record(GPUMEMPROF_CHUNK_LINES, 0, o->line[i].line);
    int l = (int)line->line - 1000, f = !strcmp(strings + line->file, "other.c");
    CHECK(o->line[i].live.bytes == sizes[i] && o->line[i].live.bytes == held_by_line[l][f]);
    CHECK(o->line[i].live.blocks == blocks_of_line[l][f]);
    CHECK(!(o->line[i].kinds & ~(1u << GPUMEMPROF_KIND_DEVICE | 1u << GPUMEMPROF_KIND_ARRAY)));
    const struct gpumemprof_capture_node *node =
        test_record(GPUMEMPROF_CHUNK_NODES, 0, o->line[i].node);
    const struct gpumemprof_capture_site *site = test_record(GPUMEMPROF_CHUNK_SITES, 0, node->site);
    CHECK(site->line_id == o->line[i].line);
  }
}

/* The largest call paths: a path is two cells here, one of each kind. */
static void compare_paths(const struct gpumemprof_capture_oom *o) {
  uint64_t smallest = o->path[o->paths - 1].live.bytes, larger = 0;
  const struct gpumemprof_capture_cell *cell;
  for (uint64_t i = 0; (cell = test_record(GPUMEMPROF_CHUNK_CELLS, 0, i)); i++) {
    uint64_t bytes = cell->allocated.bytes - cell->freed.bytes;
    larger += bytes > smallest;
  }
  CHECK(larger <= o->paths);
  for (uint32_t i = 0; i < o->paths; i++) {
    cell = test_record(GPUMEMPROF_CHUNK_CELLS, 0, o->path[i].cell);
    CHECK(o->path[i].live.bytes == cell->allocated.bytes - cell->freed.bytes);
    CHECK(o->path[i].live.blocks == cell->allocated.blocks - cell->freed.blocks);
    for (uint32_t k = 0; k < i; k++) CHECK(o->path[k].cell != o->path[i].cell);
  }
}

static void record_is_what_was_counted(struct gpm_thread *self) {
  make_sites();
  struct gpumemprof_frame *f = test_push(&outer.site, UINTPTR_MAX);
  f->call = &outer_call.site;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 12000; i++)
      allocate_at(self, (int)random_below(SCOPES), (int)random_below(LINES), (int)random_below(2));
    for (int i = 0; i < 5000; i++) free_one(self);
    fail(12345);
    const struct gpumemprof_capture_oom *o = latest();
    check_sums(o);
    compare_lines(o);
    compare_paths(o);
    uint64_t total = 0;
    for (int i = 0; i < made_count; i++) total += made[i].bytes;
    CHECK(o->total == total && o->blocks == (uint64_t)made_count);
    CHECK(o->requested == 12345 && o->memory_free == 1000 && o->memory_total == (uint64_t)1 << 40);
    CHECK(o->ordinal == 0 && o->kind == GPUMEMPROF_KIND_DEVICE && o->scopes == 1);
  }
  test_pop(f);
}

/* ---- threads ------------------------------------------------------------------------------------
 */
enum { THREADS = 4, FAILURES = 150 };
static _Atomic bool stop;

static void *churn(void *data) {
  int me = *(int *)data;
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = test_push(&scopes[me].site, UINTPTR_MAX);
  uint64_t address = (uint64_t)(me + 3) << 42;
  for (uint64_t i = 0; !atomic_load(&stop); i++) {
    f->call = &lines[i % LINES][me & 1].site;
    test_allocate(self, (int)(i & 1), GPUMEMPROF_KIND_DEVICE, address + i % 64 * 4096, 100 + i % 7,
                  100);
    if (i % 64 == 63)
      for (uint64_t k = 0; k < 64; k++) test_free(self, address + k * 4096);
  }
  test_pop(f);
  return NULL;
}

static void *fail_often(void *data) {
  struct gpumemprof_frame *f = test_push(&scopes[*(int *)data].site, UINTPTR_MAX);
  f->call = &outer_call.site;
  for (int i = 0; i < FAILURES; i++) {
    current_device = i & 1;
    fail(1);
  }
  test_pop(f);
  return NULL;
}

static void records_add_up_while_others_allocate(void) {
  pthread_t ids[THREADS + 2];
  int numbers[THREADS + 2];
  uint64_t before = test_record_count(GPUMEMPROF_CHUNK_OOMS, 0);
  for (int i = 0; i < THREADS + 2; i++) {
    numbers[i] = i + 1;
    CHECK(!pthread_create(&ids[i], NULL, i < THREADS ? churn : fail_often, &numbers[i]));
  }
  for (int i = THREADS; i < THREADS + 2; i++) pthread_join(ids[i], NULL);
  atomic_store(&stop, true);
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
  uint64_t count = test_record_count(GPUMEMPROF_CHUNK_OOMS, 0), scopes_seen = 0;
  CHECK(count == before + 2 * FAILURES);
  for (uint64_t i = before; i < count; i++) {
    const struct gpumemprof_capture_oom *o = test_record(GPUMEMPROF_CHUNK_OOMS, 0, i);
    check_sums(o);
    CHECK(o->ordinal == 0 || o->ordinal == 1);
    CHECK(o->scopes >= 1 && o->scope[0].thread == o->thread);
    for (uint32_t k = 0; k < o->scopes; k++)
      CHECK(test_record(GPUMEMPROF_CHUNK_NODES, 0, o->scope[k].node));
    scopes_seen += o->scopes;
  }
  printf("%llu records while %d threads allocate, %llu scopes\n",
         (unsigned long long)(count - before), THREADS, (unsigned long long)scopes_seen);
}

/* ---- what it costs ------------------------------------------------------------------------------
 */

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void cost_is_printed(void) {
  uint64_t cells = test_record_count(GPUMEMPROF_CHUNK_CELLS, 0), most = gpm_options.oom_max;
  uint64_t start = now_ns();
  for (int i = 0; i < 10; i++) fail(1);
  uint64_t described = (now_ns() - start) / 10;
  gpm_options.oom_max = 0;
  start = now_ns();
  for (int i = 0; i < 100000; i++) fail(1);
  printf("%llu cells: %llu us a record; %llu ns a failure without\n", (unsigned long long)cells,
         (unsigned long long)described / 1000, (unsigned long long)(now_ns() - start) / 100000);
  gpm_options.oom_max = most;
}

/* ---- sizes in words -----------------------------------------------------------------------------
 */

static void in_words(char *out, size_t size, uint64_t bytes) { /* like tools/support/text.c */
  static const char units[] = "KMGTP";
  uint64_t hundredths = 0;
  unsigned unit = 0;
  for (bool fits = false; !fits && unit < 5; unit++) {
    unsigned shift = 10 * (unit + 1);
    uint64_t one = (uint64_t)1 << shift, rest = bytes & (one - 1);
    hundredths = (bytes >> shift) * 100 + (rest * 100 + one / 2) / one;
    fits = hundredths < 102400;
  }
  if (!bytes) snprintf(out, size, "0");
  else if (bytes < 1024) snprintf(out, size, "%llu B", (unsigned long long)bytes);
  else
    snprintf(out, size, "%llu.%02u %ciB", (unsigned long long)hundredths / 100,
             (unsigned)(hundredths % 100), units[unit - 1]);
}

static void sizes_are_printed_as_the_tool_does(void) {
  for (int i = 0; i < 300000; i++) {
    char ours[64], theirs[64];
    uint64_t bytes = i < 20000 ? (uint64_t)i : random_below(UINT64_MAX >> random_below(53) >> 11);
    if (i % 3 == 0) bytes &= ~(uint64_t)0xfffff; /* tests the rounding of halves */
    gpm_text_add_bytes(ours, sizeof ours, 0, bytes);
    in_words(theirs, sizeof theirs, bytes);
    if (strcmp(ours, theirs)) printf("%llu: %s, not %s\n", (unsigned long long)bytes, ours, theirs);
    CHECK(!strcmp(ours, theirs));
  }
  char tiny[6] = "";
  CHECK(gpm_text_add_bytes(tiny, sizeof tiny, 0, UINT64_MAX) == 5 && !strcmp(tiny, "16384"));
}

int main(void) {
  CHECK(gpm_recording());
  struct gpm_thread *self = gpm_thread_self();
  CHECK(self && gpm_options.oom_max == 1000);
  sizes_are_printed_as_the_tool_does();
  record_is_what_was_counted(self);
  records_add_up_while_others_allocate();
  cost_is_printed();
  CHECK(gpm_capture->counters[GPUMEMPROF_COUNTER_ooms_left_out] == 100000);
  return 0;
}
