/* first_block_test.c - a measured scope begins on one thread while another one allocates the first
 * block of the device: the scope sees the device's peak, whichever comes first. */
#include "base/state.h"
#include "emit.h"
#include "gpumemprof/measure.h"

#include <pthread.h>

enum { DEVICES = 250, BYTES = 4096 };

static pthread_barrier_t at_once;

static uint64_t address_of(int ordinal, int block) {
  return ((uint64_t)ordinal << 24) + (uint64_t)block * BYTES;
}

static void *allocate_first_blocks(void *none) {
  CHECK(gpm_recording());
  struct gpm_thread *self = gpm_thread_self();
  for (int i = 0; i < DEVICES; i++) {
    pthread_barrier_wait(&at_once);
    test_allocate(self, i, GPUMEMPROF_KIND_DEVICE, address_of(i, 0), BYTES, BYTES);
    pthread_barrier_wait(&at_once);
  }
  return none;
}

/* The first device is that of a scope which names none. */
static void measure(struct gpm_thread *self, int ordinal) {
  int named = ordinal ? ordinal : GPUMEMPROF_NO_DEVICE;
  struct gpumemprof_result r;
  pthread_barrier_wait(&at_once);
  for (volatile int i = 0; i < ordinal % 50 * 20; i++) continue; /* at different moments */
  uint64_t scope = gpumemprof_scope_open("first", "a.c", "f", 1, named, 0);
  pthread_barrier_wait(&at_once);
  test_allocate(self, ordinal, GPUMEMPROF_KIND_DEVICE, address_of(ordinal, 1), BYTES, BYTES);
  test_free(self, address_of(ordinal, 1));
  CHECK(gpumemprof_scope_end(scope, &r));
  CHECK(r.device_peak == 2 * BYTES && r.peak.device == ordinal && r.own_peak == BYTES);
  CHECK(r.before.acquired == 0 || r.before.acquired == BYTES);
}

int main(void) {
  pthread_t other;
  CHECK(gpm_recording());
  CHECK(!pthread_barrier_init(&at_once, NULL, 2));
  CHECK(!pthread_create(&other, NULL, allocate_first_blocks, NULL));
  for (int i = 0; i < DEVICES; i++) measure(gpm_thread_self(), i);
  pthread_join(other, NULL);
  return 0;
}
