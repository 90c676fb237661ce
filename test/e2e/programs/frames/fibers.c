/* Fibers: machine stacks that take turns on one thread, each with open scopes; that move from
 * thread to thread, also when the thread they began on is gone; above and below the stack that
 * resumes them; that end by returning, by setcontext, or never; and switches by setjmp and longjmp.
 */
#include "../oracle/oracle.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK ((size_t)256 << 10)

struct fiber {
  ucontext_t mine, back;
  int number, steps, over;
  char *held[8];
};

int foreign_switch(ucontext_t *from, ucontext_t *to); /* code that was not rebuilt */
#if defined(UNSEEN)
#define swapcontext(from, to) foreign_switch(from, to)
#elif defined(MARKED)
#include "gpumemprof/gpumemprof.h"
#define swapcontext(from, to) GPUMEMPROF_SWITCH(foreign_switch(from, to))
#endif

/* For oracle.cpp each stack is a thread. */
#define SWITCH(from, to)                                                                           \
  do {                                                                                             \
    void *left_ = oracle_leave_stack();                                                            \
    swapcontext((from), (to));                                                                     \
    oracle_back_on_stack(left_);                                                                   \
  } while (0)

static void yield(struct fiber *f) {
  SWITCH(&f->mine, &f->back);
}
static void resume(struct fiber *f) {
  SWITCH(&f->back, &f->mine);
}

__attribute__((noinline)) static void deeper(struct fiber *f, int depth) {
  SCOPE("deeper");
  ALLOC(f->held[depth], (size_t)(f->number + 1) * 8 * KIB);
  yield(f);
  if (depth) deeper(f, depth - 1);
  yield(f);
  if (depth != 1) FREE(f->held[depth]);
}

static void body(unsigned low, unsigned high) {
  struct fiber *f = (struct fiber *)((uintptr_t)high << 32 | low);
  {
    SCOPE("body");
    char *p;
    ALLOC(p, 3 * KIB);
    yield(f);
    deeper(f, f->steps);
    FREE(p);
  }
  f->over = 1;
  if (f->number % 2) {
    oracle_leave_stack();
    setcontext(&f->back); /* else uc_link goes there */
  }
  oracle_leave_stack();
}

static void make(struct fiber *f, int number, char *stack) {
  f->number = number;
  f->steps = 2;
  f->over = 0;
  getcontext(&f->mine);
  f->mine.uc_stack.ss_sp = stack;
  f->mine.uc_stack.ss_size = STACK;
  f->mine.uc_link = &f->back;
  makecontext(&f->mine, (void (*)(void))body, 2, (unsigned)(uintptr_t)f,
              (unsigned)((uintptr_t)f >> 32));
}

static char *stacks(int count) {
  return mmap(NULL, (size_t)count * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
              0);
}

__attribute__((noinline)) static void schedules(struct fiber *fibers, int count) {
  SCOPE("schedules");
  char *p;
  ALLOC(p, 5 * KIB);
  for (int left = count; left;) {
    left = 0;
    for (int i = 0; i < count; i++) {
      if (fibers[i].over) continue;
      resume(&fibers[i]);
      left += !fibers[i].over;
      char *q;
      ALLOC(q, KIB); /* on this line, whatever the fibers have open */
      FREE(q);
    }
  }
  FREE(p);
}

static void interleaved(void) {
  SCOPE("interleaved");
  static struct fiber fibers[5];
  char *room = stacks(5);
  for (int i = 0; i < 5; i++) make(&fibers[i], i, room + (size_t)i * STACK);
  schedules(fibers, 5);
}

/* [ fiber | the thread's stack | fiber ], all within a MiB. */
static void *around_a_thread(void *data) {
  SCOPE("around_a_thread");
  schedules(data, 2);
  return NULL;
}
static void above_and_below(void) {
  SCOPE("above_and_below");
  static struct fiber fibers[2];
  char *room = stacks(4);
  make(&fibers[0], 0, room);
  make(&fibers[1], 1, room + 3 * STACK);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, room + STACK, 2 * STACK);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, around_a_thread, fibers)) abort();
  pthread_join(thread, NULL);
}

/* Threads at once allocate before any of them frees: else the most that was live is that of their
 * order, on which the program and CUDA need not agree. */
static pthread_barrier_t allocated;

static void *some_steps(void *data) {
  SCOPE("some_steps");
  char *p;
  ALLOC(p, 2 * KIB);
  for (int i = 0; i < 2; i++) resume(data);
  pthread_barrier_wait(&allocated);
  FREE(p);
  return NULL;
}
static void migrating(void) {
  SCOPE("migrating");
  static struct fiber fibers[2], left; /* left is never ended */
  char *room = stacks(3);
  for (int i = 0; i < 2; i++) make(&fibers[i], i, room + (size_t)i * STACK);
  make(&left, 2, room + 2 * STACK);
  for (int i = 0; i < 2; i++) {
    pthread_t threads[2];
    pthread_barrier_init(&allocated, NULL, i ? 1 : 2);
    for (int k = 0; k < 2; k++) {
      pthread_create(&threads[k], NULL, some_steps, &fibers[k]);
      if (i) pthread_join(threads[k], NULL);
    }
    if (!i)
      for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
  }
  resume(&left);
  resume(&left);
  schedules(fibers, 2);
}

/* Begun by swapcontext, switched by longjmp since then. */
static jmp_buf in_fiber, in_main;
static struct fiber jumper;
__attribute__((noinline)) static void jumps(int times) {
  SCOPE("jumps");
  char *p;
  for (volatile int i = 0; i < times; i++) {
    ALLOC(p, 10 * KIB);
    if (!_setjmp(in_fiber)) {
      jumper.held[0] = oracle_leave_stack();
      _longjmp(in_main, 1);
    }
    oracle_back_on_stack(jumper.held[0]);
    FREE(p);
  }
}
static void jumping_body(void) {
  jumps(3);
  jumper.over = 1;
  oracle_leave_stack();
  _longjmp(in_main, 1);
}
__attribute__((noinline)) static void by_longjmp(void) {
  SCOPE("by_longjmp");
  jumper.over = 0;
  getcontext(&jumper.mine);
  jumper.mine.uc_stack.ss_sp = stacks(1);
  jumper.mine.uc_stack.ss_size = STACK;
  makecontext(&jumper.mine, jumping_body, 0);
  for (volatile int i = 0; !jumper.over; i++) {
    char *volatile p;
    ALLOC(p, (size_t)4 * KIB);
    void *volatile left = oracle_leave_stack();
    if (!_setjmp(in_main)) {
      if (i) _longjmp(in_fiber, 1);
      else swapcontext(&jumper.back, &jumper.mine);
    }
    oracle_back_on_stack(left);
    FREE(p);
  }
}

int main(void) {
  SCOPE("main");
  interleaved();
  above_and_below();
  migrating();
  by_longjmp();
  char *p;
  ALLOC(p, KIB);
  FREE(p);
  SUMMARY();
  return 0;
}
