// The function that asks for the processor's features is the compiler's own, and nobody could mark it.
// RUN: %clang %gmp -O2 -Wall -Werror -c %s -o %t.o
// RUN: %clang %gmp -O0 -Wall -Werror -c %s -o %t.o
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
int sum(const int *v, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += v[i];
  return s;
}
