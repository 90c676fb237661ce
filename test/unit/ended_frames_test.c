/* ended_frames_test.c - scopes that end one after the other without an event in between have the
 * figures that they would have if each had ended in a call of its own.
 *
 *   s0 > s1 > s2 > s3 > s4      each calls the next one
 */
#include "core/ended_frames.h"
#include "emit.h"
#include "records/call_tree.h"
#include "threads/threads.h"

#include <pthread.h>

enum { DEPTH = 5, STARTS = 16, MIB = 1 << 20 };

static struct test_site scopes[STARTS][DEPTH], lines[STARTS][DEPTH], others_scope, others_line;
static struct test_site *scope, *line; /* of the test */
static struct gpumemprof_frame *frame[DEPTH];

static struct gpm_thread *self(void) {
  return gpm_thread_self();
}

static struct gpumemprof_frame *push(struct test_site *of, struct test_site *at) {
  struct gpumemprof_frame *f = test_push(&of->site, UINTPTR_MAX);
  f->call = &at->site;
  return f;
}

static void enter(int from, int to) {
  for (int i = from; i < to; i++) frame[i] = push(&scope[i], &line[i]);
}

/* in_call: as if the code had not compared the clock. */
static void leave(int i, bool in_call) {
  if (!in_call) return test_pop(frame[i]);
  __gpumemprof_stack.top = frame[i];
  if (frame[i]->active) __gpumemprof_scope_exit(frame[i]);
}

/* By itself: neither the figures nor the array of open activations say so yet. */
static bool left_by_itself(int i) {
  const struct gpm_open *before = self()->latest;
  leave(i, false);
  return self()->has_ended && self()->latest == before && !frame[i]->active;
}

struct figures {
  uint64_t calls, peak_sum, peak_max, device_peak;
};

static const struct gpumemprof_capture_node *node_of(int depth) {
  struct gpm_node *node = gpm_tree_scope(gpm_tree_root(), &scope[0].site);
  for (int i = 1; i <= depth; i++)
    node = gpm_tree_scope(gpm_tree_child(node, &line[i - 1].site), &scope[i].site);
  return node->record;
}

static struct figures figures_of(int depth) {
  const struct gpumemprof_capture_node *n = node_of(depth);
  return (struct figures){n->active_calls, n->own_peak_sum, n->own_peak_max, n->device_peak};
}

static struct figures added(struct figures now, struct figures before) {
  return (struct figures){now.calls - before.calls, now.peak_sum - before.peak_sum, now.peak_max,
                          now.device_peak};
}

/* Begins with scopes that have no figures yet. */
static void start(void) {
  static int starts;
  scope = scopes[starts];
  line = lines[starts];
  for (int i = 0; i < DEPTH; i++) {
    char name[16];
    uint32_t first_line = (uint32_t)(100 * starts + 10 * i);
    snprintf(name, sizeof name, "s%d_%d", i, starts);
    test_site_set(&scope[i], GPUMEMPROF_SITE_FUNCTION, "a.c", first_line, name, "");
    test_site_set(&line[i], GPUMEMPROF_SITE_CALL, "a.c", first_line + 1, name, "p");
  }
  CHECK(++starts < STARTS && !self()->latest->frame);
}

static void *others_event(void *bytes) {
  struct gpumemprof_frame *f = push(&others_scope, &others_line);
  test_release(test_allocate_next(*(uint64_t *)bytes));
  test_pop(f);
  return NULL;
}

/* Another thread allocates and frees. */
static void let_other_thread_have(uint64_t bytes) {
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, others_event, &bytes));
  pthread_join(id, NULL);
}

/* ---- tests --------------------------------------------------------------------------------------
 */

/* What five scopes do in one round: some allocate after those inside them have ended. */
static void one_round(bool in_call) {
  enter(0, DEPTH);
  uint64_t a = test_allocate_next(1000), b = test_allocate_next(500);
  test_release(a);
  leave(4, in_call);
  leave(3, in_call);
  uint64_t c = test_allocate_next(2000); /* in s2, which had no event of its own before */
  enter(3, DEPTH);
  uint64_t d = test_allocate_next(100);
  test_release(c);
  leave(4, in_call);
  leave(3, in_call);
  leave(2, in_call);
  test_release(b); /* in s1 */
  leave(1, in_call);
  enter(1, DEPTH);
  test_release(d);
  for (int i = DEPTH; i-- > 1;) leave(i, in_call);
  test_release(test_allocate_next(5000)); /* in s0 */
  leave(0, in_call);
}

static void figures_are_those_of_ends_in_calls(void) {
  struct figures in_calls[DEPTH];
  for (int in_call = 1; in_call >= 0; in_call--) {
    start();
    for (int round = 0; round < 3; round++) one_round(in_call);
    gpm_thread_count(self(), GPUMEMPROF_COUNTER_stale_lines); /* counts what has ended */
    for (int i = 0; i < DEPTH; i++)
      if (in_call) in_calls[i] = figures_of(i);
      else {
        struct figures f = figures_of(i);
        CHECK(!memcmp(&f, &in_calls[i], sizeof f));
      }
  }
  CHECK(in_calls[2].calls == 6 && in_calls[4].calls == 9 && in_calls[0].peak_max == 5000);
}

