// Scopes end on every way out: exceptions through frames with and without clean-ups, rethrown,
// stopped by noexcept functions, thrown by constructors, caught far above.
#include "../oracle/guard.h"

#include <cstdlib>
#include <stdexcept>

static char *kept[4];

__attribute__((noinline)) static void fails_at(int depth, size_t bytes) {
  SCOPE("fails_at");
  char *p;
  ALLOC(p, bytes);
  if (depth == 0) {
    FREE(p);
    throw std::runtime_error("bottom");
  }
  fails_at(depth - 1, bytes / 2);
}

struct Throws {
  Guard first{8 * KIB};
  Throws() {
    ALLOC(kept[0], 4 * KIB);
    throw 1;
  }
};

__attribute__((noinline)) static void rethrows() {
  SCOPE("rethrows");
  Guard guard(16 * KIB);
  try {
    fails_at(3, 64 * KIB);
  } catch (const std::exception &) {
    ALLOC(kept[1], 2 * KIB);
    throw;
  }
}

static int swallows() noexcept {
  SCOPE("swallows");
  try {
    Throws t;
  } catch (int n) {
    ALLOC(kept[2], KIB);
    return n;
  }
  return 0;
}

__attribute__((noinline)) static void many(int times) {
  SCOPE("many");
  for (int i = 0; i < times; i++) {
    try {
      rethrows();
    } catch (...) {
      FREE(kept[1]);
    }
  }
}

int main() {
  SCOPE("main");
  many(3);
  if (swallows() != 1) return EXIT_FAILURE;
  FREE(kept[0]);
  {
    Guard last(128 * KIB);
    ALLOC(kept[3], 5 * KIB);
  }
  SUMMARY();
  return 0;
}
