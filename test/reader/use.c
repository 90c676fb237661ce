/* use.c - see use.h. Called by the tests of damaged captures, of memory that runs out and of
 * threads, and by the fuzzer of the library. */
#include "use.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(condition)                                                                           \
  do                                                                                               \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      abort();                                                                                     \
    }                                                                                              \
  while (0)

enum { MOST_ROWS = 200 }; /* whose texts are looked at */

int use_failure(const struct gpumemprof_read *r) {
  int status = gpumemprof_read_status_of(r);
  HOLDS(status < 0 && status >= GPUMEMPROF_READ_STOPPED);
  HOLDS(strlen(gpumemprof_read_sentence(r)) > 10);
  return status;
}

static bool is_out(const struct gpumemprof_read *r) {
  return gpumemprof_read_status_of(r) == GPUMEMPROF_READ_MEMORY;
}

static void visit_row(struct gpumemprof_read_list *l, uint32_t row) {
  for (int c = 0; gpumemprof_read_key(l, c); c++) {
    const char *text = gpumemprof_read_text(l, row, c);
    HOLDS(!text || gpumemprof_read_unit_of(l, c) == GPUMEMPROF_READ_TEXT || !*text);
    if (!gpumemprof_read_knows(l, row, c)) HOLDS(!gpumemprof_read_number(l, row, c));
  }
}

/* Takes the list, or the failure. */
static void visit(struct gpumemprof_read *r, struct gpumemprof_read_list *l) {
  if (!l) {
    use_failure(r);
    return;
  }
  uint32_t count = gpumemprof_read_count(l);
  for (uint32_t i = 0; i < count && i < MOST_ROWS; i++) visit_row(l, i);
  HOLDS(!*gpumemprof_read_text(l, count, 0) && !gpumemprof_read_number(l, count, 0));
  HOLDS(gpumemprof_read_column(l, "no such column") == -1 && !gpumemprof_read_key(l, -1));
  for (int c = 0; gpumemprof_read_key(l, c); c++) {
    HOLDS(gpumemprof_read_column(l, gpumemprof_read_key(l, c)) == c);
    HOLDS(*gpumemprof_read_meaning(l, c));
    if (count > MOST_ROWS || is_out(r)) continue;
    if (gpumemprof_read_sort(l, c)) use_failure(r);
    HOLDS(gpumemprof_read_count(l) == count);
  }
  gpumemprof_read_list_free(l);
}

static int add_event(void *data, const struct gpumemprof_read_event *e) {
  uint64_t *events = data;
  HOLDS(e->size == sizeof *e);
  ++*events;
  return 0;
}

static void visit_events(struct gpumemprof_read *r, uint32_t capture) {
  uint64_t received[2] = {0}, read = 0;
  const struct gpumemprof_read_listener listeners[2] = {
      {.size = sizeof *listeners, .data = &received[0], .event = add_event},
      {.size = sizeof *listeners, .data = &received[1], .event = add_event}};
  int walked = gpumemprof_read_walk(r, capture, listeners, 2);
  if (walked) use_failure(r);
  HOLDS(received[0] == received[1]);
  struct gpumemprof_read_events *events = gpumemprof_read_events_of(r, capture);
  if (!events) {
    use_failure(r);
    return;
  }
  const struct gpumemprof_read_event *e;
  int status;
  while (!(status = gpumemprof_read_next(events, &e))) read++;
  if (status < 0) use_failure(r);
  if (!walked && status == GPUMEMPROF_READ_END) HOLDS(read == received[0]);
  gpumemprof_read_events_free(events);
}

static void visit_timelines(struct gpumemprof_read *r, uint32_t capture) {
  static const uint32_t parts[] = {0, 1, 3, 80, 10001};
  for (int axis = 0; axis <= GPUMEMPROF_READ_AXIS_CLOCK + 1; axis++)
    for (unsigned i = 0; i < sizeof parts / sizeof *parts && !is_out(r); i++)
      visit(r, gpumemprof_read_timeline(r, capture, (enum gpumemprof_read_axis)axis, parts[i]));
}

static void visit_scope(struct gpumemprof_read *r, uint32_t capture, const char *name) {
  struct gpumemprof_read_list *peak = gpumemprof_read_scope_peak(r, capture, name, 4);
  if (!peak) use_failure(r);
  if (peak) {
    HOLDS(gpumemprof_read_count(peak) == 1);
    visit(r, gpumemprof_read_scope_live(peak));
    if (!is_out(r)) visit(r, gpumemprof_read_scope_before(peak));
    if (!is_out(r)) visit(r, peak);
  }
}

/* The scopes of the first rows of the call tree. */
static void visit_scopes(struct gpumemprof_read *r, uint32_t capture) {
  struct gpumemprof_read_list *nodes = gpumemprof_read_list_of(r, capture, GPUMEMPROF_READ_NODES);
  int scope = gpumemprof_read_column(nodes, "scope"), name = gpumemprof_read_column(nodes, "block"),
      function = gpumemprof_read_column(nodes, "function");
  unsigned left = 3;
  for (uint32_t i = 0; i < gpumemprof_read_count(nodes) && left && !is_out(r); i++) {
    if (!gpumemprof_read_number(nodes, i, scope)) continue;
    const char *text = gpumemprof_read_text(nodes, i, name);
    if (text && !*text) text = gpumemprof_read_text(nodes, i, function);
    if (!text) break;
    visit_scope(r, capture, text);
    left--;
  }
  if (!is_out(r)) visit_scope(r, capture, "no such scope");
  gpumemprof_read_list_free(nodes);
}

void use_capture(struct gpumemprof_read *r, uint32_t capture) {
  for (int what = 0; what <= GPUMEMPROF_READ_SUPPRESSED + 1 && !is_out(r); what++)
    visit(r, gpumemprof_read_list_of(r, capture, (enum gpumemprof_read_what)what));
  for (int by = 0; by <= GPUMEMPROF_READ_BY_THREAD + 1 && !is_out(r); by++) {
    struct gpumemprof_read_list *rows =
        gpumemprof_read_rows(r, capture, (enum gpumemprof_read_by)by);
    if (rows && by < 4 && gpumemprof_read_lifetimes(rows)) use_failure(r);
    visit(r, rows);
    if (!is_out(r)) visit(r, gpumemprof_read_merge(r, (enum gpumemprof_read_by)by));
  }
  for (uint32_t device = 0; device < 3 && !is_out(r); device++)
    visit(r, gpumemprof_read_peak(r, capture, device));
  if (!is_out(r)) visit(r, gpumemprof_read_diff(r, capture, capture, GPUMEMPROF_READ_BY_LINE));
  for (uint32_t node = 0; node < 20 && !is_out(r); node++)
    if (!gpumemprof_read_path(r, capture, node)) use_failure(r);
  if (!is_out(r)) visit_timelines(r, capture);
  if (!is_out(r)) visit_scopes(r, capture);
  if (!is_out(r)) visit_events(r, capture);
  if (!is_out(r) && gpumemprof_read_refresh(r, capture)) use_failure(r);
}
