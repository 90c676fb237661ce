/* shadow_stack_test.c - frames beyond the stack, frames jumped over, threads that end, blocks,
 * profiled calls. */
#include "base/state.h"
#include "capture/capture.h"
#include "core/shadow_stack.h"
#include "emit.h"
#include "records/call_tree.h"
#include "threads/threads.h"

#include <pthread.h>
#include <signal.h>

static int open_count(void) {
  int count = 0;
  for (const struct gpm_open *open = gpm_thread_self()->latest; open->frame; open--) count++;
  return count;
}

static struct test_site f, g, h, f_call, g_call, h_call;
static struct gpumemprof_block_site block = {
    GPUMEMPROF_SITE_BLOCK, GPUMEMPROF_SITE_PROFILED, 7, "load", "a.c", "f", ""};

static uint64_t counter(enum gpumemprof_counter c) {
  return gpm_capture->counters[c];
}

/* Writes a node's calls and scopes as "f:10 g:20", outermost first. */
static const char *path_of(const struct gpm_node *node) {
  static char text[512];
  uint32_t chain[32];
  int n = 0;
  const struct gpumemprof_capture_node *r = node->record;
  for (; r->site != GPUMEMPROF_NONE; r = test_record(GPUMEMPROF_CHUNK_NODES, 0, r->parent))
    chain[n++] = r->site;
  text[0] = 0;
  while (n--) {
    const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, chain[n]);
    const char *strings = test_record(GPUMEMPROF_CHUNK_STRINGS, 0, 0);
    const char *name = s->kind == GPUMEMPROF_SITE_CALL    ? ""
                       : s->kind == GPUMEMPROF_SITE_BLOCK ? strings + s->name
                       : s->kind                          ? strings + s->function
                                                          : "?";
    size_t at = strlen(text);
    if (s->kind == GPUMEMPROF_SITE_CALL) snprintf(text + at, sizeof text - at, ":%u", s->line);
    else snprintf(text + at, sizeof text - at, "%s%s", at && *name != '?' ? " " : "", name);
  }
  return text;
}

#define CHECK_PATH(expected) CHECK(!strcmp(path_of(gpm_thread_line(gpm_thread_self())), expected))

static struct gpumemprof_frame *call(struct test_site *scope, struct test_site *site,
                                     uintptr_t stack) {
  struct gpumemprof_frame *frame = test_push(&scope->site, stack);
  frame->call = &site->site;
  return frame;
}

static void event_without_frames_is_charged_to_unknown(void) {
  CHECK_PATH("?");
  test_release(test_allocate_next(100));
}

static void path_alternates_scopes_and_calls(void) {
  struct gpumemprof_frame *a = call(&f, &f_call, 0), *b = call(&g, &g_call, 0);
  CHECK_PATH("f:10 g:20");
  test_pop(b);
  CHECK_PATH("f:10");
  test_pop(a);
}

static void block_shares_its_functions_call(void) {
  struct gpumemprof_frame *a = call(&f, &f_call, 0);
  struct gpumemprof_frame *scope = __gpumemprof_block_enter(&block);
  CHECK_PATH("f load:10");
  struct gpumemprof_frame *b = call(&g, &g_call, 0);
  CHECK_PATH("f load:10 g:20");
  test_pop(b);
  __gpumemprof_block_exit(scope);
  CHECK(__gpumemprof_stack.top == a + 1);
  test_pop(a);
}

static void profiled_scope_counts_every_call(void) {
  for (int i = 0; i < 3; i++) {
    struct gpumemprof_frame *a = call(&h, &h_call, 0);
    __gpumemprof_profile_enter(a);
    if (i == 1) test_release(test_allocate_next(64));
    test_pop(a);
  }
  const struct gpumemprof_capture_node *n = gpm_tree_child(gpm_tree_root(), &h.site)->record;
  CHECK(n->calls == 3 && n->active_calls == 1 && n->own_peak_max == 64 && n->own_peak_sum == 64);
}

static void frames_beyond_the_stack_are_charged_to_the_deepest(void) {
  static struct gpumemprof_frame *frames[100];
  uint64_t before = counter(GPUMEMPROF_COUNTER_frames_beyond_stack);
  frames[0] = call(&f, &f_call, 0);
  for (int i = 1; i < 64; i++) frames[i] = call(&g, &g_call, 0);
  CHECK(counter(GPUMEMPROF_COUNTER_frames_beyond_stack) == before);
  struct gpm_node *deepest = gpm_thread_line(gpm_thread_self());
  for (int i = 64; i < 100; i++) frames[i] = call(&h, &h_call, 0);
  CHECK(counter(GPUMEMPROF_COUNTER_frames_beyond_stack) == before + 36);
  CHECK(frames[64] == frames[99] && frames[64] == gpm_thread_self()->limit);
  CHECK(gpm_thread_line(gpm_thread_self()) == deepest);
  for (int i = 99; i >= 0; i--) test_pop(frames[i]);
  CHECK(open_count() == 0);
}

