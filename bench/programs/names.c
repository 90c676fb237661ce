/* names.c - names, handles and objects that are new each time: how their cost grows.
 *
 *   names labels|pushes|nvtx|named|streams|marks|steps|pools|mempools|threads COUNT
 *
 * labels:   a label "iteration N" with two allocations and their frees in it
 * pushes:   the same label with nothing in it
 * nvtx:     the same as an NVTX range
 * named:    a measured scope "iteration N" with an allocation and its free in it
 * streams:  an allocation and its free in a stream of its own
 * marks:    a mark "iteration N"
 * steps:    gpumemprof_step
 * pools:    a pool of the program's own, with a piece, and its end
 * mempools: cudaMemPoolCreate and cudaMemPoolDestroy
 * threads:  a thread that takes a piece of a pool and gives it back */
#include "bench_cuda.h"
#include "timer.h"

#include <gpumemprof/gpumemprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void pair(void) {
  void *p;
  if (cudaMalloc(&p, 512)) exit(1);
  cudaFree(p);
}

/* "iteration N", without what printf costs. */
static const char *name_of(uint64_t n) {
  static char text[40];
  char *at = text + sizeof text - 1;
  do *--at = (char)('0' + n % 10);
  while (n /= 10);
  return memcpy(at - 10, "iteration ", 10);
}

static void labels(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    gpumemprof_label_push(name_of(i));
    pair();
    pair();
    gpumemprof_label_pop();
  }
}

static void pushes(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    gpumemprof_label_push(name_of(i));
    gpumemprof_label_pop();
  }
}

/* ---- NVTX: as much of a client as a tool needs to give its functions ---------------------------
 */
typedef void (*function)(void);
typedef const void *(*export_table)(uint32_t table);
void __gpumemprof_nvtx(int (**initializer)(export_table));
static function functions[17], *places[17];
static int module_of(int module, function ***table, unsigned *count) {
  for (int i = 1; i < 17; i++) places[i] = &functions[i];
  *table = places;
  *count = 17;
  return module == 1;
}
static void set_tool(uint32_t version) {
  (void)version;
}
static const void *export(uint32_t table) {
  static const struct {
    size_t size;
    int (*module)(int, function ***, unsigned *);
  } callbacks = {16, module_of};
  static const struct {
    size_t size;
    uint32_t version, reserved;
    void (*set_tool)(uint32_t);
  } version = {24, 3, 0, set_tool};
  return table == 1 ? (const void *)&callbacks : table == 3 ? (const void *)&version : NULL;
}

static void nvtx(uint64_t count) {
  int (*initializer)(export_table) = NULL;
  pair(); /* recording has begun */
  __gpumemprof_nvtx(&initializer);
  if (!initializer || !initializer(export)) exit(3);
  int (*push)(const char *) = (int (*)(const char *))functions[9];
  int (*pop)(void) = (int (*)(void))functions[11];
  for (uint64_t i = 0; i < count; i++) {
    push(name_of(i));
    pair();
    pair();
    pop();
  }
}

static void scopes(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    struct gpumemprof_result result;
    uint64_t scope = gpumemprof_scope_begin(name_of(i));
    pair();
    gpumemprof_scope_end(scope, &result);
  }
}

static void streams(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    cudaStream_t stream = (cudaStream_t)(uintptr_t)(0x10000 + i * 64);
    void *p;
    if (cudaMallocAsync(&p, 512, stream)) exit(1);
    cudaFreeAsync(p, stream);
  }
}

static void marks(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) gpumemprof_mark(name_of(i));
}

static void steps(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) gpumemprof_step();
}

static void pools(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    struct gpumemprof_pool *pool = gpumemprof_pool_create(name_of(i));
    gpumemprof_pool_alloc(pool, (void *)(uintptr_t)(0x10000 + i % 1000 * 64), 64);
    gpumemprof_pool_destroy(pool);
  }
}

struct cudaMemPoolProps { /* as far as the profiler reads it */
  int type, handles;
  struct {
    int type, id;
  } location;
  char rest[72];
};

static void mempools(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    static const struct cudaMemPoolProps of_device_0 = {1, 0, {1, 0}, ""};
    cudaMemPool_t pool;
    if (cudaMemPoolCreate(&pool, &of_device_0)) exit(1);
    cudaMemPoolDestroy(pool);
  }
}

static void *one_piece(void *pool) { /* the stub's memory would stay with its thread */
  static char memory[64];
  gpumemprof_pool_alloc(pool, memory, sizeof memory);
  gpumemprof_pool_free(pool, memory);
  return NULL;
}

static void threads(uint64_t count) {
  struct gpumemprof_pool *pool = gpumemprof_pool_create("shared");
  for (uint64_t i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, one_piece, pool)) exit(1);
    pthread_join(thread, NULL);
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(uint64_t);
  } modes[] = {{"labels", labels},     {"pushes", pushes},  {"nvtx", nvtx},   {"named", scopes},
               {"streams", streams},   {"marks", marks},    {"steps", steps}, {"pools", pools},
               {"mempools", mempools}, {"threads", threads}};
  uint64_t count = bench_count(argc, argv, 2, "count");
  for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(argv[1], modes[i].name)) continue;
    bench_pin();
    pair();
    uint64_t start = bench_cpu_ns();
    modes[i].run(count);
    bench_print(bench_cpu_ns() - start, count);
    return 0;
  }
  fprintf(stderr,
          "usage: %s labels|pushes|nvtx|named|streams|marks|steps|pools|mempools|threads COUNT\n",
          argv[0]);
  return 2;
}
