/* kernels.c - pure computation: no call leaves this file, so nothing can allocate. */
#include <stddef.h>
#include <stdint.h>

static uint32_t rotate(uint32_t x, int n) {
  return x << n | x >> (32 - n);
}

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
  *a += *b, *d = rotate(*d ^ *a, 16);
  *c += *d, *b = rotate(*b ^ *c, 12);
  *a += *b, *d = rotate(*d ^ *a, 8);
  *c += *d, *b = rotate(*b ^ *c, 7);
}

void mix(uint32_t state[16], int rounds) {
  for (int i = 0; i < rounds; i++) {
    for (int k = 0; k < 4; k++) quarter(&state[k], &state[4 + k], &state[8 + k], &state[12 + k]);
    for (int k = 0; k < 4; k++)
      quarter(&state[k], &state[4 + (k + 1) % 4], &state[8 + (k + 2) % 4],
              &state[12 + (k + 3) % 4]);
  }
}

void multiply(const double *a, const double *b, double *c, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

static size_t partition(int32_t *v, size_t low, size_t high) {
  int32_t pivot = v[(low + high) / 2];
  for (;;) {
    while (v[low] < pivot) low++;
    while (v[high] > pivot) high--;
    if (low >= high) return high;
    int32_t t = v[low];
    v[low++] = v[high];
    v[high--] = t;
  }
}

void sort(int32_t *v, size_t low, size_t high) {
  while (low < high) {
    size_t middle = partition(v, low, high);
    sort(v, low, middle);
    low = middle + 1;
  }
}

uint64_t count_bits(const uint64_t *words, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += (uint64_t)__builtin_popcountll(words[i]);
  return sum;
}