static void unwind_ends_what_was_jumped_over(void) {
  struct gpumemprof_frame *a = call(&f, &f_call, 0), *b = call(&g, &g_call, 0);
  call(&h, &h_call, 0);
  uint64_t p = test_allocate_next(1000);
  __gpumemprof_unwind(b);
  CHECK(__gpumemprof_stack.top == b + 1 && open_count() == 2);
  CHECK_PATH("f:10 g:20");
  test_release(p);
  test_pop(b);
  test_pop(a);
  CHECK(gpm_tree_child(gpm_tree_root(), &f.site)->record->own_peak_max >= 1000);
}

/* A catcher that was not rebuilt leaves the thrower's frame on the stack; its machine frame is
 * gone. */
static void stale_frames_are_dropped_by_their_stack_address(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  uint64_t before = counter(GPUMEMPROF_COUNTER_stale_frames);
  struct gpumemprof_frame *a = call(&f, &f_call, here + 4096);
  call(&h, &h_call, here - 100000);                            /* thrown out of */
  struct gpumemprof_frame *b = call(&g, &g_call, here + 2048); /* called after the catch */
  CHECK_PATH("f:10 g:20");
  CHECK(counter(GPUMEMPROF_COUNTER_stale_frames) == before + 1);
  test_pop(b);
  test_pop(a);
}

/* A handler runs before the first call of the interrupted activation, so the call that an earlier
 * activation left in the frame's slot is not its line. */
static void call_left_by_an_earlier_activation_is_no_line(void) {
  uint64_t before = counter(GPUMEMPROF_COUNTER_interrupted_calls);
  struct gpumemprof_frame *a = call(&f, &f_call, 0);
  test_pop(call(&g, &g_call, 0));
  struct gpumemprof_frame *b = test_push(&h.site, 0); /* g's call is still there */
  CHECK(b->call == &g_call.site);
  struct gpumemprof_frame *handler = call(&g, &g_call, 0);
  CHECK_PATH("f:10 h? g:20");
  test_release(test_allocate_next(100));
  CHECK(counter(GPUMEMPROF_COUNTER_interrupted_calls) > before);
  test_pop(handler);
  b->call = &h_call.site;
  CHECK_PATH("f:10 h:30");
  test_pop(b);
  test_pop(a);
}

static struct gpumemprof_frame *interrupted;
static uint64_t stale_before;

static void on_alternate_stack(int signal) {
  (void)signal;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  CHECK(here > interrupted->stack && here - interrupted->stack < 1 << 20);
  struct gpumemprof_frame *handler = call(&g, &g_call, here);
  CHECK_PATH("f:10 g:20");
  CHECK(counter(GPUMEMPROF_COUNTER_stale_frames) == stale_before);
  test_pop(handler);
}

/* A signal stack right above the thread's: the interrupted frames lie below it and are live. */
static void frames_below_an_alternate_stack_are_live(void) {
  static char both[512 << 10];
  stack_t alternate = {.ss_sp = both + (256 << 10), .ss_size = 256 << 10}, old;
  struct sigaction action = {.sa_handler = on_alternate_stack, .sa_flags = SA_ONSTACK};
  CHECK(!sigaltstack(&alternate, &old) && !sigaction(SIGUSR1, &action, NULL));
  stale_before = counter(GPUMEMPROF_COUNTER_stale_frames);
  interrupted = call(&f, &f_call, (uintptr_t)both + 4096);
  raise(SIGUSR1);
  test_pop(interrupted);
  sigaltstack(&old, NULL);
}

/* Interrupted inside the runtime, at any point of opening or ending an activation. */
static void longjmp_out_of_the_runtime_brings_the_thread_back(void) {
  for (int opened = 0; opened < 3; opened++) {
    uint64_t before = counter(GPUMEMPROF_COUNTER_events_not_stored);
    struct gpumemprof_frame *a = call(&f, &f_call, 0), *b = call(&g, &g_call, 0);
    uint64_t p = test_allocate_next(1000);
    struct gpm_thread *thread = gpm_thread_self();
    gpm_set_busy(thread, true);
    if (opened == 1) b->active = b->node = b->cell = NULL; /* not yet popped */
    if (opened == 2) thread->latest--;                     /* popped, not yet cleared */
    struct gpumemprof_frame *handler = call(&h, &h_call, 0);
    __gpumemprof_unwind(handler); /* its own catch: the runtime is still interrupted */
    CHECK(gpm_busy(thread));
    __gpumemprof_unwind(a);
    CHECK(!gpm_busy(thread) && open_count() == 1 && !b->active && !b->node && !b->cell);
    CHECK(counter(GPUMEMPROF_COUNTER_events_not_stored) == before + 1);
    CHECK_PATH("f:10");
    test_release(p);
    test_pop(a);
    CHECK(open_count() == 0);
  }
}

