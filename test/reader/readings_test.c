/* readings_test.c - several readings of the events of one capture at a time do not disturb each
 * other: iterators side by side, an iterator and analyses in between, a walk inside of a walk, and
 * the same in two threads with a reader each. Run with captures that have events, of which one has
 * many chunks, so that each reading goes back to the file all the time. */
#include "expect.h"
#include "use.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* The events of a capture, as one iterator gives them that has the capture for itself. */
struct reference {
  struct gpumemprof_read_event *event;
  uint32_t count;
};

static struct gpumemprof_read *open_capture(const char *path) {
  struct gpumemprof_read *r = gpumemprof_read_new();
  EXPECT(r && !gpumemprof_read_open(r, path));
  return r;
}

static int count_files(void) {
  int count = 0;
  for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

static struct reference read_by_itself(const char *path) {
  struct reference all = {NULL, 0};
  struct gpumemprof_read *r = open_capture(path);
  struct gpumemprof_read_events *events = gpumemprof_read_events_of(r, 0);
  const struct gpumemprof_read_event *e;
  while (!gpumemprof_read_next(events, &e)) {
    all.event = realloc(all.event, (all.count + 1) * sizeof *e);
    EXPECT(all.event);
    all.event[all.count++] = *e;
  }
  EXPECT(gpumemprof_read_status_of(r) == GPUMEMPROF_READ_END && all.count);
  gpumemprof_read_free(r);
  return all;
}

/* Reads the next event of an iterator and compares it; *at counts them. False after the last. */
static bool next_is(struct gpumemprof_read_events *events, const struct reference *all,
                    uint32_t *at) {
  const struct gpumemprof_read_event *e;
  int status = gpumemprof_read_next(events, &e);
  if (*at == all->count) EXPECT(status == GPUMEMPROF_READ_END);
  if (*at == all->count) return false;
  EXPECT(!status && !memcmp(e, &all->event[*at], sizeof *e));
  ++*at;
  return true;
}

/* ---- iterators ---------------------------------------------------------------------------------
 */

static void iterators_have_positions_of_their_own(const char *path, const struct reference *all) {
  struct gpumemprof_read *r = open_capture(path);
  struct gpumemprof_read_events *slow = gpumemprof_read_events_of(r, 0),
                                *fast = gpumemprof_read_events_of(r, 0);
  uint32_t at[2] = {0, 0};
  while (next_is(slow, all, &at[0]))
    for (int i = 0; i < 3; i++) next_is(fast, all, &at[1]);
  EXPECT(at[0] == all->count && at[1] == all->count);
  gpumemprof_read_free(r);
}

static void iterators_end_by_themselves(const char *path, const struct reference *all) {
  int files = count_files();
  struct gpumemprof_read *r = open_capture(path);
  struct gpumemprof_read_events *first = gpumemprof_read_events_of(r, 0),
                                *second = gpumemprof_read_events_of(r, 0);
  uint32_t at[2] = {0, 0};
  next_is(first, all, &at[0]);
  next_is(second, all, &at[1]);
  gpumemprof_read_events_free(first);
  while (next_is(second, all, &at[1])) continue;
  EXPECT(at[1] == all->count);
  gpumemprof_read_events_free(second);
  EXPECT(count_files() == files);
  gpumemprof_read_free(r);
}

/* ---- analyses ----------------------------------------------------------------------------------
 */

static uint64_t add_up(struct gpumemprof_read_list *l) {
  uint64_t sum = 17;
  for (uint32_t i = 0; i < gpumemprof_read_count(l); i++)
    for (int c = 0; gpumemprof_read_key(l, c); c++)
      sum = sum * 31 + gpumemprof_read_number(l, i, c);
  gpumemprof_read_list_free(l);
  return sum;
}

/* What is computed from all events; the sum depends on each figure. */
static uint64_t analyse(struct gpumemprof_read *r) {
  struct gpumemprof_read_list *rows = gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE);
  EXPECT(!gpumemprof_read_lifetimes(rows));
  uint64_t sum = add_up(rows);
  sum = sum * 31 + add_up(gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_THREAD));
  sum = sum * 31 + add_up(gpumemprof_read_timeline(r, 0, GPUMEMPROF_READ_AXIS_CLOCK, 50));
  sum = sum * 31 + add_up(gpumemprof_read_scope_peak(r, 0, "f0", 3));
  sum = sum * 31 + add_up(gpumemprof_read_list_of(r, 0, GPUMEMPROF_READ_BLOCKS));
  sum = sum * 31 + add_up(gpumemprof_read_list_of(r, 0, GPUMEMPROF_READ_TEMPORARIES));
  return sum;
}

