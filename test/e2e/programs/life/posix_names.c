/* A C program whose own functions have names that POSIX has and ISO C leaves to it; no header that
 * declares them is included. Each says that it was called by nobody but this program. Names that
 * the simulated CUDA uses itself are not among them. */
#include <cuda_runtime_api.h>

int puts(const char *);
void abort(void);
static int own_calls;
static void *memory[2];

#define OWN(name)                                                                                  \
  int name(int *given) {                                                                           \
    if (given != &own_calls) abort();                                                              \
    return ++*given;                                                                               \
  }
#define ALL                                                                                        \
  OWN(bcmp)                                                                                        \
  OWN(getauxval)                                                                                   \
  OWN(getcwd)                                                                                      \
  OWN(gethostname)                                                                                 \
  OWN(getrlimit)                                                                                   \
  OWN(glob)                                                                                        \
  OWN(globfree)                                                                                    \
  OWN(kill)                                                                                        \
  OWN(lstat)                                                                                       \
  OWN(nanosleep)                                                                                   \
  OWN(readlink)                                                                                    \
  OWN(sched_yield)                                                                                 \
  OWN(sigaction)                                                                                   \
  OWN(sigaltstack)                                                                                 \
  OWN(sigemptyset)                                                                                 \
  OWN(sigfillset)                                                                                  \
  OWN(syscall)                                                                                     \
  OWN(uname)                                                                                       \
  OWN(unlink)
ALL

    int main(void) {
  cudaMalloc(&memory[0], 1000);
#undef OWN
#define OWN(name) name(&own_calls);
  ALL cudaMalloc(&memory[1], 500);
  cudaFree(memory[0]);
  return puts(own_calls == 19 ? "its own" : "another's") < 0;
}
