/* Hooks of control.h in one thread: each prints its events, and the first argument says what
 * else happens. The hooks' own calls are lines of `own`. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <gpumemprof/gpumemprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *p, *held;
static int first_set, second_set, calls;
static const char *mode = "";

static void say(const struct gpumemprof_event *e, void *data) {
  static const char *const whats[] = {"",         "allocated", "failed", "free", "free-failed",
                                      "acquired", "requested", "freed"};
  static const char *const kinds[] = {
#define GPUMEMPROF_KIND(NAME, name, on_device, text) name,
#include <gpumemprof/kinds.def>
      "none"};
  const char *file = strrchr(e->file, '/');
  printf("%s%s kind=%s device=%d requested=%lu acquired=%lu at=%s block=%lu clock=%lu file=%s "
         "line=%u function=%s result=%d%s\n",
         (const char *)data, whats[e->what], kinds[e->kind], e->device, e->requested, e->acquired,
         !e->address                  ? "0"
         : e->address == (uintptr_t)p ? "p"
                                      : "other",
         e->block, e->clock, file ? file + 1 : e->file, e->line, e->function, e->result,
         e->size == sizeof *e ? "" : " of a wrong size");
  calls++;
}

static void own(int fails) { /* what a hook does */
  char *mine = NULL;
  if (cudaMalloc((void **)&mine, 64)) return;
  if (!fails) cudaFree(held);
  cudaMalloc((void **)&held, 32);
  cudaFree(mine);
}

static void busy_hook(const struct gpumemprof_event *e, void *data) {
  say(e, data);
  own(0);
  gpumemprof_hooks_remove(first_set); /* no set, or one that was removed before: nothing happens */
}

static void removing(const struct gpumemprof_event *e, void *data) {
  say(e, data);
  printf("removed itself %d, the next %d\n", gpumemprof_hooks_remove(first_set),
         gpumemprof_hooks_remove(second_set));
}

static void forking(const struct gpumemprof_event *e, void *data) {
  fflush(stdout);
  pid_t child = fork();
  if (child) waitpid(child, NULL, 0);
  else say(e, data);
}

static const struct gpumemprof_hooks all = {sizeof all, say, say, say, say, NULL, NULL},
                                     around = {sizeof around, say, say, say, say, say, say};

static void each_way(void) {
  cudaMemPool_t pool;
  size_t pitch, reserved = 0;
  char *block;
  cudaMalloc((void **)&p, 1000);
  cudaMalloc((void **)&block, 2000); /* fails */
  int failed = cudaFree(p), freed = cudaFree(p);
  printf("freed %d %d\n", failed != 0, freed);
  cudaMallocPitch((void **)&p, &pitch, 100, 10);
  printf("pitch %zu\n", pitch);
  cudaMallocHost((void **)&p, 4096);
  cudaFreeHost(p);
  cudaMallocAsync((void **)&p, 3000, 0);
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  printf("reserved %zu\n", reserved);
  cudaFreeAsync(p, 0);
}

static void reset(void) {
  for (int i = 0; i < 200; i++) cudaMalloc((void **)&p, 512);
  cudaDeviceReset();
}

static void pieces(void) {
  struct gpumemprof_pool *pool = gpumemprof_pool_create("arena");
  cudaMalloc((void **)&p, 4096);
  gpumemprof_pool_alloc(pool, p, 48);
  gpumemprof_pool_alloc(pool, p + 64, 16);
  gpumemprof_pool_free(pool, p);
  gpumemprof_pool_reset(pool);
  cudaFree(p);
}

/* ---- hooks before allocations and after frees ---- */

static char *cache;
static size_t free_before;
static void make_room(const struct gpumemprof_event *e, void *data) {
  size_t free_now, total;
  cudaMemGetInfo(&free_now, &total);
  if (e->requested > free_now) cudaFree(cache);
  say(e, data);
}
static void measure(const struct gpumemprof_event *e, void *data) {
  size_t free_now, total;
  cudaMemGetInfo(&free_now, &total);
  printf("%ld more\n", (long)(free_now - free_before));
  say(e, data);
}
static void room(void) {
  size_t total;
  cudaMalloc((void **)&cache, (size_t)160 << 20);
  struct gpumemprof_hooks some = {
      .size = sizeof some, .allocation_requested = make_room, .freed = measure};
  gpumemprof_hooks_add(&some, "");
  printf("%d\n", cudaMalloc((void **)&p, (size_t)120 << 20));
  cudaMemGetInfo(&free_before, &total);
  cudaFree(p);
}

