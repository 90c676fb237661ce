// Recursion beyond the shadow stack (run with stack=64): allocations at many depths, unwound by
// return, by an exception and by longjmp, each from beyond the limit to below it. Scopes below the
// limit are exact; what is deeper is charged to the line of the deepest that is recorded.
#include "../oracle/oracle.h"

#include <csetjmp>
#include <cstdlib>

enum { DEPTH = 100000 };

static char *kept[3];
static volatile int returned;
static std::jmp_buf back;

// Bytes at every 1000th depth, freed on the way back by those that return. No SCOPE: at
// each event oracle.cpp scans all that are open.
// In machine frames around the calls: a store that is not the program's would be seen.
struct Guard {
  volatile unsigned words[4];
  explicit Guard(int depth) {
    for (unsigned i = 0; i < 4; i++) words[i] = 0xfeed0000u + static_cast<unsigned>(depth) + i;
  }
  void check(int depth) {
    for (unsigned i = 0; i < 4; i++)
      if (words[i] != 0xfeed0000u + static_cast<unsigned>(depth) + i) std::abort();
  }
};

__attribute__((noinline)) static void descend(int depth, int way) {
  char *p = nullptr;
  if (depth % 1000 == 0) ALLOC(p, static_cast<size_t>(1 + depth / 1000) * KIB); // beyond
  if (depth == DEPTH) {
    if (way == 1) throw depth;
    if (way == 2) std::longjmp(back, 1);
    ALLOC(kept[0], 3 * KIB); // beyond
  } else {
    descend(depth + 1, way);
  }
  if (p) FREE(p); // beyond
}

__attribute__((noinline)) static void returns() {
  SCOPE("returns");
  Guard guard(0);
  descend(0, 0);
  guard.check(0);
  ALLOC(kept[1], 500 * KIB);
  FREE(kept[0]);
}

__attribute__((noinline)) static void throws() {
  SCOPE("throws");
  Guard guard(1);
  try {
    descend(0, 1);
  } catch (int) {
    ALLOC(kept[0], 5 * KIB);
  }
  guard.check(1);
  FREE(kept[0]);
}

__attribute__((noinline)) static void catches_beyond(int depth) { // frames 30 deep and 100 deep
  if (depth) {
    catches_beyond(depth - 1);
    returned = returned + 1; // not in return position: those frames end before the call
    return;
  }
  try {
    descend(DEPTH - 200, 1);
  } catch (int) {
    ALLOC(kept[0], 9 * KIB); // beyond
  }
  FREE(kept[0]); // beyond
}

__attribute__((noinline)) static void catches() {
  SCOPE("catches");
  catches_beyond(30);
  catches_beyond(100);
}

__attribute__((noinline)) static void jumps() {
  SCOPE("jumps");
  Guard guard(2);
  if (!setjmp(back)) descend(0, 2);
  guard.check(2);
  ALLOC(kept[0], 7 * KIB);
  FREE(kept[0]);
}

__attribute__((noinline)) static void after() {
  SCOPE("after");
  for (int i = 0; i < 3; i++) {
    char *p;
    ALLOC(p, 11 * KIB);
    FREE(p);
  }
}

int main() {
  SCOPE("main");
  after();
  returns();
  throws();
  after();
  catches();
  jumps();
  after();
  FREE(kept[1]);
  SUMMARY();
  return 0;
}
