// Lambdas, generic lambdas, std::function and algorithms of the standard library.
#include "../oracle/oracle.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

static std::vector<char *> pool;

static void with_scratch(size_t bytes, const std::function<void(char *)> &body) {
  SCOPE("with_scratch");
  char *scratch;
  ALLOC(scratch, bytes);
  body(scratch);
  FREE(scratch);
}

int main() {
  SCOPE("main");
  auto grab = [](size_t bytes) {
    char *p;
    ALLOC(p, bytes);
    pool.push_back(p);
  };
  std::vector<size_t> sizes(5);
  std::iota(sizes.begin(), sizes.end(), 1);
  std::for_each(sizes.begin(), sizes.end(), [&](size_t n) { grab(n * KIB); });

  auto drop = [](auto count) {
    for (decltype(count) i = 0; i < count; i++) {
      FREE(pool.back());
      pool.pop_back();
    }
  };
  drop(1);
  drop(2L);

  with_scratch(64 * KIB, [&](char *) {
    grab(32 * KIB);
    with_scratch(128 * KIB, [&](char *outer) { (void)outer, drop(1u); });
  });
  std::function<void(int)> nest = [&](int depth) {
    grab(KIB);
    if (depth) nest(depth - 1);
  };
  nest(3);
  SUMMARY();
  return 0;
}
