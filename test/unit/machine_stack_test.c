/* machine_stack_test.c - walks by rules (machine_stack.c) against those of libgcc's unwinder, frame
 * by frame, in functions that use the stack in each way that compilers have.
 *
 * machine_stack_test cost     how long one walk takes at a depth of 20, by both
 */
#include "base/loaded.h"
#include "emit.h"
#include "foreign/machine_stack.h"
#include "foreign/native.h"
#include "threads/threads.h"

#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum { ROOM = 4096 };
struct frame {
  uintptr_t address, stack;
};
struct list {
  struct frame frames[ROOM];
  unsigned count;
};
static _Thread_local struct list expected;
static _Thread_local struct gpm_machine_frame room[ROOM];
static _Atomic unsigned compared;
static bool in_handler;

static uintptr_t (*cfa)(void *context);

static int collect(void *context, void *data) {
  struct list *list = data;
  if (list->count == ROOM) return GPM_UNWIND_STOP;
  list->frames[list->count++] = (struct frame){gpm_unwind_address(context), cfa(context)};
  return GPM_UNWIND_GO_ON;
}

static bool is_of_no_file(unsigned e) {
  uintptr_t address = e < expected.count ? expected.frames[e].address : 0;
  return address && gpm_place_at(address, gpm_loaded_changes())->kind == GPM_PLACE_OUTSIDE;
}

/* Compares all frames outside of this function. */
static NOINLINE void check(void) {
  struct gpm_walk walk = {.frames = room, .room = ROOM};
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  expected.count = 0;
  gpm_unwind_all(collect, &expected);
  gpm_machine_stack(&walk, 1, 0);
#if defined(__x86_64__)
  CHECK(walk.slowly == in_handler); /* the frame of a handler has no rule */
#endif
  unsigned e = 0;
  while (e < expected.count && expected.frames[e].stack <= here) e++;
  CHECK(e < expected.count && walk.count > 1);
  unsigned same = 0;
  for (uint32_t k = walk.count; k-- > 0; e++) {
    const struct gpm_machine_frame *is = gpm_walk_frame(&walk, k);
    if (is->stack <= here) {
      e--;
      continue;
    }
    while (is_of_no_file(e)) e++; /* an emulator's code that returns from a handler */
    CHECK(e < expected.count && is->place->address == expected.frames[e].address);
    CHECK(is->stack == expected.frames[e].stack);
    CHECK(!k || is->end);
    CHECK(!is->end || is->end == expected.frames[e + 1].stack);
    same++;
  }
  CHECK(same);
  for (; e < expected.count && expected.frames[e].address; e++) /* what is left out */
    CHECK(gpm_place_at(expected.frames[e].address, gpm_loaded_changes())->kind == GPM_PLACE_START);
  compared += same;
}

static void (*volatile go)(void) = check;

static NOINLINE void plain(void) {
  go();
  __asm__ volatile("");
}
static NOINLINE void with_alloca(size_t n) {
  char *p = alloca(n);
  memset(p, 1, n);
  __asm__ volatile("" : : "r"(p) : "memory");
  plain();
  __asm__ volatile("");
}
static NOINLINE void aligned(int n) {
  _Alignas(64) char here[128];
  memset(here, n, sizeof here);
  __asm__ volatile("" : : "r"(here) : "memory");
  plain();
  __asm__ volatile("" : : "r"(here) : "memory");
}
static NOINLINE void aligned_and_variable(int n) {
  _Alignas(128) char here[128];
  char *more = alloca((size_t)n);
  memset(here, n, sizeof here);
  memset(more, n, (size_t)n);
  __asm__ volatile("" : : "r"(here), "r"(more) : "memory");
  with_alloca(17);
  __asm__ volatile("" : : "r"(here), "r"(more) : "memory");
}
static NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h, long i) {
  aligned((int)(a + g));
  return a + b + c + d + e + f + g + h + i;
}
static NOINLINE int variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  for (int i = 0; i < n; i++) sum += va_arg(list, int);
  plain();
  va_end(list);
  return sum;
}
static NOINLINE void deep(unsigned depth) {
  if (depth) deep(depth - 1);
  else plain();
  __asm__ volatile("");
}
static int compare(const void *a, const void *b) {
  plain();
  return *(const int *)a - *(const int *)b;
}
static void on_signal(int number) {
  (void)number;
  plain();
}
static void *on_thread(void *data) {
  deep(3);
  aligned_and_variable(100);
  return data;
}

static NOINLINE void all(void) {
  int numbers[] = {3, 1, 2};
  plain();
  with_alloca(1000);
  aligned(1);
  aligned_and_variable(33);
  many(1, 2, 3, 4, 5, 6, 7, 8, 9);
  variadic(3, 1, 2, 3);
  deep(1000);
  qsort(numbers, 3, sizeof *numbers, compare);
  signal(SIGUSR1, on_signal);
  in_handler = true;
  raise(SIGUSR1);
  in_handler = false;
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, on_thread, NULL) && !pthread_join(id, NULL));
}

/* ---- cost ------------------------------------------------------------------------------------ */

#define ROUNDS 20000
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void measure(void) {
  struct gpm_walk walk = {.frames = room, .room = ROOM};
  double begin = seconds();
  for (int i = 0; i < ROUNDS; i++) gpm_machine_stack(&walk, 1, 0);
  double between = seconds();
  for (int i = 0; i < ROUNDS; i++) {
    expected.count = 0;
    gpm_unwind_all(collect, &expected);
  }
  double end = seconds();
  printf("%u frames: %.0f ns by rules, %.0f ns by libgcc\n", walk.count,
         1e9 * (between - begin) / ROUNDS, 1e9 * (end - between) / ROUNDS);
}

int main(int count, char **arguments) {
  CHECK(gpm_recording() && gpm_thread_self());
  gpm_native_start();
  CHECK(gpm_unwind_all);
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
  cfa = (uintptr_t (*)(void *))dlsym(library, "_Unwind_GetCFA");
  gpm_set_busy(gpm_thread_self(), true);
  if (count > 1 && !strcmp(arguments[1], "cost")) {
    go = measure;
    deep(15);
  } else {
    all();
    all(); /* with places that are known */
    printf("%u frames are the same\n", compared);
  }
  gpm_set_busy(gpm_thread_self(), false);
  return 0;
}
