/* Code that the program makes while it runs, and that calls back: what a just-in-time compiler
 * does. It has no unwind information. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void moves(void) {
  void *p = NULL;
  cudaMalloc(&p, 4096);
  cudaFree(p);
}

int main(void) {
  static const unsigned char code[] = {0x48, 0x83, 0xec, 8, /* sub $8,%rsp */
                                       0xff, 0xd7,          /* call *%rdi */
                                       0x48, 0x83, 0xc4, 8, /* add $8,%rsp */
                                       0xc3};               /* ret */
  void *made =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return 1;
  memcpy(made, code, sizeof code);
  void (*call)(void (*)(void));
  memcpy(&call, &made, sizeof call);
  call(moves);
  puts("made");
  return 0;
}
