/* answers_test.c - what the library says of the worked example (docs/ACCOUNTING.md), of settings
 * and of wrong questions. Run with a capture of it made with events; built against the installed
 * library only. */
#include "expect.h"

#include "gpumemprof/read.h"

#include <string.h>
#include <sys/resource.h>

#define MIB ((uint64_t)1 << 20)

static const char *capture;

static struct gpumemprof_read *open_capture(void) {
  struct gpumemprof_read *r = gpumemprof_read_new();
  EXPECT(r);
  if (gpumemprof_read_open(r, capture)) {
    fprintf(stderr, "%s\n", gpumemprof_read_sentence(r));
    exit(1);
  }
  EXPECT(gpumemprof_read_captures(r) == 1 && gpumemprof_read_status_of(r) == GPUMEMPROF_READ_OK);
  return r;
}

/* The row whose text in that column begins so. */
static uint32_t row_of(struct gpumemprof_read_list *l, const char *column, const char *text) {
  int c = gpumemprof_read_column(l, column);
  EXPECT(c >= 0);
  for (uint32_t i = 0; i < gpumemprof_read_count(l); i++)
    if (!strncmp(gpumemprof_read_text(l, i, c), text, strlen(text))) return i;
  fprintf(stderr, "no row `%s`\n", text);
  exit(1);
}

static uint64_t number(struct gpumemprof_read_list *l, uint32_t row, const char *column) {
  int c = gpumemprof_read_column(l, column);
  EXPECT(c >= 0);
  return gpumemprof_read_number(l, row, c);
}

static void rows_have_the_figures_of_the_report(void) {
  struct gpumemprof_read *r = open_capture();
  struct gpumemprof_read_list *lines = gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE);
  EXPECT(lines);
  uint32_t make = row_of(lines, "function", "make");
  EXPECT(number(lines, make, "self_alloc") == 380 * MIB);
  EXPECT(number(lines, make, "leaked") == 30 * MIB);
  EXPECT(gpumemprof_read_unit_of(lines, gpumemprof_read_column(lines, "self_alloc")) ==
         GPUMEMPROF_READ_BYTES);
  EXPECT(!gpumemprof_read_knows(lines, make, gpumemprof_read_column(lines, "freed_blocks")));
  EXPECT(!gpumemprof_read_lifetimes(lines));
  EXPECT(number(lines, make, "freed_blocks") == 3);
  EXPECT(!gpumemprof_read_sort(lines, gpumemprof_read_column(lines, "at_peak")));
  uint64_t before = UINT64_MAX;
  for (uint32_t i = 0; i < gpumemprof_read_count(lines); i++) {
    uint64_t now = number(lines, i, "at_peak");
    EXPECT(now <= before);
    before = now;
  }
  EXPECT(gpumemprof_read_sort(lines, 1000) == GPUMEMPROF_READ_ARGUMENT);
  gpumemprof_read_free(r);
}

static void peak_and_leaks_are_lists_with_paths(void) {
  struct gpumemprof_read *r = open_capture();
  struct gpumemprof_read_list *devices = gpumemprof_read_list_of(r, 0, GPUMEMPROF_READ_DEVICES);
  uint32_t gpu = row_of(devices, "device", "GPU 0");
  EXPECT(number(devices, gpu, "peak") == 350 * MIB);
  struct gpumemprof_read_list *held = gpumemprof_read_peak(r, 0, gpu);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < gpumemprof_read_count(held); i++) sum += number(held, i, "bytes");
  EXPECT(sum == 350 * MIB);
  struct gpumemprof_read_list *leaks = gpumemprof_read_list_of(r, 0, GPUMEMPROF_READ_LEAKS);
  EXPECT(gpumemprof_read_count(leaks) == 1 && number(leaks, 0, "bytes") == 30 * MIB);
  const char *path = gpumemprof_read_path(r, 0, (uint32_t)number(leaks, 0, "node"));
  EXPECT(path && strstr(path, " > ") && strstr(path, "main") && strstr(path, "make"));
  EXPECT(!gpumemprof_read_path(r, 0, 1u << 30));
  EXPECT(gpumemprof_read_status_of(r) == GPUMEMPROF_READ_ARGUMENT);
  gpumemprof_read_free(r);
}

