/* measured_cases CASE: one behaviour each of measured scopes and snapshots. Prints figures, which
 * the test compares; `wrong` and `absent` judge themselves (status 1 and a sentence). */
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB ((size_t)1024)
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (condition) break;                                                                          \
    fprintf(stderr, "line %d: not %s\n", __LINE__, #condition);                                    \
    exit(1);                                                                                       \
  } while (0)

static void *take(size_t bytes) {
  void *p = NULL;
  EXPECT(!cudaMalloc(&p, bytes));
  return p;
}

static void print(const char *name, const struct gpumemprof_result *r) {
  printf("%s left=%u allocated=%llu freed=%llu net=%lld own_peak=%llu above=%llu\n", name, r->left,
         (unsigned long long)(r->allocated / KIB), (unsigned long long)(r->freed / KIB),
         (long long)r->net / (long long)KIB, (unsigned long long)(r->own_peak / KIB),
         (unsigned long long)(r->device_peak_above_entry / KIB));
}

/* ---- ended by a function that was called since -------------------------------------------------
 */

static __attribute__((noinline)) void ends_it(uint64_t scope, void **kept) {
  void *p = take(30 * KIB);
  struct gpumemprof_result r;
  EXPECT(gpumemprof_scope_end(scope, &r));
  print("covered", &r);
  *kept = take(100 * KIB); /* after it */
  cudaFree(p);
}

static void covered(void) {
  uint64_t scope = gpumemprof_scope_begin("covered");
  void *first = take(10 * KIB), *kept;
  cudaFree(first);
  ends_it(scope, &kept);
  EXPECT(!gpumemprof_scope_end(scope, NULL));
  uint64_t next = gpumemprof_scope_begin("next");
  cudaFree(kept);
  struct gpumemprof_result r;
  EXPECT(gpumemprof_scope_end(next, &r));
  print("next", &r);
}

/* ---- work handed over --------------------------------------------------------------------------
 */

static void *work(void *context) {
  GPUMEMPROF_ATTACH((struct gpumemprof_context *)context);
  void *a = take(64 * KIB), *b = take(32 * KIB);
  cudaFree(a);
  void *host;
  EXPECT(!cudaMallocHost(&host, 8 * KIB));
  (void)b;
  return b;
}

static void delegated(void) {
  uint64_t outer = gpumemprof_scope_begin("outer");
  void *own = take(16 * KIB);
  struct gpumemprof_context *context = gpumemprof_context_capture();
  uint64_t inner = gpumemprof_scope_begin("inner"); /* the work is not for it */
  pthread_t thread;
  void *b;
  pthread_create(&thread, NULL, work, context);
  pthread_join(thread, &b);
  struct gpumemprof_result r;
  EXPECT(gpumemprof_scope_end(inner, &r));
  print("inner", &r);
  cudaFree(own);
  gpumemprof_context_release(context);
  EXPECT(gpumemprof_scope_end(outer, &r));
  print("outer", &r);
  printf("pinned=%llu\n", (unsigned long long)(r.created[GPUMEMPROF_KIND_PINNED].bytes / KIB));
  cudaFree(b);
}

/* ---- what is wrong -----------------------------------------------------------------------------
 */

static uint64_t others;
static void *not_mine(void *unused) {
  (void)unused;
  struct gpumemprof_result r;
  EXPECT(!gpumemprof_scope_end(others, &r) && !r.left);
  return NULL;
}

static void wrong(void) {
  struct gpumemprof_result r, zeros;
  memset(&zeros, 0, sizeof zeros);
  EXPECT(!gpumemprof_scope_end(0, &r) && !memcmp(&r, &zeros, sizeof r));
  EXPECT(!gpumemprof_scope_end(12345678901234567u, &r));
  EXPECT(!gpumemprof_scope_end(UINT64_MAX, NULL));
  others = gpumemprof_scope_begin("mine");
  EXPECT(others);
  pthread_t thread;
  pthread_create(&thread, NULL, not_mine, NULL);
  pthread_join(thread, NULL);
  EXPECT(gpumemprof_scope_end(others, NULL));
  EXPECT(!gpumemprof_scope_end(others, NULL)); /* once */
  struct gpumemprof_snapshot s;
  EXPECT(gpumemprof_snapshot(&s, 77, GPUMEMPROF_ASK_DEVICE) && s.device == 77 && !s.acquired);
  EXPECT(gpumemprof_snapshot(&s, -5, GPUMEMPROF_ASK_DEVICE) && s.device == GPUMEMPROF_NO_DEVICE &&
         !s.acquired);
  uint64_t unnamed = gpumemprof_scope_begin((const char *)0);
  EXPECT(unnamed && gpumemprof_scope_end(unnamed, &r) && r.left == GPUMEMPROF_LEFT_BY_END);
  uint64_t outer = gpumemprof_scope_begin("outer"), inner = gpumemprof_scope_begin("inner");
  EXPECT(gpumemprof_scope_end(outer, &r) && r.left == GPUMEMPROF_LEFT_BY_END);
  EXPECT(gpumemprof_scope_end(inner, &r) && r.left == GPUMEMPROF_LEFT_BY_RETURN);
  /* Many that nobody ends: their numbers stay apart. */
  uint64_t first = gpumemprof_scope_begin("first"), last = 0;
  for (int i = 0; i < 5000; i++) last = gpumemprof_scope_begin("many");
  EXPECT(gpumemprof_scope_end(first, &r));
  EXPECT(gpumemprof_scope_end(last, &r) && r.left == GPUMEMPROF_LEFT_BY_RETURN);
}