/* A fiber that is resumed on another thread, unnoticed, leaves its frame as that thread's top. */
static struct gpumemprof_frame *anothers;
static void *thread_goes_on_in_anothers_frames(void *data) {
  static struct gpumemprof_frame *frames[200];
  uint64_t before = counter(GPUMEMPROF_COUNTER_stale_frames);
  struct gpumemprof_frame *mine = call(&f, &f_call, 0), *highest = gpm_thread_self()->limit;
  struct gpumemprof_frame *lowest = anothers < mine ? anothers : mine;
  __gpumemprof_stack.top = anothers;
  for (int i = 0; i < 200; i++) {
    frames[i] = call(&h, &h_call, 0);
    CHECK(frames[i] >= lowest && frames[i] <= highest);
  }
  __gpumemprof_stack.top = frames[2]; /* those above have returned */
  test_release(test_allocate_next(100));
  CHECK(counter(GPUMEMPROF_COUNTER_stale_frames) > before);
  test_pop(frames[1]);
  test_pop(frames[0]);
  test_release(test_allocate_next(100));
  test_pop(mine);
  return data;
}

static void frames_of_another_thread_are_never_left_for_foreign_memory(void) {
  anothers = call(&f, &f_call, 0);
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, thread_goes_on_in_anothers_frames, NULL));
  pthread_join(id, NULL);
  test_pop(anothers);
  CHECK(open_count() == 0);
}

void __gpumemprof_pre_cudaFree(void *p);
void __gpumemprof_post_cudaFree(void *p, int result);

/* Only the latest free can be undone. */
static void failed_free_is_counted_as_lost_when_a_handler_freed_meanwhile(void) {
  uint64_t a = test_allocate_next(512), b = test_allocate_next(512);
  uint64_t before = counter(GPUMEMPROF_COUNTER_events_not_stored);
  __gpumemprof_pre_cudaFree((void *)a);
  __gpumemprof_pre_cudaFree((void *)b); /* a handler's free, which succeeds */
  __gpumemprof_post_cudaFree((void *)a, 1);
  CHECK(counter(GPUMEMPROF_COUNTER_events_not_stored) == before + 1);
}

static void *thread_leaves_scopes_open(void *data) {
  (void)data;
  call(&f, &f_call, 0);
  call(&g, &g_call, 0);
  test_allocate_next(5000);
  return NULL; /* leaves both scopes as pthread_exit does */
}

static void a_threads_end_folds_its_scopes(void) {
  uint64_t before = gpm_tree_child(gpm_tree_root(), &f.site)->record->active_calls;
  uint32_t number = 0;
  for (int i = 0; i < 20; i++) {
    pthread_t id;
    CHECK(!pthread_create(&id, NULL, thread_leaves_scopes_open, &number));
    pthread_join(id, NULL);
  }
  const struct gpumemprof_capture_node *n = gpm_tree_child(gpm_tree_root(), &f.site)->record;
  CHECK(n->active_calls == before + 20 && n->own_peak_max >= 5000);
  CHECK(test_record_count(GPUMEMPROF_CHUNK_ACTIVATIONS, 2) == 0); /* numbers are reused */
}

int main(void) {
  test_site_set(&f, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "f", "");
  test_site_set(&g, GPUMEMPROF_SITE_FUNCTION, "a.c", 2, "g", "");
  test_site_set(&h, GPUMEMPROF_SITE_FUNCTION, "a.c", 3, "h", "");
  test_site_set(&f_call, GPUMEMPROF_SITE_CALL, "a.c", 10, "f", "");
  test_site_set(&g_call, GPUMEMPROF_SITE_CALL, "a.c", 20, "g", "");
  test_site_set(&h_call, GPUMEMPROF_SITE_CALL, "a.c", 30, "h", "");
  CHECK(gpm_recording());
  event_without_frames_is_charged_to_unknown();
  path_alternates_scopes_and_calls();
  block_shares_its_functions_call();
  profiled_scope_counts_every_call();
  frames_beyond_the_stack_are_charged_to_the_deepest();
  unwind_ends_what_was_jumped_over();
  stale_frames_are_dropped_by_their_stack_address();
  call_left_by_an_earlier_activation_is_no_line();
  frames_below_an_alternate_stack_are_live();
  longjmp_out_of_the_runtime_brings_the_thread_back();
  a_threads_end_folds_its_scopes();
  frames_of_another_thread_are_never_left_for_foreign_memory();
  failed_free_is_counted_as_lost_when_a_handler_freed_meanwhile();
  return 0;
}