static void found(void) {
  cudaError_t (*allocate)(void **, size_t) = NULL, (*release)(void *) = NULL;
  *(void **)&allocate = dlsym(RTLD_DEFAULT, "cudaMalloc");
  *(void **)&release = dlsym(RTLD_DEFAULT, "cudaFree");
  allocate((void **)&p, 1000);
  allocate((void **)&held, 2000); /* fails */
  release(p);                     /* the same */
  release(p);
}

static void graph(void) {
  cudaStream_t stream;
  cudaGraph_t captured;
  cudaGraphExec_t exec;
  char *node;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync((void **)&node, 5000, stream);
  cudaFreeAsync(node, stream);
  cudaStreamEndCapture(stream, &captured);
  cudaGraphInstantiate(&exec, captured, 0);
  printf("launch\n");
  cudaGraphLaunch(exec, stream);
}

static void wrong(void) {
  struct gpumemprof_hooks empty = {0}, none = {sizeof none, 0, 0, 0, 0, 0, 0};
  int sets[17];
  printf("null %d, no size %d\n", gpumemprof_hooks_add(NULL, NULL),
         gpumemprof_hooks_add(&empty, NULL));
  for (int i = 0; i < 17; i++) sets[i] = gpumemprof_hooks_add(&none, NULL);
  printf("sixteenth %d, seventeenth %d\n", sets[15] > 0, sets[16]);
  cudaMalloc((void **)&p, 100);
  int removed = gpumemprof_hooks_remove(sets[3]), repeated = gpumemprof_hooks_remove(sets[3]);
  int next = gpumemprof_hooks_add(&none, NULL);
  printf("removed %d, again %d, the place is %s, its old handle %d\n", removed, repeated,
         next > 0 && next != sets[3] ? "free" : "taken", gpumemprof_hooks_remove(sets[3]));
  printf("of no set %d %d %d\n", gpumemprof_hooks_remove(0), gpumemprof_hooks_remove(-5),
         gpumemprof_hooks_remove(1 << 30));
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "";
  struct gpumemprof_hooks some = all;
  if (!strcmp(mode, "wrong")) wrong();
  else if (!strcmp(mode, "each way")) {
    first_set = gpumemprof_hooks_add(&all, "");
    each_way();
    int removed = gpumemprof_hooks_remove(first_set);
    cudaMalloc((void **)&p, 7);
    printf("set %d, removed %d, %d calls\n", first_set > 0 ? 1 : first_set, removed, calls);
  } else if (!strcmp(mode, "around") || !strcmp(mode, "graph") || !strcmp(mode, "found")) {
    gpumemprof_hooks_add(&around, "");
    if (mode[0] == 'a') each_way();
    else if (mode[0] == 'g') graph();
    else found();
  } else if (!strcmp(mode, "room")) room();
  else if (!strcmp(mode, "reset") || !strcmp(mode, "reset around")) {
    first_set = gpumemprof_hooks_add(mode[5] ? &around : &all, "");
    reset();
  } else if (!strcmp(mode, "pieces") || !strcmp(mode, "pieces around")) {
    first_set = gpumemprof_hooks_add(mode[6] ? &around : &all, "");
    pieces();
  } else if (!strcmp(mode, "busy")) {
    some.allocated = some.free_requested = some.free_failed = busy_hook;
    gpumemprof_hooks_add(&some, "");
    cudaMalloc((void **)&p, 1000);
    int failed = cudaFree(p), freed = cudaFree(p);
    printf("freed %d %d\n", failed != 0, freed);
  } else if (!strcmp(mode, "remove")) {
    some.allocated = removing;
    first_set = gpumemprof_hooks_add(&some, "first: ");
    second_set = gpumemprof_hooks_add(&all, "second: ");
    gpumemprof_hooks_add(&all, "third: ");
    cudaMalloc((void **)&p, 1000);
    cudaFree(p);
  } else if (!strcmp(mode, "fork")) {
    gpumemprof_hooks_add(&all, fork() ? "parent: " : "child: ");
    pid_t child = fork();
    cudaMalloc((void **)&p, child ? 1000 : 10);
    fflush(stdout);
    while (wait(NULL) > 0) continue;
  } else if (!strcmp(mode, "fork inside")) {
    cudaMalloc((void **)&p, 1000);
    cudaMalloc((void **)&held, 2000);
    some.free_requested = forking;
    some.allocated = NULL;
    gpumemprof_hooks_add(&some, "child: ");
    cudaFree(p);
    cudaMalloc((void **)&p, 10);
  }
  fflush(stdout);
  return 0;
}
