/* named_blocks_test.c - a block that gets its name after its allocation: every sum of both cells is
 * as if it had been allocated under the name. */
#include "base/state.h"
#include "core/entries.h"
#include "emit.h"
#include "gpumemprof/control.h"
#include "records/cells.h"
#include "records/labels.h"

#include <pthread.h>

static struct test_site scope, line;

enum { ADDRESS = 1 << 30, BYTES = 4096 };

static struct gpumemprof_capture_cell *cell_of(uint64_t address) {
  struct gpm_block *block = gpm_blocks_find(address);
  CHECK(block);
  return atomic_load(&block->cell)->record;
}

static uint64_t at_peak(const struct gpumemprof_capture_cell *c) {
  uint64_t epoch = gpm_ledger_device(0)->record->peak_epoch;
  return c->peak_epoch == epoch ? c->at_peak.bytes : c->allocated.bytes - c->freed.bytes;
}

static void name_block(struct gpm_thread *self, uint64_t address, const char *name) {
  gpm_set_busy(self, true);
  gpm_ledger_named(address, name);
  gpm_set_busy(self, false);
}

static void peak_that_the_block_made(struct gpm_thread *self) {
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, BYTES, BYTES - 96);
  struct gpumemprof_capture_cell *before = cell_of(ADDRESS);
  name_block(self, ADDRESS, "view");
  struct gpumemprof_capture_cell *c = cell_of(ADDRESS);
  CHECK(c != before && c->node == before->node && c->label != before->label);
  CHECK(c->allocated.bytes == BYTES && c->allocated.blocks == 1 && !before->allocated.blocks);
  CHECK(c->padding == 96 && !before->padding && c->min_size == BYTES && c->max_size == BYTES);
  CHECK(before->min_size == UINT64_MAX && !before->max_size);
  CHECK(at_peak(c) == BYTES && !at_peak(before));
  CHECK(gpm_ledger_device(0)->record->total == BYTES);
  test_free(self, ADDRESS);
  CHECK(c->freed.bytes == BYTES && c->temporary_blocks == 1 && !before->freed.blocks);
  CHECK(at_peak(c) == BYTES && !at_peak(before));
}

/* The peak was before the block; other blocks were named before and after it. */
static void peak_without_the_block(struct gpm_thread *self) {
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, 3 * BYTES, 3 * BYTES);
  name_block(self, ADDRESS, "large");
  struct gpumemprof_capture_cell *large = cell_of(ADDRESS);
  test_free(self, ADDRESS);
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, BYTES, BYTES);
  struct gpumemprof_capture_cell *before = cell_of(ADDRESS);
  name_block(self, ADDRESS, "small");
  struct gpumemprof_capture_cell *small = cell_of(ADDRESS);
  CHECK(at_peak(large) == 3 * BYTES && !at_peak(small) && !at_peak(before));
  test_free(self, ADDRESS);
  CHECK(at_peak(large) == 3 * BYTES && !at_peak(small) && !at_peak(before));
}

static void first_name_stays(struct gpm_thread *self) {
  CHECK(gpumemprof_label_push("outer") == 1);
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, ADDRESS, BYTES, BYTES);
  CHECK(gpumemprof_label_pop() == 0);
  name_block(self, ADDRESS, "a");
  name_block(self, ADDRESS, "b");
  struct gpm_block *block = gpm_blocks_find(ADDRESS);
  const char *text = gpm_labels_text(atomic_load(&block->cell)->label);
  CHECK(!strcmp(text, "outer/a"));
  test_free(self, ADDRESS);
}

static void address_without_a_block_changes_nothing(struct gpm_thread *self) {
  uint64_t cells = test_record_count(GPUMEMPROF_CHUNK_CELLS, 0);
  name_block(self, ADDRESS, "gone");
  name_block(self, 0, "null");
  name_block(self, ADDRESS + 100, "odd");
  CHECK(test_record_count(GPUMEMPROF_CHUNK_CELLS, 0) == cells);
}

/* Threads that name blocks of one line, while others raise peaks: sums stay sums. */
enum { THREADS = 4, ROUNDS = 20000 };
static void *names_many(void *data) {
  CHECK(gpm_recording());
  struct gpm_thread *self = gpm_thread_self();
  uint64_t number = (uint64_t)(uintptr_t)data, base = ADDRESS + (number << 24);
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  for (uint64_t i = 0; i < ROUNDS; i++) {
    uint64_t address = base + i % 8 * 4096, bytes = (1 + (i * 7 + number) % 8) * 512;
    if (i >= 8) test_free(self, address);
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, address, bytes, bytes);
    name_block(self, address, i % 3 ? "one" : "other");
  }
  for (uint64_t i = 0; i < 8; i++) test_free(self, base + i * 4096);
  test_pop(f);
  return NULL;
}

static void threads_at_once(void) {
  pthread_t id[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK(!pthread_create(&id[i], NULL, names_many, (void *)i));
  for (unsigned i = 0; i < THREADS; i++) pthread_join(id[i], NULL);
  uint64_t allocated = 0, peak = 0;
  for (uint64_t i = 0; i < test_record_count(GPUMEMPROF_CHUNK_CELLS, 0); i++) {
    const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, i);
    CHECK(c->allocated.bytes == c->freed.bytes && c->allocated.blocks == c->freed.blocks);
    CHECK(c->label || !c->allocated.blocks);
    allocated += c->allocated.blocks;
    peak += at_peak(c);
  }
  CHECK(allocated >= THREADS * ROUNDS && peak == gpm_ledger_device(0)->record->peak);
}

int main(void) {
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "f", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "f", "");
  CHECK(gpm_recording());
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  peak_that_the_block_made(self);
  peak_without_the_block(self);
  first_name_stays(self);
  address_without_a_block_changes_nothing(self);
  test_pop(f);
  threads_at_once();
  CHECK(!gpumemprof_history("all"));
  threads_at_once();
  CHECK(test_record_count(GPUMEMPROF_CHUNK_NAMED, 0) == THREADS * ROUNDS);
  return 0;
}
