// Small functions that vanish at -O2: every one stays a scope with its own line and its own peak.
#include "../oracle/oracle.h"

namespace {

struct Buffer {
  float *data = nullptr;
  size_t bytes = 0;
};

inline Buffer make_buffer(size_t bytes) {
  SCOPE("(anonymous namespace)::make_buffer");
  Buffer b;
  b.bytes = bytes;
  ALLOC(b.data, bytes);
  return b;
}

__attribute__((always_inline)) inline Buffer doubled(const Buffer &from) {
  SCOPE("(anonymous namespace)::doubled");
  return make_buffer(2 * from.bytes);
}

inline void release(Buffer &b) {
  SCOPE("(anonymous namespace)::release");
  FREE(b.data);
  b.data = nullptr;
}

__attribute__((noinline)) void not_inlined(Buffer &scratch) {
  SCOPE("(anonymous namespace)::not_inlined");
  Buffer a = make_buffer(3 * KIB), b = make_buffer(5 * KIB); // two calls on one line
  Buffer c = doubled(a);
  release(a);
  release(b);
  release(scratch);
  scratch = c;
}

// Equal calls in both branches: the optimiser would merge them into one.
float *either(bool first) {
  SCOPE("(anonymous namespace)::either");
  float *p;
  if (first) ALLOC(p, 16 * KIB);
  else ALLOC(p, 32 * KIB);
  return p;
}

} // namespace

int main() {
  SCOPE("main");
  Buffer kept = make_buffer(64 * KIB);
  Buffer scratch = doubled(kept);
  for (int i = 0; i < 10; i++) not_inlined(scratch);
  release(scratch);
  float *p = either(true), *q = either(false);
  FREE(q);
  (void)p; // leaks, and so does kept
  SUMMARY();
  return 0;
}