struct sums {
  uint64_t events, live, most;
  uint64_t until;
};

static int add(void *data, const struct gpumemprof_read_event *e) {
  struct sums *s = data;
  s->events++;
  if (e->what == GPUMEMPROF_READ_ALLOCATED) s->live += e->bytes;
  if (e->what == GPUMEMPROF_READ_FREED) s->live -= e->bytes;
  if (s->live > s->most) s->most = s->live;
  return s->events == s->until;
}

static void one_walk_serves_all_listeners(void) {
  struct gpumemprof_read *r = open_capture();
  struct sums first = {0}, second = {0};
  struct gpumemprof_read_listener listeners[2] = {
      {.size = sizeof listeners[0], .data = &first, .event = add},
      {.size = sizeof listeners[0], .data = &second, .event = add}};
  EXPECT(!gpumemprof_read_walk(r, 0, listeners, 2));
  EXPECT(first.most == 350 * MIB && first.live == 30 * MIB);
  EXPECT(!memcmp(&first, &second, sizeof first));
  struct sums short_one = {.until = 2};
  listeners[0].data = &short_one;
  EXPECT(gpumemprof_read_walk(r, 0, listeners, 1) == GPUMEMPROF_READ_STOPPED);
  EXPECT(short_one.events == 2);
  struct gpumemprof_read_events *events = gpumemprof_read_events_of(r, 0);
  const struct gpumemprof_read_event *e;
  uint64_t count = 0, clock = 0;
  while (!gpumemprof_read_next(events, &e)) {
    EXPECT(e->clock >= clock && e->size == sizeof *e);
    clock = e->clock;
    count++;
  }
  EXPECT(gpumemprof_read_status_of(r) == GPUMEMPROF_READ_END && count == first.events);
  gpumemprof_read_events_free(events);
  struct gpumemprof_read_list *blocks = gpumemprof_read_list_of(r, 0, GPUMEMPROF_READ_BLOCKS);
  EXPECT(gpumemprof_read_count(blocks) == 4);
  gpumemprof_read_free(r);
}

