/* taps_none.c - replaces every room above the core, so that tests of locks, tables, call paths and
 * the ledger link those rooms and nothing else.
 *
 * Each call of base/taps.h does nothing here, except for the start, which opens a capture and its
 * tables, as process.c does for a program. A new tap needs a line here. */
#include "base/barrier.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/text.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "capture/owner.h"
#include "core/history.h"
#include "options/options.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <stddef.h>
#include <string.h>

/* Shows the next run of the test that this one no longer writes the file. */
static void say_whose_it_is(struct gpumemprof_capture_header *h) {
  h->pid = gpm_getpid();
  h->pid_start = gpm_owner_process_start(h->pid);
  gpm_owner_boot_id(h->boot_id, sizeof h->boot_id);
  gpm_gethostname(h->host, sizeof h->host - 1);
}

static bool open_capture(void) {
  char path[GPM_PATH_MAX], error[512];
  gpm_options_output(path, sizeof path, "host", 1);
  if (!gpm_capture_open(path, error, sizeof error)) return false;
  gpm_history_start();
  if (!gpm_blocks_start() || !gpm_tree_start() || !gpm_ledger_start()) return false;
  gpm_capture->first_ticks = gpm_capture->last_ticks = gpm_ticks();
  gpm_capture->first_ns = gpm_capture->last_ns = gpm_ticks_monotonic_ns();
  say_whose_it_is(gpm_capture);
  gpm_capture_publish();
  return true;
}

void gpm_process_start(void) {
  int expected = GPM_UNSTARTED;
  sigset_t held;
  gpm_signals_hold(&held);
  if (atomic_compare_exchange_strong(&gpm_own.state, &expected, GPM_STARTING)) {
    gpm_text_start();
    gpm_options_read();
    gpm_threads_start();
    gpm_ticks_start();
    bool recording = open_capture();
    if (recording) gpm_barrier_start();
    atomic_store(&gpm_own.state, recording ? GPM_RECORDING : GPM_OFF);
  }
  while (atomic_load(&gpm_own.state) == GPM_STARTING) continue;
  gpm_signals_let_come(&held);
}

void gpm_process_stop(const char *why) {
  int expected = GPM_RECORDING;
  if (!atomic_compare_exchange_strong(&gpm_own.state, &expected, GPM_OFF)) return;
  gpm_text_add(gpm_capture->stop_reason, sizeof gpm_capture->stop_reason, 0, why);
  __atomic_fetch_or(&gpm_capture->flags, GPUMEMPROF_CAPTURE_STOPPED, __ATOMIC_RELEASE);
}

void gpm_process_thread_made(struct gpm_thread *thread) {
  (void)thread;
}
void gpm_nvtx_emit_switched(const struct gpm_thread *from, const struct gpm_thread *to) {
  (void)from, (void)to;
}
void gpm_observers_deliver(struct gpm_thread *thread) {
  (void)thread;
}
void gpm_cuda_describe(int ordinal, struct gpumemprof_capture_device *record) {
  (void)ordinal, (void)record;
}
void gpm_statics_place(struct gpm_thread *thread, struct gpm_device *device) {
  (void)thread, (void)device;
}
bool gpm_measures_watch(int ordinal) {
  return (void)ordinal, false;
}
void gpm_budgets_node(struct gpm_node *node, const struct gpumemprof_capture_site *site) {
  (void)node, (void)site;
}
bool gpm_budgets_guard(const struct gpm_node *node, uint16_t kind) {
  return (void)node, (void)kind, false;
}
void gpm_budgets_cell(const struct gpm_node *node, uint16_t kind) {
  (void)node, (void)kind;
}
bool gpm_schedule_marks(const struct gpumemprof_capture_site *scope) {
  return (void)scope, false;
}
void gpm_native_update(struct gpm_thread *thread, uintptr_t below) {
  (void)thread, (void)below;
}
const char *gpm_native_machine_stack(void) {
  return NULL;
}
void gpm_guards_opened(struct gpm_thread *thread) {
  (void)thread;
}
void gpm_budgets_ended(struct gpm_thread *thread, const struct gpm_node *node,
                       const struct gpumemprof_capture_activation *ended) {
  (void)thread, (void)node, (void)ended;
}
uint64_t gpm_measures_ended(struct gpm_thread *thread, const struct gpm_open *open) {
  return (void)thread, (void)open, 0;
}
void gpm_nvtx_emit_opened(const struct gpm_open *open) {
  (void)open;
}
void gpm_nvtx_emit_ended(void) {}
void gpm_schedule_entered(struct gpm_thread *thread) {
  (void)thread;
}
void gpm_measures_count(struct gpm_thread *thread, const struct gpm_moved *moved) {
  (void)thread, (void)moved;
}
void gpm_measures_count_for(const struct gpm_open *open, const struct gpm_moved *moved) {
  (void)open, (void)moved;
}
void gpm_measures_rose(struct gpm_device *device, uint64_t clock) {
  (void)device, (void)clock;
}
bool gpm_guards_allocated(struct gpm_thread *thread, uint64_t address, uint64_t bytes) {
  return (void)thread, (void)address, (void)bytes, false;
}
void gpm_guards_freed(struct gpm_thread *thread, uint64_t address, uint64_t bytes) {
  (void)thread, (void)address, (void)bytes;
}
void gpm_guards_free_failed(struct gpm_thread *thread, uint64_t address, uint64_t bytes) {
  (void)thread, (void)address, (void)bytes;
}
void gpm_observers_allocated(struct gpm_thread *thread, const struct gpm_cell *cell,
                             uint64_t address, const struct gpm_block *block, uint64_t requested) {
  (void)thread, (void)cell, (void)address, (void)block, (void)requested;
}
void gpm_observers_freed(struct gpm_thread *thread, const struct gpm_pair *pair, uint64_t address,
                         const struct gpm_block *block, uint64_t clock) {
  (void)thread, (void)pair, (void)address, (void)block, (void)clock;
}
void gpm_observers_free_failed(struct gpm_thread *thread, const struct gpm_pair *pair,
                               uint64_t address, const struct gpm_block *block, uint64_t clock,
                               int result) {
  (void)thread, (void)pair, (void)address, (void)block, (void)clock, (void)result;
}
void gpm_pages_allocated(const struct gpm_cell *cell, uint64_t address, uint64_t bytes) {
  (void)cell, (void)address, (void)bytes;
}
void gpm_thresholds_fell(struct gpm_device *device) {
  (void)device;
}
struct gpm_node *gpm_pause_line(void) {
  return NULL;
}
void gpm_custom_segment_freed(struct gpm_thread *thread, uint64_t address) {
  (void)thread, (void)address;
}
