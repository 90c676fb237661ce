/* threads_test.c - two threads, each with a reader of its own on the same captures, give the same
 * answers as one; ThreadSanitizer (preset tsan) sees no memory that both use. Run with captures. */
#include "expect.h"
#include "use.h"

#include <pthread.h>
#include <string.h>

enum { ROUNDS = 3 };

struct work {
  int count;
  char **paths;
  uint64_t sum; /* of all figures of all rows by line */
};

static uint64_t add_up(struct gpumemprof_read *r, uint32_t capture) {
  uint64_t sum = 0;
  struct gpumemprof_read_list *rows = gpumemprof_read_rows(r, capture, GPUMEMPROF_READ_BY_LINE);
  EXPECT(rows);
  for (uint32_t i = 0; i < gpumemprof_read_count(rows); i++)
    for (int c = 0; gpumemprof_read_key(rows, c); c++) {
      sum = sum * 31 + gpumemprof_read_number(rows, i, c);
      for (const char *t = gpumemprof_read_text(rows, i, c); *t; t++)
        sum = sum * 31 + (unsigned char)*t;
    }
  return sum;
}

static void *work(void *data) {
  struct work *w = data;
  struct gpumemprof_read *r = gpumemprof_read_new();
  for (int i = 0; i < w->count; i++)
    if (gpumemprof_read_open(r, w->paths[i])) use_failure(r);
  for (int round = 0; round < ROUNDS; round++)
    for (uint32_t i = 0; i < gpumemprof_read_captures(r); i++) {
      use_capture(r, i);
      w->sum += add_up(r, i);
    }
  gpumemprof_read_free(r);
  return NULL;
}

int main(int argc, char **argv) {
  struct work both[2] = {{argc - 1, argv + 1, 0}, {argc - 1, argv + 1, 0}}, single = both[0];
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) EXPECT(!pthread_create(&thread[i], NULL, work, &both[i]));
  for (int i = 0; i < 2; i++) EXPECT(!pthread_join(thread[i], NULL));
  work(&single);
  EXPECT(single.sum && both[0].sum == single.sum && both[1].sum == single.sum);
  puts("ok");
  return 0;
}
