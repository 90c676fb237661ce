// Two million calls in return position, with results of the kinds of which clang makes jumps. The plain
// program needs one machine frame for them, so the instrumented one must not need more: a stack of 1 MiB
// has less than a byte for each call. (At -O1 plain clang makes no jump of a call inside a scope with clean-ups.)
// RUN: %clangxx -O2 %s %fake -o %t && %t | grep -v cuda | FileCheck %s
// RUN: %clangxx %gmp -O1 -DNO_SCOPES %s %fake -o %t && %t | grep -v cuda | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | grep -v cuda | FileCheck %s
// RUN: %clangxx %gmp -O3 %s %fake -o %t && %t | grep -v cuda | FileCheck %s
// RUN: %clangxx %gmp -Os %s %fake -o %t && %t | grep -v cuda | FileCheck %s
// RUN: %clangxx %gmp -O2 -g -fno-inline %s %fake -o %t && %t | grep -v cuda | FileCheck %s
// RUN: %clangxx %gmp -O2 -fno-exceptions -fno-omit-frame-pointer %s %fake -o %t && %t | grep -v cuda | FileCheck %s
#include "../Inputs/cuda.h"
#include <cstdio>
#include <sys/resource.h>
#include <thread>

#define NOINLINE __attribute__((noinline))
constexpr long Deep = 2000000;

static void touch() {
  void *p = nullptr;
  cudaMalloc(&p, 1 << 20);
  cudaFree(p);
}

struct One {
  long a;
};

NOINLINE int as_int(long n, int s) { return n ? as_int(n - 1, s + 1) : (touch(), s); }
NOINLINE bool as_bool(long n, bool b) {
  if (n) return as_bool(n - 1, !b);
  touch();
  return b;
}
NOINLINE double as_double(long n, double d) {
  if (n == 0) {
    touch();
    return d;
  }
  double r = as_double(n - 1, d + 1);
  return r;
}
NOINLINE One as_one(long n, long a) {
  if (n == 0) return touch(), One{a};
  One r = as_one(n - 1, a + 1);
  return r;
}
NOINLINE void as_void(long n, long *out) {
  if (n) {
    ++*out;
    as_void(n - 1, out);
    return;
  }
  touch();
}
NOINLINE int by_switch(long n, int s) {
  switch (n & 3) {
  case 0:
    if (n == 0) break;
    return by_switch(n - 1, s);
  case 1:
    return by_switch(n - 1, s + 1);
  case 2:
    return by_switch(n - 1, s + 2);
  default:
    return by_switch(n - 1, s + 3);
  }
  touch();
  return s;
}
NOINLINE int out_of_scopes(long n, int s) {
#ifdef NO_SCOPES
  n = 0;
#endif
  {
    int local = s + 1;
    if (n && local > 0) {
      int next = local;
      if (n & 1) return out_of_scopes(n - 1, next);
      int other = next;
      return out_of_scopes(n - 1, other);
    }
  }
  touch();
  return s;
}
NOINLINE int by_constants(long n, int s) {
  if (n == 0) return touch(), s;
  int r = by_constants(n - 1, s + 1);
  bool audited = false, plain = true; // known once the call has returned
  if (audited) {
    touch();
    return -r;
  }
  if (plain) return r;
  touch();
  return r + 1;
}
NOINLINE int ping(long n, int s);
NOINLINE int pong(long n, int s) {
  if (n == 0) return touch(), s;
  if (n % 3 == 0) return pong(n - 1, s);
  return ping(n - 1, s + 1);
}
NOINLINE int ping(long n, int s) {
  if (n == 0) return touch(), s;
  int r = pong(n - 1, s + 1);
  return r;
}

static void all() {
  printf("int %d\n", as_int(Deep, 0));
  // CHECK: int 2000000
  printf("bool %d\n", as_bool(Deep, true));
  // CHECK: bool 1
  printf("double %.0f\n", as_double(Deep, 0));
  // CHECK: double 2000000
  printf("one %ld\n", as_one(Deep, 0).a);
  // CHECK: one 2000000
  long steps = 0;
  as_void(Deep, &steps);
  printf("void %ld\n", steps);
  // CHECK: void 2000000
  printf("switch %d\n", by_switch(Deep, 0));
  // CHECK: switch 3000000
  printf("scopes %d\n", out_of_scopes(Deep, 0));
  // CHECK: scopes {{2000000|0}}
  printf("constants %d\n", by_constants(Deep, 0));
  // CHECK: constants 2000000
  printf("ping %d\n", ping(Deep, 0));
  // CHECK: ping 1333335
}

int main() {
  struct rlimit small = {1 << 20, 1 << 20}; // glibc's default for new threads' stacks
  setrlimit(RLIMIT_STACK, &small);
  std::thread(all).join();
}