static void forked(void) {
  void *p = take(10 * KIB);
  uint64_t scope = gpumemprof_scope_begin("parent");
  if (!fork()) {
    struct gpumemprof_result r;
    EXPECT(!gpumemprof_scope_end(scope, &r) && !r.left);
    uint64_t own = gpumemprof_scope_begin("child");
    void *q = take(20 * KIB);
    EXPECT(own != scope && gpumemprof_scope_end(own, &r));
    EXPECT(r.allocated == 20 * KIB && r.before.acquired == 0 && r.after.acquired == 20 * KIB);
    cudaFree(q);
    exit(0);
  }
  int status;
  wait(&status);
  EXPECT(status == 0);
  cudaFree(p);
  struct gpumemprof_result r;
  EXPECT(gpumemprof_scope_end(scope, &r) && r.freed == 10 * KIB);
}

/* ---- snapshots ---------------------------------------------------------------------------------
 */

static __attribute__((noinline)) void asks_inside(void *p) {
  struct gpumemprof_snapshot s;
  EXPECT(gpumemprof_snapshot(&s, 0, GPUMEMPROF_ASK_DEVICE | GPUMEMPROF_ASK_PROCESS));
  size_t bytes_free, total;
  EXPECT(!cudaMemGetInfo(&bytes_free, &total));
  EXPECT(s.device_free == bytes_free && s.device_total == total && s.device == 0);
  EXPECT(s.resident > 1 << 20 && s.resident < (uint64_t)64 << 30);
  EXPECT(s.scope && !strcmp(s.scope, "asks_inside") && strstr(s.scope_file, "measured_cases.c"));
  { /* the innermost scope is this block now */
    GPUMEMPROF_SCOPE("block");
    EXPECT(gpumemprof_snapshot(&s, GPUMEMPROF_CURRENT_DEVICE, 0));
    EXPECT(!strcmp(s.scope, "block") && s.scope_line == __LINE__ - 2 && !s.device_total);
  }
  cudaFree(p);
}

static void snapshots(void) {
  struct gpumemprof_snapshot s;
  EXPECT(gpumemprof_snapshot(&s, GPUMEMPROF_CURRENT_DEVICE, GPUMEMPROF_ASK_DEVICE));
  EXPECT(s.device == GPUMEMPROF_NO_DEVICE && s.device_total == 0 &&
         s.clock == 0); /* no context was made for it */
  void *p = take(10 * KIB), *pool = NULL;
  EXPECT(!cudaMallocAsync(&pool, 40 * KIB, 0));
  EXPECT(gpumemprof_snapshot(&s, GPUMEMPROF_CURRENT_DEVICE, GPUMEMPROF_ASK_DEVICE));
  EXPECT(s.device == 0 && s.clock == 2 && s.acquired == 50 * KIB && s.peak == 50 * KIB);
  EXPECT(s.pool_used == 40 * KIB && s.pool_reserved >= s.pool_used && s.blocks == 2);
  EXPECT(s.live[GPUMEMPROF_KIND_POOL].bytes == 40 * KIB && !s.managed);
  cudaFreeAsync(pool, 0);
  asks_inside(p);
  EXPECT(gpumemprof_snapshot(&s, 0, 0) && s.acquired == 0 && s.peak == 50 * KIB && s.clock == 4);
}

static void absent(void) { /* or switched off */
  struct gpumemprof_snapshot s;
  struct gpumemprof_result r;
  memset(&s, 1, sizeof s);
  memset(&r, 1, sizeof r);
  EXPECT(!gpumemprof_snapshot(&s, 0, 3) && !s.time_ns && !s.live[3].bytes && !s.scope);
  uint64_t scope = gpumemprof_scope_begin("nothing");
  EXPECT(!scope && !gpumemprof_scope_end(scope, &r) && !r.left && !r.wall_ns);
  EXPECT(!gpumemprof_scope_end(scope, NULL) && !gpumemprof_is_enabled());
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"covered", covered}, {"delegated", delegated}, {"wrong", wrong},
               {"forked", forked},   {"snapshots", snapshots}, {"absent", absent}};
  for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(argv[1], cases[i].name)) return cases[i].run(), 0;
  return 2;
}
