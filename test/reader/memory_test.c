/* memory_test.c - memory runs out at every point that an allocation of the library can be at: each
 * time there is an error value, and afterwards nothing is lost. Run with a capture.
 *
 * The allocator is replaced by one that fails from the n-th request on, for n = 1, 2, ... until
 * nothing fails. Filters that are expressions are left out: regcomp of the C library loses a block.
 */
#include "expect.h"
#include "use.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *block);

static uint64_t left; /* requests until the first that fails; 0: all fail */
static bool limited;
static int64_t live; /* blocks */

static bool fails(void) {
  if (!limited) return false;
  if (left) left--;
  if (left) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) {
  void *block = fails() ? NULL : __libc_malloc(size);
  live += block != NULL;
  return block;
}

void *calloc(size_t count, size_t size) {
  void *block = fails() ? NULL : __libc_calloc(count, size);
  live += block != NULL;
  return block;
}

void *realloc(void *old, size_t size) {
  void *block = fails() ? NULL : __libc_realloc(old, size);
  live += !old && block;
  return block;
}

void *reallocarray(void *old, size_t count, size_t size) {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return realloc(old, bytes);
  errno = ENOMEM;
  return NULL;
}

void free(void *block) {
  live -= block != NULL;
  __libc_free(block);
}

/* All of it, with the n-th request failing; true: none failed. */
static bool use_until(const char *path, uint64_t n) {
  left = n;
  limited = n != 0;
  struct gpumemprof_read *r = gpumemprof_read_new();
  if (!r) {
    limited = false;
    return false;
  }
  int status = gpumemprof_read_set(r, "names", "short");
  if (!status) status = gpumemprof_read_set(r, "filter", "function=*");
  if (!status) status = gpumemprof_read_open(r, path);
  if (!status) use_capture(r, 0);
  else use_failure(r);
  bool out = !left && limited;
  if (out && gpumemprof_read_status(r) == GPUMEMPROF_READ_MEMORY) {
    EXPECT(!gpumemprof_read_captures(r) && !gpumemprof_read_note(r, 0));
    EXPECT(gpumemprof_read_open(r, path) == GPUMEMPROF_READ_MEMORY);
    EXPECT(!gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE));
  }
  limited = false;
  gpumemprof_read_free(r);
  return !out;
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  use_until(argv[1], 0); /* what the C library keeps is there now */
  int64_t before = live;
  uint64_t n = 1, tries = 0;
  for (bool all = false; !all; n += 1 + n / 50, tries++) {
    all = use_until(argv[1], n);
    if (live == before) continue;
    fprintf(stderr, "request %llu failed, and %lld blocks were lost\n", (unsigned long long)n,
            (long long)(live - before));
    return 1;
  }
  printf("%llu tries, %llu requests\n", (unsigned long long)tries, (unsigned long long)n);
  EXPECT(tries > 100);
  return 0;
}
