/* interpreter_test.c - interpreted functions as frames: their lines, own peaks, blocks between
 * them, compiled functions above them, and their end. */
#include "base/program_calls.h"
#include "base/state.h"
#include "core/shadow_stack.h"
#include "emit.h"
#include "foreign/interpreter.h"
#include "records/call_tree.h"
#include "records/sites.h"

static const void *f, *g, *f_10, *f_11, *g_20;
static struct gpumemprof_interpreted now[8];

static struct gpumemprof_interpreted active(const void *function, const void *line) {
  return (struct gpumemprof_interpreted){.function = function, .line = line};
}

static const struct gpumemprof_capture_node *figures(const void *scope, const void *line) {
  struct gpm_node *node = gpm_tree_child(gpm_tree_root(), scope);
  return (line ? gpm_tree_child(node, line) : node)->record;
}

static const void *line_now(void) {
  return gpm_thread_call(gpm_thread_self());
}

/* f:10 allocates 100, calls g, which needs 50 more, and goes on to f:11, which needs 30. */
static void own_peaks_are_those_of_functions_and_lines(void) {
  now[0] = active(f, f_10);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1);
  uint64_t a = test_allocate_next(100);
  now[1] = active(g, g_20);
  CHECK(gpumemprof_interpreted_stack(now, 1, 2) == 2 && line_now() == g_20);
  test_release(test_allocate_next(50));
  now[0].line = f_11;
  CHECK(gpumemprof_interpreted_stack(now, 1, 1) == 1 && line_now() == f_11);
  uint64_t b = test_allocate_next(30);
  test_release(a);
  test_release(b);
  CHECK(gpumemprof_interpreted_stack(now, 0, 0) == 0);
  CHECK(figures(f, NULL)->own_peak_max == 150 && figures(f, NULL)->active_calls == 1);
  CHECK(figures(f, f_10)->own_peak_max == 150 && figures(f, f_11)->own_peak_max == 30);
  const struct gpm_node *below = gpm_tree_child(gpm_tree_child(gpm_tree_root(), f), f_10);
  CHECK(gpm_tree_child((struct gpm_node *)(uintptr_t)below, g)->record->own_peak_max == 50);
}

/* Otherwise the block would be an activation within that of the line before. */
static void a_line_ends_before_a_block_of_the_next_one(void) {
  uint64_t before = figures(f, f_10)->own_peak_max;
  now[0] = active(f, f_10);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1);
  test_release(test_allocate_next(100));
  now[0].line = f_11;
  CHECK(gpumemprof_interpreted_stack(now, 1, 1) == 1);
  uint64_t scope = gpumemprof_scope_open("block", "a.py", "f", 11, GPUMEMPROF_CURRENT_DEVICE, 0);
  test_release(test_allocate_next(7000));
  CHECK(gpumemprof_scope_end(scope, NULL));
  CHECK(gpumemprof_interpreted_stack(now, 0, 0) == 0);
  CHECK(before < 7000 && figures(f, f_10)->own_peak_max == before);
  CHECK(figures(f, NULL)->own_peak_max == 7000);
}

/* f opens a block, in which it calls g. */
static uint64_t call_in_a_block(void) {
  now[0] = active(f, f_10);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1);
  uint64_t scope = gpumemprof_scope_open("block", "a.py", "f", 10, GPUMEMPROF_CURRENT_DEVICE, 0);
  now[1] = active(g, g_20);
  CHECK(gpumemprof_interpreted_stack(now, 1, 2) == 2);
  return scope;
}

static void a_measured_block_stays_when_functions_in_it_change(void) {
  uint64_t scope = call_in_a_block();
  uint64_t a = test_allocate_next(40);
  now[0].line = f_11;
  CHECK(gpumemprof_interpreted_stack(now, 1, 1) == 1 && line_now() == f_11);
  test_release(a);
  struct gpumemprof_result r;
  CHECK(gpumemprof_scope_end(scope, &r) && r.own_peak == 40 && r.net == 0);
  CHECK(r.left == GPUMEMPROF_LEFT_BY_END);
}

/* The frame of a function that was in the block is not there any more: it is pushed once more. */
static void what_ended_with_its_block_is_pushed_once_more(void) {
  uint64_t scope = call_in_a_block();
  CHECK(gpumemprof_scope_end(scope, NULL));
  CHECK(gpumemprof_interpreted_stack(now, 2, 2) == 2 && line_now() == g_20);
  CHECK(gpumemprof_interpreted_stack(now, 0, 0) == 0);
}

