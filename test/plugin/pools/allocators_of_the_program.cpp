// Clang before 18 tells the passes nothing of a function that is only declared.
// UNSUPPORTED: llvm-16, llvm-17
// gpumemprof_alloc and gpumemprof_dealloc: which allocator, how many bytes, on whose line; the same
// at every level. Hooks are in definitions, where virtual calls lead, outside of their frames.
// RUN: %clang -c %inputs/elsewhere_allocator.c -o %t.o
// RUN: %clangxx %gmp %inc -O0 %s %t.o %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp %inc -O2 %s %t.o %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp %inc -O2 -g %s %t.o %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp %inc -O0 %s %t.o %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep flags= | FileCheck %s --check-prefix=SITES
// RUN: %clangxx %gmp %inc -O2 %s %t.o %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep flags= | FileCheck %s --check-prefix=SITES
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-runtime=weak %inc -O0 %s %t.o -Wl,--whole-archive %fake -Wl,--no-whole-archive -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-runtime=weak %inc -O2 %s %t.o -o %t && %t
// RUN: %clangxx %inc -O1 %s %t.o %fake -o %t -Wno-unknown-attributes && %t | FileCheck %s --check-prefix=WITHOUT --allow-empty
// WITHOUT-NOT: hands out
#include "gpumemprof/gpumemprof.h"
#include <cstddef>
#include <cstdint>

static char memory[1 << 16];

struct Base {
  virtual ~Base() = default;
  virtual void *take(size_t bytes) GPUMEMPROF_ALLOCATES(1) = 0;
  virtual void give(void *p) GPUMEMPROF_FREES(1) = 0;
};
template <class T> struct Pool : Base {
  size_t at = 0;
  __attribute__((noinline)) void *take(size_t bytes) override GPUMEMPROF_ALLOCATES(1) {
    if (bytes > sizeof memory) return nullptr;
    at += bytes;
    return memory + at;
  }
  void give(void *) override GPUMEMPROF_FREES(1) {}
  [[gpumemprof_alloc(1, 2)]] T *many(unsigned count, size_t size);
};
template <class T> T *Pool<T>::many(unsigned count, size_t size) {
  return (T *)(memory + count * size);
}

struct Block { // returned in memory
  void *p;
  size_t n, line;
};
struct Span { // in two registers
  char *p;
  size_t n;
};
struct Pair { // by value, in two registers
  size_t a, b;
};
struct Alone { // by value, in one
  int x;
};
namespace ns {
struct arena {
  size_t at;
};
} // namespace ns

struct Cache {
  Block block(int, size_t bytes) GPUMEMPROF_ALLOCATES(2) { return {memory, bytes, 0}; }
  Span span(size_t bytes) GPUMEMPROF_ALLOCATES(1) { return {memory, bytes}; }
  int out(int, char **p, size_t bytes) GPUMEMPROF_ALLOCATES(3) {
    if (bytes > sizeof memory) return 2;
    *p = memory;
    return 0;
  }
  bool good(char *&p, size_t bytes, Pair, Alone) GPUMEMPROF_ALLOCATES(2) {
    p = memory;
    return bytes < 100;
  }
  Block back(int, void *p) GPUMEMPROF_FREES(2) { return {p, 0, 0}; }
  static void *shared(size_t bytes) GPUMEMPROF_ALLOCATES(1) { return memory + bytes; }
  void *aligned(size_t bytes) GPUMEMPROF_ALLOCATES(1) { return plain(bytes + 8); }
  void *plain(size_t bytes) GPUMEMPROF_ALLOCATES(1) { return memory + bytes; }
};
GPUMEMPROF_ALLOCATES(2) static void *arena_take(ns::arena *a, size_t bytes) {
  return memory + (a->at += bytes);
}
GPUMEMPROF_FREES(2) static void arena_give(ns::arena *, void *) {}
GPUMEMPROF_ALLOCATES(1) static uint64_t bare(int bytes) {
  return (uintptr_t)memory + (unsigned)bytes;
}
template <class T> GPUMEMPROF_ALLOCATES(2) static void *typed(T tag, size_t bytes) {
  return memory + bytes + (size_t)tag;
}
extern "C" GPUMEMPROF_ALLOCATES(1) void *elsewhere(size_t bytes); // not in this file
extern "C" GPUMEMPROF_FREES(1) void elsewhere_free(void *p);
__attribute__((noinline)) static void *thrown(size_t bytes) {
  try {
    return elsewhere(bytes);
  } catch (...) {
    return nullptr;
  }
}
GPUMEMPROF_ALLOCATES(1) __attribute__((noinline)) static void *throws(size_t bytes) {
  if (bytes) throw 1;
  return memory;
}