static void frames_end_by_themselves(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(3000);
  leave(4, false); /* a call finds out the figures */
  CHECK(self()->has_ended && !frame[4]->active);
  CHECK(left_by_itself(3) && left_by_itself(2) && left_by_itself(1));
  CHECK(figures_of(3).calls == 0);
  leave(0, false); /* the outermost one is a call again */
  CHECK(!self()->has_ended && !self()->latest->frame);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).calls == 1 && figures_of(i).peak_sum == 3000);
  test_release(p);
}

static void event_of_another_thread_counts_from_then_on(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(4000);
  leave(4, false);
  CHECK(left_by_itself(3));
  let_other_thread_have(2 * MIB);
  CHECK(!left_by_itself(2));
  leave(1, false);
  leave(0, false);
  for (int i = 0; i < DEPTH; i++) {
    struct figures f = figures_of(i);
    CHECK(f.calls == 1 && f.peak_sum == 4000);
    CHECK((f.device_peak >= 2 * MIB) == (i <= 2));
  }
  test_release(p);
}

static void scopes_that_were_entered_at_different_clocks_do_not_end_together(void) {
  start();
  enter(0, 2);
  let_other_thread_have(3 * MIB);
  enter(2, DEPTH);
  uint64_t p = test_allocate_next(100);
  for (int i = DEPTH; i-- > 0;) leave(i, false);
  for (int i = 0; i < DEPTH; i++) CHECK((figures_of(i).device_peak >= 3 * MIB) == (i < 2));
  test_release(p);
}

static void highest_total_is_that_before_the_latest_event_too(void) {
  start();
  enter(0, DEPTH);
  test_release(test_allocate_next(5 * MIB));
  for (int i = DEPTH; i-- > 0;) leave(i, false);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).device_peak >= 5 * MIB);
}

/* Anything that enters the runtime counts what has ended, and the frames around them end again. */
static void ends_are_counted_once(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(100);
  leave(4, false);
  CHECK(left_by_itself(3));
  gpm_thread_count(self(), GPUMEMPROF_COUNTER_stale_lines);
  CHECK(!self()->has_ended && figures_of(3).calls == 1 && figures_of(2).calls == 0);
  CHECK(self()->latest->frame == frame[2]);
  for (int i = 3; i-- > 0;) leave(i, false);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).calls == 1 && figures_of(i).peak_sum == 100);
  test_release(p);
}

/* Where a frame ended by itself, the next one is at the same address. */
static void frame_in_the_same_memory_is_another_one(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(100);
  leave(4, false);
  CHECK(left_by_itself(3));
  struct figures before = figures_of(4);
  struct gpumemprof_frame *untouched = push(&others_scope, &others_line);
  CHECK(untouched == frame[3] && !untouched->active && !untouched->node && !untouched->cell);
  test_pop(untouched);
  enter(3, DEPTH);
  test_release(p);
  CHECK(added(figures_of(4), before).calls == 1); /* the first one; the second one is open */
  for (int i = DEPTH; i-- > 0;) leave(i, false);
  CHECK(added(figures_of(4), before).calls == 2 && figures_of(2).calls == 1);
}

static void exception_passes_frames_around_those_that_have_ended(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(100);
  leave(4, false);
  CHECK(left_by_itself(3));
  __gpumemprof_unwind(frame[1]); /* s2 is left */
  CHECK(self()->latest->frame == frame[1] && __gpumemprof_stack.top == frame[1] + 1);
  leave(1, false);
  leave(0, false);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).calls == 1 && figures_of(i).peak_sum == 100);
  test_release(p);
}

static void *leave_some(void *address) {
  enter(0, DEPTH);
  *(uint64_t *)address = test_allocate_next(100);
  leave(4, false);
  CHECK(left_by_itself(3));
  return NULL; /* as pthread_exit: the other frames are never popped */
}

static void end_of_a_thread_counts_all(void) {
  pthread_t id;
  uint64_t p = 0;
  start();
  CHECK(!pthread_create(&id, NULL, leave_some, &p));
  pthread_join(id, NULL);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).calls == 1 && figures_of(i).peak_sum == 100);
  test_release(p);
}

static void *count_for_all(void *unused) {
  gpm_threads_count_ended();
  return unused;
}

/* A reset, a dump or the end of the program may count for a thread in the middle. */
static void other_thread_counts_what_has_ended(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(100);
  leave(4, false);
  CHECK(left_by_itself(3));
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, count_for_all, NULL));
  pthread_join(id, NULL);
  CHECK(figures_of(4).calls == 1 && figures_of(3).calls == 1 && figures_of(2).calls == 0);
  CHECK(self()->latest->frame == frame[2] && frame[2]->entry_clock == GPM_NOT_BY_ITSELF);
  frame[2]->active = frame[2]->node = NULL; /* as if it had compared its clock just before */
  __gpumemprof_stack.top = frame[2];
  for (int i = 2; i-- > 0;) leave(i, false);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).calls == 1 && figures_of(i).peak_sum == 100);
  test_release(p);
}

