// Where nothing but main is visible to other objects and only library functions are called, a call
// through a pointer reaches functions whose address was taken here; each way in keeps the frames.
// RUN: %clang %gmp %ir %s | FileCheck --check-prefix=CLOSED %s
// RUN: %clang %gmp %ir -DALLOCATES %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DTAKES_CUDA %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DEXPORTED_FUNCTION %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DEXPORTED_VARIABLE %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DEXPORTED_ALIAS %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DVARIABLE_OF_OTHERS %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DFUNCTION_OF_OTHERS %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DPURE_FUNCTION_OF_OTHERS %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DNORETURN_FUNCTION_OF_OTHERS %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DOLD_SIGNAL %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DOLD_ACTION %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DDYNAMIC_SYMBOL %s | FileCheck --check-prefix=FRAMES %s
// RUN: %clang %gmp %ir -DMODULE_ASM %s | FileCheck --check-prefix=FRAMES %s
#include "../Inputs/cuda.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

typedef int handler(int);
struct operation {
  handler *run;
  struct operation *next;
};
static int twice(int n) { return n * 2; }
static int prints(int n) { return printf("%d\n", n); }
static int fails(int n) {
  if (n < 0) abort();
  return n;
}
#ifdef ALLOCATES
static int allocates(int n) {
  void *p;
  return cudaMalloc(&p, (size_t)n);
}
#else
#define allocates twice
#endif
static handler *const table[] = {twice, prints, allocates};
static handler *latest = fails;

static struct operation *add(struct operation *list, handler *run) {
  struct operation *o = malloc(sizeof *o);
  o->run = run;
  o->next = list;
  return o;
}

static int run(const struct operation *list, int n) {
  for (; list; list = list->next) n = list->run(n);
  return table[n % 3](n) + latest(n);
}

static void on_signal(int number) { latest = number ? twice : fails; }

#ifdef EXPORTED_FUNCTION
void set_latest(handler *h) { latest = h; }
#endif
#ifdef EXPORTED_VARIABLE
handler *another;
#endif
#ifdef EXPORTED_ALIAS
extern __typeof__(latest) same __attribute__((alias("latest")));
#endif
extern handler *of_others;
handler *find(int);
handler *find_purely(int) __attribute__((const));
_Noreturn void dies(void *);
void *dlsym(void *, const char *);
#ifdef MODULE_ASM
__asm__(".globl hole\n.set hole, latest");
#endif

static const char version[] = "1.0";
const char *const exported_constant = version;

// CLOSED-LABEL: define {{.*}} @main(
// CLOSED-NOT: %gpumemprof.frame
// FRAMES-LABEL: define {{.*}} @main(
// FRAMES: %gpumemprof.frame =
// FRAMES-LABEL: define {{.*}} @run(
// FRAMES: %gpumemprof.frame =
int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  signal(SIGTERM, on_signal);
#ifdef TAKES_CUDA
  latest = (handler *)cudaFree;
#endif
#ifdef VARIABLE_OF_OTHERS
  latest = of_others;
#endif
#ifdef FUNCTION_OF_OTHERS
  latest = find(argc);
#endif
#ifdef PURE_FUNCTION_OF_OTHERS
  latest = find_purely(argc);
#endif
#ifdef NORETURN_FUNCTION_OF_OTHERS
  if (argc > 9) dies(&latest);
#endif
#ifdef OLD_SIGNAL
  void (*old)(int) = signal(SIGHUP, on_signal);
  old(1);
#endif
#ifdef OLD_ACTION
  struct sigaction old;
  sigaction(SIGHUP, &action, &old);
  old.sa_handler(1);
#endif
#ifdef DYNAMIC_SYMBOL
  latest = (handler *)dlsym(NULL, argv[0]);
#endif
  struct operation *list = add(add(NULL, twice), argc > 1 ? prints : fails);
  fprintf(stderr, "%s %d\n", exported_constant, run(list, atoi(argv[1])));
  return 0;
}
