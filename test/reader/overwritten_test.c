/* overwritten_test.c - a file that another program overwrites in place after it was opened: what
 * reads its events says so, instead of giving the events of something else. Run with two captures
 * that have events, the first of several chunks. */
#include "expect.h"
#include "use.h"

#include "gpumemprof/capture.h"

#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/overwritten_XXXXXX";

static size_t contents(const char *from, unsigned char **bytes) {
  FILE *f = fopen(from, "rb");
  EXPECT(f && !fseek(f, 0, SEEK_END));
  size_t size = (size_t)ftell(f);
  rewind(f);
  *bytes = malloc(size);
  EXPECT(*bytes && fread(*bytes, 1, size, f) == size);
  fclose(f);
  return size;
}

static void write_at(size_t at, const unsigned char *bytes, size_t size) {
  FILE *f = fopen(path, "r+b");
  EXPECT(f && !fseek(f, (long)at, SEEK_SET) && fwrite(bytes, 1, size, f) == size);
  fclose(f);
}

/* A list that needs events is an error and no short list. */
static void expect_no_lists(struct gpumemprof_read *r) {
  static const enum gpumemprof_read_what needs_events[] = {
      GPUMEMPROF_READ_BLOCKS, GPUMEMPROF_READ_TEMPORARIES, GPUMEMPROF_READ_GROWTH};
  for (size_t i = 0; i < sizeof needs_events / sizeof *needs_events; i++) {
    EXPECT(!gpumemprof_read_list_of(r, 0, needs_events[i]));
    EXPECT(gpumemprof_read_status_of(r) == GPUMEMPROF_READ_CAPTURE);
    EXPECT(strstr(gpumemprof_read_sentence(r), "was overwritten since it was opened"));
  }
  struct gpumemprof_read_list *rows = gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE);
  EXPECT(rows && gpumemprof_read_lifetimes(rows) == GPUMEMPROF_READ_CAPTURE);
  EXPECT(strstr(gpumemprof_read_sentence(r), "was overwritten since it was opened"));
  gpumemprof_read_list_free(rows);
}

static struct gpumemprof_read *open_it(const unsigned char *bytes, size_t size) {
  EXPECT(!truncate(path, 0));
  write_at(0, bytes, size);
  struct gpumemprof_read *r = gpumemprof_read_new();
  EXPECT(r && !gpumemprof_read_open(r, path));
  return r;
}

/* Each reading of the events fails from now on. */
static void expect_overwritten(struct gpumemprof_read *r, struct gpumemprof_read_events *begun) {
  const struct gpumemprof_read_event *e;
  int status;
  while (!(status = gpumemprof_read_next(begun, &e)));
  EXPECT(status == GPUMEMPROF_READ_CAPTURE);
  EXPECT(strstr(gpumemprof_read_sentence(r), "was overwritten since it was opened"));
  EXPECT(gpumemprof_read_walk(r, 0, NULL, 0) == GPUMEMPROF_READ_CAPTURE);
  EXPECT(!gpumemprof_read_events_of(r, 0));
  EXPECT(gpumemprof_read_status_of(r) == GPUMEMPROF_READ_CAPTURE);
  EXPECT(strstr(gpumemprof_read_sentence(r), "was overwritten since it was opened"));
  expect_no_lists(r);
  gpumemprof_read_free(r);
}

int main(int count, char **capture) {
  EXPECT(count == 3);
  int fd = mkstemp(path);
  EXPECT(fd >= 0);
  close(fd);
  unsigned char *first, *other;
  size_t size = contents(capture[1], &first), other_size = contents(capture[2], &other);
  const struct gpumemprof_read_event *e;

  struct gpumemprof_read *r = open_it(first, size);
  struct gpumemprof_read_events *begun = gpumemprof_read_events_of(r, 0);
  EXPECT(begun && !gpumemprof_read_next(begun, &e));
  /* Another run: the recorded start differs. */
  other[offsetof(struct gpumemprof_capture_header, start_realtime_ns)] ^= 1;
  write_at(0, other, other_size);
  expect_overwritten(r, begun);

  r = open_it(first, size);
  begun = gpumemprof_read_events_of(r, 0);
  EXPECT(begun && !gpumemprof_read_next(begun, &e));
  unsigned char *zeros = calloc(1, size);
  EXPECT(zeros);
  write_at(4096, zeros, size - 4096);
  expect_overwritten(r, begun);

  EXPECT(!unlink(path));
  free(zeros);
  free(first);
  free(other);
  printf("overwritten: 2 ways\n");
  return 0;
}