static void analyses_come_between_events(const char *path, const struct reference *all) {
  int files = count_files();
  struct gpumemprof_read *r = open_capture(path);
  uint64_t sum = analyse(r);
  struct gpumemprof_read_events *events = gpumemprof_read_events_of(r, 0);
  for (uint32_t at = 0; next_is(events, all, &at);)
    if (at % 20 == 1) EXPECT(analyse(r) == sum);
  gpumemprof_read_events_free(events);
  EXPECT(count_files() == files);
  gpumemprof_read_free(r);
}

/* Whatever can be asked, with a refresh at the end of it. */
static void iterators_outlive_all_calls(const char *path, const struct reference *all) {
  struct gpumemprof_read *r = open_capture(path);
  struct gpumemprof_read_events *events = gpumemprof_read_events_of(r, 0);
  for (uint32_t at = 0; next_is(events, all, &at);)
    if (at % 100 == 1) use_capture(r, 0);
  gpumemprof_read_free(r);
}

/* ---- walks -------------------------------------------------------------------------------------
 */

struct walk {
  struct gpumemprof_read *reader;
  const struct reference *all;
  struct gpumemprof_read_events *beside; /* takes a step with each event of the walk */
  uint64_t sum;
  uint32_t at, beside_at, nested;
};

static int count(void *data, const struct gpumemprof_read_event *e) {
  ++*(uint32_t *)data;
  return e->size != sizeof *e;
}

static int check_event(void *data, const struct gpumemprof_read_event *e) {
  struct walk *w = data;
  struct gpumemprof_read_event before = *e;
  if (w->at % 50 == 0) {
    struct gpumemprof_read_listener inner = {sizeof inner, 0, &w->nested, count};
    EXPECT(analyse(w->reader) == w->sum);
    EXPECT(!gpumemprof_read_walk(w->reader, 0, &inner, 1));
  }
  EXPECT(next_is(w->beside, w->all, &w->beside_at));
  EXPECT(!memcmp(e, &w->all->event[w->at], sizeof *e) && !memcmp(e, &before, sizeof *e));
  w->at++;
  return 0;
}

static void listeners_may_read_as_well(const char *path, const struct reference *all) {
  struct gpumemprof_read *r = open_capture(path);
  struct walk w = {r, all, gpumemprof_read_events_of(r, 0), analyse(r), 0, 0, 0};
  struct gpumemprof_read_listener listener = {sizeof listener, 0, &w, check_event};
  EXPECT(!gpumemprof_read_walk(r, 0, &listener, 1));
  EXPECT(w.at == all->count && w.beside_at == all->count);
  EXPECT(w.nested == (all->count + 49) / 50 * all->count);
  gpumemprof_read_free(r);
}

/* ---- threads -----------------------------------------------------------------------------------
 */

struct reading {
  const char *path;
  const struct reference *all;
};

static void *read_in_thread(void *data) {
  const struct reading *mine = data;
  for (int round = 0; round < 5; round++)
    iterators_have_positions_of_their_own(mine->path, mine->all);
  return NULL;
}

static void threads_have_readers_of_their_own(const char *path, const struct reference *all) {
  struct reading reading = {path, all};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) EXPECT(!pthread_create(&thread[i], NULL, read_in_thread, &reading));
  for (int i = 0; i < 2; i++) EXPECT(!pthread_join(thread[i], NULL));
}

int main(int argc, char **argv) {
  EXPECT(argc > 1);
  for (int i = 1; i < argc; i++) {
    struct reference all = read_by_itself(argv[i]);
    iterators_have_positions_of_their_own(argv[i], &all);
    iterators_end_by_themselves(argv[i], &all);
    analyses_come_between_events(argv[i], &all);
    iterators_outlive_all_calls(argv[i], &all);
    listeners_may_read_as_well(argv[i], &all);
    threads_have_readers_of_their_own(argv[i], &all);
    printf("%s: %u events\n", argv[i], all.count);
    free(all.event);
  }
  return 0;
}
