// A template's parameter turns out to be a structure by value: only the pass can know.
// On AArch64 such a structure is one parameter of the code, too.
// REQUIRES: x86_64
// RUN: not %clangxx %gmp -O1 -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: 'take<Pair>' is marked as an allocator and has a structure by value among its parameters, so that these cannot be counted; pass it by reference
#include <stddef.h>
struct Pair {
  long a, b;
};
static char memory[64];
template <class T> __attribute__((gpumemprof_alloc(2))) void *take(T, size_t n) {
  return memory + n;
}
void *use() {
  return take(Pair{1, 2}, 3);
}
