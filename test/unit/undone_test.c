/* undone_test.c - what a failed free undoes, what the end of a block must not be taken for, and
 * which blocks are timed. No sum over lines shows errors in these figures. */
#include "base/state.h"
#include "core/entries.h"
#include "emit.h"
#include "gpumemprof/measure.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <pthread.h>

static struct test_site scope, line, other_line;

enum { ADDRESS = 1 << 30 };

static const struct gpumemprof_capture_cell *first_cell(void) {
  return test_record(GPUMEMPROF_CHUNK_CELLS, 0, 0);
}

/* The lifetime of a block counts once, when its free has succeeded. */
static void failed_free_takes_its_time_back(struct gpm_thread *self) {
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, 512, 512);
  const struct gpumemprof_capture_cell *c = first_cell();
  struct gpumemprof_capture_cell before = *c;
  test_free(self, ADDRESS);
  CHECK(c->timed_blocks == before.timed_blocks + 1 && c->temporary_blocks == 1);
  test_free_failed(self);
  CHECK(c->timed_blocks == before.timed_blocks && c->lifetime_ticks == before.lifetime_ticks);
  CHECK(c->temporary_blocks == 0 && c->lifetime_clock == before.lifetime_clock);
  test_free(self, ADDRESS);
  CHECK(c->temporary_blocks == 0 && c->timed_blocks == before.timed_blocks + 1);
}

/* A measured scope counts a block that stays live after a failed free neither twice nor as a new
 * one. */
static void failed_free_is_no_allocation(struct gpm_thread *self) {
  uint64_t measured = gpumemprof_scope_begin("measured");
  CHECK(measured);
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, 4096, 4096);
  test_free(self, ADDRESS);
  test_free_failed(self);
  struct gpumemprof_result r;
  CHECK(gpumemprof_scope_end(measured, &r));
  struct gpumemprof_amount created = r.created[GPUMEMPROF_KIND_DEVICE];
  struct gpumemprof_amount ended = r.ended[GPUMEMPROF_KIND_DEVICE];
  CHECK(created.bytes == 4096 && created.blocks == 1 && !ended.bytes && !ended.blocks);
  CHECK(r.allocated == 4096 && !r.freed);
  CHECK(r.net == 4096 && r.own_peak == 4096);
  test_free(self, ADDRESS);
}

/* repeats.c times no blocks, so it starts after the first blocks of a line, which are always
 * timed. */
static void first_blocks_of_a_line_are_all_timed(struct gpm_thread *self) {
  struct gpumemprof_frame *f = gpm_thread_top();
  const void *before = f->call;
  f->call = &other_line.site;
  long repeats_before = test_repeat;
  uint64_t number = test_record_count(GPUMEMPROF_CHUNK_CELLS, 0);
  for (unsigned i = 1; i <= GPM_TIMED_ALWAYS; i++) { /* where no block was timed before */
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS + i * 512, 256, 256);
    test_free(self, ADDRESS + i * 512);
  }
  const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, number);
  CHECK(c->allocated.blocks == GPM_TIMED_ALWAYS && c->timed_blocks == GPM_TIMED_ALWAYS);
  CHECK(test_repeat == repeats_before);
  for (unsigned i = 0; i < 1000; i++) {
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, 256, 256);
    test_free(self, ADDRESS);
  }
  CHECK(test_repeat > repeats_before);
  uint64_t drawn = c->timed_blocks - GPM_TIMED_ALWAYS; /* then one in 64 */
  CHECK(drawn > 5 && drawn < 40);
  f->call = before;
}

/* A block is temporary if its own thread made no event in between; a block of another thread at the
 * same address is not. repeats.c makes the free before it. */
static void *allocates(void *data) {
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, 512, 512);
  test_pop(f);
  return data;
}

static void block_of_another_thread_is_not_temporary(struct gpm_thread *self) {
  const struct gpumemprof_capture_cell *c = first_cell();
  for (int i = 0; i < 200; i++) {
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, 512, 512);
    test_free(self, ADDRESS);
  }
  long before_it;
  do { /* until both are made by repeats.c */
    before_it = test_repeat;
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, 512, 512);
    test_free(self, ADDRESS);
  } while (test_repeat != before_it + 2);
  CHECK(test_repeat > 100);
  uint64_t before = c->temporary_blocks;
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, allocates, NULL));
  pthread_join(id, NULL);
  test_free(self, ADDRESS);
  CHECK(c->temporary_blocks == before);
}

int main(void) {
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "work", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "work", "p");
  test_site_set(&other_line, GPUMEMPROF_SITE_CALL, "a.c", 3, "work", "q");
  CHECK(gpm_recording());
  gpm_cuda_one_device = true;
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  failed_free_takes_its_time_back(self);
  first_blocks_of_a_line_are_all_timed(self);
  block_of_another_thread_is_not_temporary(self);
  failed_free_is_no_allocation(self);
  test_pop(f);
  return 0;
}