static void a_compiled_function_that_runs_is_never_ended(void) {
  static struct test_site scope, call;
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "compiled", "");
  test_site_set(&call, GPUMEMPROF_SITE_CALL, "a.c", 2, "compiled", "");
  now[0] = active(f, f_10);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1);
  struct gpumemprof_frame *frame =
      test_push(&scope.site, (uintptr_t)__builtin_frame_address(0) + 4096);
  frame->call = &call.site;
  now[0] = active(g, g_20);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 0 && line_now() == &call.site);
  test_pop(frame);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1 && line_now() == g_20);
}

static int asked;
static void ask(void) {
  asked++;
  CHECK(!gpm_interpreter_charged(gpm_thread_self()) || asked == 1);
  now[0] = active(f, f_10);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1);
}

static void the_interpreter_is_asked_before_events_and_dropped_at_its_end(void) {
  struct gpm_thread *self = gpm_thread_self();
  CHECK(gpumemprof_interpreter(ask, NULL, NULL) == 0);
  CHECK(gpm_interpreter_charged(self) && asked == 1 && line_now() == f_10);
  uint64_t scope = gpumemprof_scope_open("block", "a.py", "f", 11, GPUMEMPROF_CURRENT_DEVICE, 0);
  CHECK(gpumemprof_interpreter(NULL, NULL, NULL) == 0);
  struct gpumemprof_result r;
  CHECK(gpm_interpreter_charged(self) && asked == 1); /* the block goes on */
  CHECK(gpumemprof_scope_end(scope, &r) && r.left == GPUMEMPROF_LEFT_BY_END);
  CHECK(!gpm_interpreter_charged(self) && asked == 1);
  CHECK(line_now() == (const void *)&gpm_sites_unknown);
}

static void say_nothing(void) {}

/* As Python cannot where its own stack is full: what it said before is not taken for its answer. */
static void what_was_known_is_dropped_without_an_answer(void) {
  now[0] = active(f, f_10);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1);
  CHECK(gpumemprof_interpreter(say_nothing, NULL, NULL) == 0);
  CHECK(!gpm_interpreter_charged(gpm_thread_self()));
  CHECK(line_now() == (const void *)&gpm_sites_unknown);
  CHECK(gpumemprof_interpreted_stack(now, 1, 1) == 1 && line_now() == f_10);
  CHECK(gpumemprof_interpreter(NULL, NULL, NULL) == 0 &&
        !gpm_interpreter_charged(gpm_thread_self()));
}

static void *code_here;
static void *has_code(void) {
  return code_here;
}

static void a_thread_without_code_is_not_asked(void) {
  int before = asked;
  now[0] = active(f, f_11);
  CHECK(gpumemprof_interpreted_stack(now, 0, 1) == 1);
  CHECK(gpumemprof_interpreter(ask, has_code, NULL) == 0);
  CHECK(!gpm_interpreter_charged(gpm_thread_self()) && asked == before);
  CHECK(line_now() == (const void *)&gpm_sites_unknown);
  code_here = &code_here;
  asked = 0;
  CHECK(gpm_interpreter_charged(gpm_thread_self()) && asked == 1 && line_now() == f_10);
  CHECK(gpumemprof_interpreter(NULL, NULL, NULL) == 0);
}

static void *owner_here = &owner_here;
static void *owner(void *code) {
  CHECK(code == code_here);
  return owner_here;
}

static void another_interpreter_is_not_asked(void) {
  asked = 0;
  CHECK(gpumemprof_interpreter(ask, has_code, owner) == 0);
  CHECK(gpm_interpreter_charged(gpm_thread_self()) && asked == 1);
  owner_here = &asked;
  CHECK(!gpm_interpreter_charged(gpm_thread_self()) && asked == 1);
  CHECK(gpumemprof_interpreter(NULL, NULL, NULL) == 0);
}

int main(void) {
  CHECK(gpm_recording());
  f = gpumemprof_interpreted_function("f", "a.py", 1);
  g = gpumemprof_interpreted_function("g", "a.py", 2);
  f_10 = gpumemprof_interpreted_line("f", "a.py", 10);
  f_11 = gpumemprof_interpreted_line("f", "a.py", 11);
  g_20 = gpumemprof_interpreted_line("g", "a.py", 20);
  CHECK(f && g && f_10 != f_11 && f_10 == gpumemprof_interpreted_line("f", "a.py", 10));
  own_peaks_are_those_of_functions_and_lines();
  a_line_ends_before_a_block_of_the_next_one();
  a_measured_block_stays_when_functions_in_it_change();
  what_ended_with_its_block_is_pushed_once_more();
  a_compiled_function_that_runs_is_never_ended();
  the_interpreter_is_asked_before_events_and_dropped_at_its_end();
  what_was_known_is_dropped_without_an_answer();
  a_thread_without_code_is_not_asked();
  another_interpreter_is_not_asked();
  return 0;
}
