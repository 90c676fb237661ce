/* damaged_test.c - captures that are cut short, have a byte changed or are no captures: the library
 * opens them or gives an error value with its sentence, and never ends the program. Run with PARTS,
 * WHICH and captures; each is damaged in some hundred ways, of which this takes every PARTS-th
 * (in_turns.py). */
#include "expect.h"
#include "use.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WAYS = 150 };

static unsigned char *bytes;
static size_t size;
static unsigned opened, refused;

static void read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  EXPECT(f && !fseek(f, 0, SEEK_END));
  size = (size_t)ftell(f);
  rewind(f);
  bytes = realloc(bytes, size + 1);
  EXPECT(bytes && fread(bytes, 1, size, f) == size);
  fclose(f);
}

static unsigned parts, which, way;

static void open_bytes(size_t length) {
  if (way % parts != which)
    return; /* the ways of others are drawn, too, so that each way is the same in every run */
  char path[64];
  int fd = memfd_create("capture", MFD_CLOEXEC);
  EXPECT(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct gpumemprof_read *r = gpumemprof_read_new();
  if (!gpumemprof_read_open(r, path)) {
    use_capture(r, 0);
    opened++;
  } else {
    EXPECT(use_failure(r) == GPUMEMPROF_READ_CAPTURE);
    EXPECT(!gpumemprof_read_captures(r));
    refused++;
  }
  gpumemprof_read_free(r);
  close(fd);
}

static uint64_t random_number(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* More of them in headers and what is counted than in texts. */
static void change_a_byte(void) {
  size_t at = (size_t)(random_number() % size);
  if (random_number() % 4) at &= ~(size_t)7;
  unsigned char was = bytes[at];
  bytes[at] = (unsigned char)(random_number() % 3 ? was ^ 1u << random_number() % 8 : 0xff);
  open_bytes(size);
  bytes[at] = was;
}

int main(int argc, char **argv) {
  EXPECT(argc > 3);
  parts = (unsigned)atoi(argv[1]);
  which = (unsigned)atoi(argv[2]);
  EXPECT(which < parts);
  for (int i = 3; i < argc; i++) {
    read_file(argv[i]);
    /* Without checksums, which would find every change before anything else does. */
    memset(bytes + 3152, 0, 16);
    way = which;
    open_bytes(size);
    for (way = 0; way < WAYS; way++) {
      open_bytes((size_t)(random_number() % size));
      change_a_byte();
    }
  }
  way = which;
  memset(bytes, 'x', size);
  open_bytes(size);
  open_bytes(0);
  free(bytes);
  printf("%u opened, %u refused\n", opened, refused);
  EXPECT(opened && refused);
  return 0;
}