static void settings_leave_out(void) {
  struct gpumemprof_read *r = open_capture();
  EXPECT(!gpumemprof_read_set(r, "filter", "size=60MiB.."));
  EXPECT(!gpumemprof_read_open(r, capture));
  struct gpumemprof_read_list *lines = gpumemprof_read_rows(r, 1, GPUMEMPROF_READ_BY_LINE);
  EXPECT(number(lines, row_of(lines, "function", "make"), "self_alloc") == 300 * MIB);
  struct sums sums = {0};
  struct gpumemprof_read_listener listener = {sizeof listener, 0, &sums, add};
  EXPECT(!gpumemprof_read_walk(r, 1, &listener, 1) && sums.live == 0 && sums.most == 300 * MIB);
  struct gpumemprof_read_list *blocks = gpumemprof_read_list_of(r, 1, GPUMEMPROF_READ_BLOCKS);
  EXPECT(gpumemprof_read_count(blocks) == 2 && number(blocks, 0, "bytes") >= 100 * MIB);
  EXPECT(gpumemprof_read_set(r, "filter", "function=~(") == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(strstr(gpumemprof_read_sentence(r), "no regular expression"));
  EXPECT(gpumemprof_read_set(r, "kind", "devise") == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(strstr(gpumemprof_read_sentence(r), "did you mean `device`?"));
  EXPECT(gpumemprof_read_set(r, "colour", "blue") == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(!gpumemprof_read_set(r, "filter", NULL) && !gpumemprof_read_set(r, "device", "7"));
  EXPECT(gpumemprof_read_open(r, capture) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(strstr(gpumemprof_read_sentence(r), "no device `7`") && gpumemprof_read_captures(r) == 2);
  gpumemprof_read_free(r);
}

static void lists_outlive_a_refresh(void) {
  struct gpumemprof_read *r = open_capture();
  struct gpumemprof_read_list *lines = gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE);
  struct gpumemprof_read_list *diff = gpumemprof_read_diff(r, 0, 0, GPUMEMPROF_READ_BY_FUNCTION);
  EXPECT(!gpumemprof_read_refresh(r, 0) && !gpumemprof_read_refresh(r, 0));
  EXPECT(number(lines, row_of(lines, "function", "make"), "leaked") == 30 * MIB);
  uint32_t make = row_of(diff, "function", "make");
  EXPECT(number(diff, make, "a.leaked") == 30 * MIB && !number(diff, make, "difference.leaked"));
  EXPECT(!strcmp(gpumemprof_read_text(diff, make, gpumemprof_read_column(diff, "status")), "same"));
  gpumemprof_read_list_free(lines);
  gpumemprof_read_free(r);
}

static void captures_are_merged(void) {
  struct gpumemprof_read *r = open_capture();
  EXPECT(!gpumemprof_read_set(r, "filter", "size=60MiB..") && !gpumemprof_read_open(r, capture));
  struct gpumemprof_read_list *rows = gpumemprof_read_merge(r, GPUMEMPROF_READ_BY_LINE);
  uint32_t make = row_of(rows, "function", "make");
  EXPECT(number(rows, make, "processes") == 2 && number(rows, make, "self_alloc.sum") == 680 * MIB);
  EXPECT(number(rows, make, "self_alloc.min") == 300 * MIB);
  EXPECT(number(rows, make, "self_alloc.max") == 380 * MIB);
  struct gpumemprof_read_list *paths = gpumemprof_read_merge(r, GPUMEMPROF_READ_BY_PATH);
  row_of(paths, "location", "/src/main.c:10 main > /src/main.c:1 make");
  EXPECT(!gpumemprof_read_merge(r, GPUMEMPROF_READ_BY_THREAD));
  EXPECT(!gpumemprof_read_merge(r, GPUMEMPROF_READ_BY_STREAM)); /* handles mean nothing elsewhere */
  gpumemprof_read_free(r);
}

static void wrong_questions_have_an_answer(void) {
  struct gpumemprof_read *r = gpumemprof_read_new();
  EXPECT(!gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE));
  EXPECT(gpumemprof_read_status_of(r) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(gpumemprof_read_open(r, "no/such/file.gmprof") == GPUMEMPROF_READ_CAPTURE);
  EXPECT(strstr(gpumemprof_read_sentence(r), "does not exist"));
  EXPECT(gpumemprof_read_open(r, "") == GPUMEMPROF_READ_CAPTURE);
  EXPECT(!strcmp(gpumemprof_read_sentence(r), "the path is empty: it names no capture"));
  struct rlimit files, none;
  EXPECT(!getrlimit(RLIMIT_NOFILE, &files));
  none = (struct rlimit){0, files.rlim_max};
  EXPECT(!setrlimit(RLIMIT_NOFILE, &none));
  EXPECT(gpumemprof_read_open(r, capture) == GPUMEMPROF_READ_CAPTURE);
  EXPECT(strstr(gpumemprof_read_sentence(r), " cannot be opened: Too many open files"));
  EXPECT(!setrlimit(RLIMIT_NOFILE, &files));
  EXPECT(gpumemprof_read_open(r, "/proc/self/exe") == GPUMEMPROF_READ_CAPTURE);
  EXPECT(strstr(gpumemprof_read_sentence(r), "is not a gpumemprof capture"));
  EXPECT(!gpumemprof_read_note(r, 0));
  EXPECT(*gpumemprof_read_version());
  gpumemprof_read_free(r);
  gpumemprof_read_free(NULL);
  gpumemprof_read_list_free(NULL);
  gpumemprof_read_events_free(NULL);
}

/* What a program gets that looks at no status: errors all the way, and empty lists. */
static void nulls_are_errors_and_empty_lists(void) {
  struct gpumemprof_read *r = open_capture();
  const struct gpumemprof_read_event *e;
  EXPECT(gpumemprof_read_open(NULL, capture) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(gpumemprof_read_status_of(NULL) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(strstr(gpumemprof_read_sentence(NULL), "no reader"));
  EXPECT(!gpumemprof_read_captures(NULL) && !gpumemprof_read_note(NULL, 0));
  EXPECT(!gpumemprof_read_rows(NULL, 0, GPUMEMPROF_READ_BY_LINE));
  EXPECT(!gpumemprof_read_list_of(NULL, 0, GPUMEMPROF_READ_LEAKS) &&
         !gpumemprof_read_path(NULL, 0, 0));
  EXPECT(!gpumemprof_read_events_of(NULL, 0) && gpumemprof_read_next(NULL, &e) && !e);
  EXPECT(gpumemprof_read_refresh(NULL, 0) == GPUMEMPROF_READ_ARGUMENT);
  gpumemprof_read_on_progress(NULL, NULL, NULL);
  EXPECT(!gpumemprof_read_count(NULL) && !gpumemprof_read_columns(NULL));
  EXPECT(gpumemprof_read_column(NULL, "bytes") == -1 && !gpumemprof_read_key(NULL, 0));
  EXPECT(!gpumemprof_read_number(NULL, 0, 0) && !*gpumemprof_read_text(NULL, 0, 0));
  EXPECT(gpumemprof_read_sort(NULL, 0) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(gpumemprof_read_lifetimes(NULL) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(!gpumemprof_read_scope_live(NULL) && !gpumemprof_read_scope_before(NULL));
  EXPECT(gpumemprof_read_open(r, NULL) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(strstr(gpumemprof_read_sentence(r), "no path"));
  EXPECT(gpumemprof_read_set(r, NULL, "x") == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(!gpumemprof_read_scope_peak(r, 0, NULL, 0));
  EXPECT(strstr(gpumemprof_read_sentence(r), "no scope"));
  EXPECT(gpumemprof_read_walk(r, 0, NULL, 1) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(!gpumemprof_read_walk(r, 0, NULL, 0));
  struct gpumemprof_read_list *lines = gpumemprof_read_rows(r, 0, GPUMEMPROF_READ_BY_LINE);
  EXPECT(gpumemprof_read_column(lines, NULL) == -1);
  EXPECT(!gpumemprof_read_scope_live(lines));
  EXPECT(strstr(gpumemprof_read_sentence(r), "gpumemprof_read_scope_peak"));
  gpumemprof_read_free(r);
}

static void timelines_and_scopes_have_the_peak(void) {
  struct gpumemprof_read *r = open_capture();
  struct gpumemprof_read_list *parts =
      gpumemprof_read_timeline(r, 0, GPUMEMPROF_READ_AXIS_CLOCK, 7);
  EXPECT(gpumemprof_read_count(parts) == 7 && number(parts, 0, "device_max") == 350 * MIB);
  EXPECT(number(parts, 2, "max") == 350 * MIB && number(parts, 6, "last") == 30 * MIB);
  EXPECT(!gpumemprof_read_timeline(r, 0, GPUMEMPROF_READ_AXIS_TIME, 0));
  EXPECT(strstr(gpumemprof_read_sentence(r), "from 1 to 10000 parts"));
  struct gpumemprof_read_list *peak = gpumemprof_read_scope_peak(r, 0, "step", 2);
  EXPECT(gpumemprof_read_count(peak) == 1 && number(peak, 0, "own_peak") == 150 * MIB);
  struct gpumemprof_read_list *live = gpumemprof_read_scope_live(peak);
  EXPECT(number(live, 0, "bytes") == 350 * MIB && number(live, 0, "in_it") == 150 * MIB);
  struct gpumemprof_read_list *before = gpumemprof_read_scope_before(peak);
  EXPECT(gpumemprof_read_count(before) == 2 && number(before, 1, "bytes") == 50 * MIB);
  gpumemprof_read_list_free(peak);
  EXPECT(!gpumemprof_read_refresh(r, 0) && number(live, 0, "blocks") == 3);
  EXPECT(!gpumemprof_read_scope_peak(r, 0, "stop", 0));
  EXPECT(strstr(gpumemprof_read_sentence(r), "there is `step`"));
  EXPECT(!gpumemprof_read_set(r, "from", "2") && !gpumemprof_read_open(r, capture));
  EXPECT(!gpumemprof_read_scope_peak(r, 1, "step", 0));
  EXPECT(!gpumemprof_read_list_of(r, 1, GPUMEMPROF_READ_GROWTH));
  EXPECT(gpumemprof_read_status_of(r) == GPUMEMPROF_READ_ARGUMENT);
  parts = gpumemprof_read_timeline(r, 1, GPUMEMPROF_READ_AXIS_CLOCK, 6);
  EXPECT(number(parts, 0, "begin") == 2 && number(parts, 5, "end") == 8);
  gpumemprof_read_free(r);
}

static void write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  EXPECT(f && fputs(text, f) >= 0 && !fclose(f));
}

static void suppressions_leave_leaks_out(void) {
  static const char path[] = "reader_answers.supp";
  struct gpumemprof_read *r = open_capture();
  write_text(path, "leak:^make$\nleak:nothing\n");
  EXPECT(!gpumemprof_read_set(r, "suppressions", path) && !gpumemprof_read_open(r, capture));
  write_text(path, "make\n");
  EXPECT(gpumemprof_read_set(r, "suppressions", path) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(strstr(gpumemprof_read_sentence(r), ":1: `make` is no suppression"));
  remove(path);
  EXPECT(gpumemprof_read_set(r, "suppressions", path) == GPUMEMPROF_READ_ARGUMENT);
  EXPECT(gpumemprof_read_count(gpumemprof_read_list_of(r, 0, GPUMEMPROF_READ_LEAKS)) == 1);
  EXPECT(gpumemprof_read_list_of(r, 1, GPUMEMPROF_READ_LEAKS));
  EXPECT(!gpumemprof_read_count(gpumemprof_read_list_of(r, 1, GPUMEMPROF_READ_LEAKS)));
  for (int twice = 0; twice < 2; twice++) { /* nothing is added up over calls */
    struct gpumemprof_read_list *hidden = gpumemprof_read_list_of(r, 1, GPUMEMPROF_READ_SUPPRESSED);
    EXPECT(gpumemprof_read_count(hidden) == 2 && number(hidden, 0, "bytes") == 30 * MIB);
    EXPECT(number(hidden, 0, "blocks") == 1 && number(hidden, 1, "blocks") == 0);
    EXPECT(!gpumemprof_read_knows(hidden, 0, gpumemprof_read_column(hidden, "lines")));
  }
  EXPECT(!gpumemprof_read_set(r, "suppressions", NULL) && !gpumemprof_read_open(r, capture));
  EXPECT(gpumemprof_read_count(gpumemprof_read_list_of(r, 2, GPUMEMPROF_READ_LEAKS)) == 1);
  gpumemprof_read_free(r);
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  capture = argv[1];
  rows_have_the_figures_of_the_report();
  peak_and_leaks_are_lists_with_paths();
  one_walk_serves_all_listeners();
  settings_leave_out();
  lists_outlive_a_refresh();
  captures_are_merged();
  timelines_and_scopes_have_the_peak();
  suppressions_leave_leaks_out();
  wrong_questions_have_an_answer();
  nulls_are_errors_and_empty_lists();
  puts("ok");
  return 0;
}