static void keep(void *p) {
  __asm__ volatile("" ::"r"(p) : "memory");
}

int main() {
  Pool<int> pool;
  Base *base = &pool;
  __asm__ volatile("" : "+r"(base));
  // CHECK: Pool<int> (object) hands out 100: main:[[#@LINE+2]]
  // SITES-DAG: flags=2 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in main variable=[first] type=[float] size=[4 * 25]
  float *first = (float *)base->take(4 * 25);
  keep(first);
  // CHECK-NEXT: Pool<int> (object) hands out nothing 1048576: main:[[#@LINE+1]]
  keep(base->take(1 << 20));
  // CHECK-NEXT: Pool<int> (object) takes back 0: main:[[#@LINE+1]]
  base->give(first);
  int *second;
  // CHECK-NEXT: Pool<int> (object) hands out 24: main:[[#@LINE+2]]
  // SITES-DAG: flags=2 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in main calls Pool<int>::many variable=[second] type=[int] size=[3 * (4 + 4)]
  second = pool.many(3, 4 + 4);
  keep(second);
  Cache cache;
  // CHECK-NEXT: Cache (object) hands out 7: main:[[#@LINE+1]]
  keep(cache.block(1, 7).p);
  // CHECK-NEXT: Cache (object) hands out 8: main:[[#@LINE+1]]
  keep(cache.span(8).p);
  char *p;
  // CHECK-NEXT: Cache (object) hands out 9: main:[[#@LINE+2]]
  // SITES-DAG: flags=2 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in main calls Cache::out variable=[p] type=[char] size=[9]
  cache.out(0, &p, 9);
  cache.out(0, &p, 1 << 20); // refused
  // CHECK-NEXT: Cache (object) hands out 10: main:[[#@LINE+1]]
  cache.good(p, 10, {1, 2}, {3});
  cache.good(p, 1000, {1, 2}, {3}); // refused
  // CHECK-NEXT: Cache (object) takes back 0: main:[[#@LINE+1]]
  keep(cache.back(0, p).p);
  // CHECK-NEXT: Cache hands out 11: main:[[#@LINE+1]]
  keep(Cache::shared(11));
  // CHECK-NEXT: Cache (object) hands out 20: main:[[#@LINE+2]] > Cache::aligned:{{[0-9]+}}
  // CHECK-NEXT: Cache (object) hands out, and inner ones did 12: main:[[#@LINE+1]]
  keep(cache.aligned(12));
  ns::arena a = {0};
  // CHECK-NEXT: ns::arena (object) hands out 13: main:[[#@LINE+1]]
  keep(arena_take(&a, 13));
  // CHECK-NEXT: ns::arena (object) takes back nothing 0: main:[[#@LINE+1]]
  arena_give(&a, nullptr);
  // CHECK-NEXT: bare hands out 14: main:[[#@LINE+1]]
  keep((void *)bare(14));
  // CHECK-NEXT: typed<{{.*}}> hands out 15: main:[[#@LINE+1]]
  keep(typed('x', 15));
  // CHECK-NEXT: elsewhere hands out 16: main:[[#@LINE+1]] > thrown:{{[0-9]+}}
  void *far = thrown(16);
  // CHECK-NEXT: elsewhere_free takes back (at the call) 0: main:[[#@LINE+1]]
  elsewhere_free(far);
  // CHECK-NEXT: throws hands out 0: main:[[#@LINE+1]]
  keep(throws(0));
  try {
    keep(throws(1));
  } catch (int) {
  }
  // CHECK-NOT: hands out
  return 0;
}
