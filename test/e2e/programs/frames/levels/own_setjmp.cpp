// A setjmp of the program's own, in assembly and not declared to throw nothing: clang calls it by
// an invoke where there are destructors.
#include <cuda_runtime.h>

struct Jump {
  void *word[8];
};
extern "C" int my_setjmp(Jump *) __attribute__((returns_twice));
extern "C" [[noreturn]] void my_longjmp(Jump *);
asm(".text\n.globl my_setjmp\n.type my_setjmp,@function\nmy_setjmp:\n movq %rbx,(%rdi)\n"
    " movq %rbp,8(%rdi)\n movq %r12,16(%rdi)\n movq %r13,24(%rdi)\n movq %r14,32(%rdi)\n"
    " movq %r15,40(%rdi)\n leaq 8(%rsp),%rax\n movq %rax,48(%rdi)\n movq (%rsp),%rax\n"
    " movq %rax,56(%rdi)\n xorl %eax,%eax\n ret\n"
    ".globl my_longjmp\n.type my_longjmp,@function\nmy_longjmp:\n movq (%rdi),%rbx\n"
    " movq 8(%rdi),%rbp\n movq 16(%rdi),%r12\n movq 24(%rdi),%r13\n movq 32(%rdi),%r14\n"
    " movq 40(%rdi),%r15\n movq 48(%rdi),%rsp\n movl $1,%eax\n jmpq *56(%rdi)\n");

Jump where;
void *p, *q;
struct Guard {
  ~Guard();
};
Guard::~Guard() {
  cudaFree(q);
}
__attribute__((noinline)) void jumper() {
  cudaMalloc(&p, 1000);
  my_longjmp(&where);
}
__attribute__((noinline)) void big() {
  char room[4096];
  asm volatile("" ::"r"(room) : "memory");
  cudaMalloc(&q, 500);
  asm volatile("" ::"r"(room) : "memory");
}
int main() {
  Guard guard;
  if (my_setjmp(&where)) {
    big();
    return 0;
  }
  jumper();
  return 1;
}
