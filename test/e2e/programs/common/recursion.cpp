// Direct and mutual recursion: an inclusive figure counts each event once, at its outermost
// activation.
#include "../oracle/oracle.h"

static char *held[8];

__attribute__((noinline)) static void tree(int depth) {
  SCOPE("tree");
  char *p;
  ALLOC(p, static_cast<size_t>(depth + 1) * KIB);
  if (depth) {
    tree(depth - 1);
    tree(depth - 1);
  }
  FREE(p);
}

static void pong(int n);
static void ping(int n) {
  SCOPE("ping");
  ALLOC(held[n], 3 * KIB);
  if (n) pong(n - 1);
  if (n % 4 == 0) FREE(held[n]);
}
static void pong(int n) {
  SCOPE("pong");
  ALLOC(held[n], 7 * KIB);
  if (n) ping(n - 1);
}

// Wrappers that end in the call they wrap stay on the path: there is no recursion here.
static char *inner(size_t bytes) {
  SCOPE("inner");
  char *p;
  ALLOC(p, bytes);
  return p;
}
static char *outer(size_t bytes) {
  SCOPE("outer");
  return inner(bytes + KIB);
}

int main() {
  SCOPE("main");
  tree(4);
  ping(6);
  char *p = outer(10 * KIB), *q = outer(20 * KIB);
  FREE(p);
  tree(2);
  (void)q;
  SUMMARY();
  return 0;
}