/* Between the store of the top and the comparison, a signal handler has the same frame. */
static void frame_of_a_handler_does_not_end_by_itself(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(100);
  leave(4, false);
  __gpumemprof_stack.top = frame[3];
  struct gpumemprof_frame *handler = push(&others_scope, &others_line);
  CHECK(handler == frame[3] && handler->active);
  test_pop(handler);
  CHECK(figures_of(4).calls == 1 && !frame[3]->active); /* it ended what it interrupted */
  for (int i = 3; i-- > 0;) leave(i, false);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).calls == 1 && figures_of(i).peak_sum == 100);
  test_release(p);
}

static void profiled_scope_ends_in_a_call(void) {
  start();
  enter(0, 2);
  enter(2, 3);
  __gpumemprof_profile_enter(frame[2]);
  enter(3, DEPTH);
  uint64_t p = test_allocate_next(100);
  for (int i = DEPTH; i-- > 0;) leave(i, false);
  for (int i = 0; i < DEPTH; i++) CHECK(figures_of(i).calls == 1 && figures_of(i).peak_sum == 100);
  CHECK(node_of(2)->calls == 1);
  test_release(p);
}

/* What was at the same depth last time is no path if one line further out is another one. */
static void paths_that_differ_in_one_line_or_function_are_kept_separate(void) {
  static struct test_site other[2];
  start();
  for (int i = 0; i < 2; i++)
    test_site_set(&other[i], GPUMEMPROF_SITE_CALL, "a.c", (uint32_t)(900 + i), "other", "p");
  enter(0, 1);
  uint64_t p =
      test_allocate_next(200); /* s0 is open from now on, and those in it are opened in one pass */
  for (int round = 0; round < 12; round++) {
    int way = round % 4;
    frame[0]->call = way == 1 ? &other[0].site : &line[0].site;
    enter(1, DEPTH - 1);
    if (way == 2) frame[3]->call = &other[1].site;
    frame[4] = push(way == 3 ? &others_scope : &scope[4], &line[4]);
    test_release(test_allocate_next(100));
    for (int i = DEPTH; i-- > 1;) leave(i, false);
  }
  test_release(p);
  leave(0, false);
  struct gpm_node *s0 = gpm_tree_scope(gpm_tree_root(), &scope[0].site), *s = s0;
  CHECK(figures_of(0).calls == 1 && figures_of(1).calls == 9 && figures_of(3).calls == 9);
  CHECK(figures_of(4).calls == 3); /* neither by the other lines nor in another function */
  for (int i = 1; i < DEPTH; i++) {
    s = gpm_tree_scope(gpm_tree_child(s, i == 1 ? &other[0].site : &line[i - 1].site),
                       &scope[i].site);
    CHECK(s->record->active_calls == 3);
  }
}

static void capture_says_what_has_ended(void) {
  start();
  enter(0, DEPTH);
  uint64_t p = test_allocate_next(6 * MIB);
  leave(4, false);
  CHECK(left_by_itself(3));
  const struct gpumemprof_capture_activation *a = NULL;
  for (uint64_t k = 0; k < DEPTH; k++) {
    a = test_record(GPUMEMPROF_CHUNK_ACTIVATIONS, self()->number, k);
    CHECK(a &&
          a->flags == (k == 4 ? GPUMEMPROF_ACTIVATION_MOVED | GPUMEMPROF_ACTIVATION_ENDED : 0));
  }
  CHECK(a && a->entry_clock == 6 * MIB && a->peak == 6 * MIB && a->net == 6 * MIB);
  CHECK(!test_record(GPUMEMPROF_CHUNK_ACTIVATIONS, self()->number, DEPTH));
  for (int i = 3; i-- > 0;) leave(i, false);
  test_release(p);
}

int main(void) {
  test_site_set(&others_scope, GPUMEMPROF_SITE_FUNCTION, "b.c", 1, "other", "");
  test_site_set(&others_line, GPUMEMPROF_SITE_CALL, "b.c", 2, "other", "p");
  CHECK(gpm_recording());
  capture_says_what_has_ended();
  figures_are_those_of_ends_in_calls();
  frames_end_by_themselves();
  event_of_another_thread_counts_from_then_on();
  scopes_that_were_entered_at_different_clocks_do_not_end_together();
  highest_total_is_that_before_the_latest_event_too();
  ends_are_counted_once();
  frame_in_the_same_memory_is_another_one();
  exception_passes_frames_around_those_that_have_ended();
  end_of_a_thread_counts_all();
  other_thread_counts_what_has_ended();
  frame_of_a_handler_does_not_end_by_itself();
  profiled_scope_ends_in_a_call();
  paths_that_differ_in_one_line_or_function_are_kept_separate();
  return 0;
}
