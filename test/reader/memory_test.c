/* memory_test.c - memory runs out at every point that an allocation of the library can be at: each
 * time there is an error value, and afterwards no block and no file is lost. Run with
 * PARTS, WHICH and captures.
 *
 * The allocator is replaced by one that fails from the n-th request on, for n = 1, 2, ... until
 * nothing fails. The time is quadratic in the requests: the first hundred fail in each run of the
 * tests, of the others every PARTS-th from the WHICH-th on, other ones after each commit
 * (in_turns.py). Filters that are expressions are left out: regcomp of the C library loses a block.
 */
#include "expect.h"
#include "use.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static char suppressions[] = "/tmp/reader_memory.XXXXXX";

static void write_suppressions(void) {
  static const char text[] = "# known\nleak:^lost$\nleak:^make$\n";
  int fd = mkstemp(suppressions);
  EXPECT(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
  close(fd);
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
  if (!status) status = gpumemprof_read_set(r, "suppressions", suppressions);
  if (!status) status = gpumemprof_read_open(r, path);
  if (!status) use_capture(r, 0);
  else use_failure(r);
  bool out = !left && limited;
  if (out && gpumemprof_read_status_of(r) == GPUMEMPROF_READ_MEMORY) {
    EXPECT(!gpumemprof_read_captures(r) && !gpumemprof_read_note(r, 0));
    EXPECT(gpumemprof_read_open(r, path) == GPUMEMPROF_READ_MEMORY);
    EXPECT(!gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE));
  }
  limited = false;
  gpumemprof_read_free(r);
  return !out;
}

/* A refresh gives back the memory of the reading before it. */
static void refresh_repeatedly(const char *path) {
  struct gpumemprof_read *r = gpumemprof_read_new();
  EXPECT(!gpumemprof_read_open(r, path) && !gpumemprof_read_refresh(r, 0));
  int64_t before = live;
  for (int i = 0; i < 10; i++)
    EXPECT(gpumemprof_read_path(r, 0, 0) && !gpumemprof_read_refresh(r, 0));
  EXPECT(live - before < 5); /* the path that is kept */
  gpumemprof_read_free(r);
}

/* Returns how many files this process has open. */
static int count_files(void) {
  int count = 0;
  for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

static uint64_t parts, which;

static uint64_t after(uint64_t n) {
  do n++;
  while (n > 100 && n % parts != which);
  return n;
}

static void fail_each_request(const char *path) {
  use_until(path, 0); /* what the C library keeps is there now */
  int64_t before = live;
  int files = count_files();
  uint64_t n = 0;
  for (bool all = false; !all;) {
    n = after(n);
    all = use_until(path, n);
    if (live == before && count_files() == files) continue;
    fprintf(stderr, "%s: request %llu failed, and %lld blocks and %d files were lost\n", path,
            (unsigned long long)n, (long long)(live - before), count_files() - files);
    unlink(suppressions);
    exit(1);
  }
  printf("%s: %llu requests\n", path, (unsigned long long)n);
  EXPECT(n > 100);
}

int main(int argc, char **argv) {
  EXPECT(argc > 3);
  parts = strtoull(argv[1], NULL, 10);
  which = strtoull(argv[2], NULL, 10);
  EXPECT(parts && which < parts);
  write_suppressions();
  for (int i = 3; i < argc; i++) refresh_repeatedly(argv[i]);
  for (int i = 3; i < argc; i++) fail_each_request(argv[i]);
  unlink(suppressions);
  return 0;
}
