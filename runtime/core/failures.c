/* failures.c - a failed allocation: its line counts it, and nothing else changes. cuda_hooks.c
 * calls this after the failed call; if the device was out of memory, oom.c records what the device
 * reported.
 */
#include "capture/capture.h"
#include "core/charge.h"
#include "core/history.h"
#include "core/ledger.h"
#include "core/operands.h"
#include "records/call_tree.h"
#include "records/stale.h"
#include "threads/threads.h"

struct gpm_node *gpm_ledger_line(struct gpm_thread *thread) {
  return event_line(thread);
}

struct gpm_node *gpm_ledger_failed(struct gpm_thread *thread, uint64_t requested,
                                   bool out_of_memory) {
  struct gpm_node *node = event_line(thread);
  node = node ? gpm_stale_event(node) : NULL;
  if (!node) return NULL;
  if (gpm_has_operands(node)) gpm_operands_note(thread, node, requested);
  __atomic_add_fetch(&node->record->failed_calls, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&node->record->failed_bytes, requested, __ATOMIC_RELAXED);
  if (out_of_memory) __atomic_add_fetch(&node->record->oom_calls, 1, __ATOMIC_RELAXED);
  gpm_capture_count(GPUMEMPROF_COUNTER_failed_allocations);
  if (gpm_history_is_on()) {
    if (gpm_has_operands(node)) gpm_operands_event(thread, node);
    gpm_history_failed(thread, node->id, requested, out_of_memory);
  }
  return node;
}
