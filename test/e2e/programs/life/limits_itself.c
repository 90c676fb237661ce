/* Limits its address space or locks its memory when it starts, as daemons and real-time programs
 * do, and then goes on without CUDA; `many` makes many call paths. Prints what it has of both in
 * KiB. */
#include <cuda_runtime_api.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void *p;
static char line[256];

static void say(const char *name) {
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, name, strlen(name))) printf("%s", line);
  if (status) fclose(status);
}

static void allocate(void) {
  if (!cudaMalloc(&p, 512)) cudaFree(p);
}

/* A function whose calls are followed, as if it allocated. */
static void *work(void *never) {
  if (never) allocate();
  return NULL;
}

/* Where the file's mapping ends nothing else can follow. */
static int block_growth(void) {
  unsigned long end = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    if (strstr(line, ".gmprof")) sscanf(line, "%*lx-%lx", &end);
  if (maps) fclose(maps);
  return !end || mmap((void *)end, 4096, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)end;
}

/* Large pieces and then smaller ones, so that gaps between others are filled. */
static void reserve(void) {
  for (size_t bytes = (size_t)60 << 30; bytes > 1 << 16; bytes /= 2)
    for (int i = 0; i < 10; i++)
      mmap(0, bytes & ~4095UL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static int limit(unsigned long mib) {
  struct rlimit most = {(rlim_t)mib << 20, (rlim_t)mib << 20};
  return setrlimit(RLIMIT_AS, &most);
}

static int many(int depth) {
  if (!depth) return allocate(), 0;
  return many(depth - 1) + many(depth - 1);
}

int main(int argc, char **argv) {
  const char *way = argv[1];
  unsigned long mib = strtoul(argv[2], 0, 10);
  if (!strcmp(way, "address space") && limit(mib)) return 1;
  if (!strcmp(way, "lock") && mlockall(MCL_CURRENT)) return 2;
  if (!strcmp(way, "lock all") && mlockall(MCL_CURRENT | MCL_FUTURE)) return 3;
  if (!strcmp(way, "block") && block_growth()) return 4;
  if (!strcmp(way, "reserve")) reserve();
  char *volatile own = malloc(10 << 20);
  if (!own) return puts("out of memory"), 5;
  memset(own, 1, 10 << 20);
  if (!strcmp(way, "size")) say("VmSize");
  pthread_t thread[4];
  for (int i = 0; argc > 3 && !strcmp(argv[3], "threads") && i < 4; i++)
    if (pthread_create(&thread[i], 0, work, 0) || pthread_join(thread[i], 0)) return 6;
  if (argc > 3 && !strcmp(argv[3], "many")) many(12);
  if (!strcmp(way, "lock all")) say("VmHWM");
  puts("ok");
  return 9;
}
