/* xxh64_test.c - hashes of xxHash's own tests (XXH64, seed 0), and bytes that come in pieces. */
#include "uses/xxh64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const void *bytes, size_t count, size_t piece) {
  struct gpm_xxh64 h;
  gpm_xxh64_begin(&h);
  for (size_t at = 0; at < count; at += piece)
    gpm_xxh64_add(&h, (const char *)bytes + at, count - at < piece ? count - at : piece);
  return gpm_xxh64_end(&h);
}

static void expect(const void *bytes, size_t count, uint64_t expected) {
  for (size_t piece = 1; piece <= count + 1; piece++) {
    uint64_t found = hash(bytes, count, piece);
    if (found == expected) continue;
    fprintf(stderr, "%zu bytes in pieces of %zu: %llx, expected %llx\n", count, piece,
            (unsigned long long)found, (unsigned long long)expected);
    exit(1);
  }
}

/* The bytes that xxHash's tests hash. */
static void fill(uint8_t *bytes, size_t count) {
  uint64_t generator = 2654435761u;
  for (size_t i = 0; i < count; i++) {
    bytes[i] = (uint8_t)(generator >> 56);
    generator *= 11400714785074694797u;
  }
}

int main(void) {
  uint8_t bytes[222];
  fill(bytes, sizeof bytes);
  expect("", 0, 0xEF46DB3751D8E999u);
  expect("a", 1, 0xD24EC4F1A98C6E5Bu);
  expect("abc", 3, 0x44BC2CF5AD770999u);
  expect(bytes, 1, 0xE934A84ADB052768u);
  expect(bytes, 4, 0x9136A0DCA57457EEu);
  expect(bytes, 14, 0x8282DCC4994E35C8u);
  expect(bytes, 222, 0xB641AE8CB691C174u);
  return 0;
}
