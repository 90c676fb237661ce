/* taps.h - every call that a lower room makes to a higher one.
 *
 * A room uses only rooms below it (rooms.txt), but events also concern rooms above, for example
 * when a scope with a budget ends, or when a block is freed that the program observes. The
 * functions that lower rooms call there are declared here and nowhere else, and the linker resolves
 * them: the runtime is one translation unit, so such a call costs no more than any other, and many
 * are inlined. A function pointer would cost a load and an indirect call in each event. Unit tests
 * of the lower rooms link stand-ins that do nothing (test/unit/taps_none.c).
 * docs/decisions/11-runtime-rooms.md has the reasons.
 *
 * Each section names the room that calls; the comment of each function names the file that defines
 * it.
 */
#ifndef GPM_TAPS_H
#define GPM_TAPS_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_asked;
struct gpm_block;
struct gpm_cell;
struct gpm_device;
struct gpm_found_function;
struct gpm_node;
struct gpm_open;
struct gpm_pair;
struct gpm_thread;
struct gpumemprof_capture_activation;
struct gpumemprof_capture_device;
struct gpumemprof_capture_site;

/* ---- base, and code that reads the state --------------------------------------------------------
 */
/* process.c: idempotent; any thread; returns when recording or off. */
GPM_COLD void gpm_process_start(void);
/* process.c: stops recording; the capture stays. why: a sentence for the message. */
GPM_COLD void gpm_process_stop(const char *why);

/* ---- threads ------------------------------------------------------------------------------------
 */
/* process.c: a thread has got its record and is not busy. Starts what is done once per program. */
GPM_COLD void gpm_process_thread_made(struct gpm_thread *thread);
void gpm_thread_end_scopes(struct gpm_thread *thread); /* open_frames.c: all that are open */
/* ended_frames.c: counts the activations that have ended; `has_ended` is set. */
GPM_NOINLINE void gpm_thread_count_ended(struct gpm_thread *thread);
void gpm_labels_end(struct gpm_thread *thread); /* labels.c: all that are open */
/* nvtx_emit.c: the calling thread continues with another stack; either may be null. */
void gpm_nvtx_emit_switched(const struct gpm_thread *from, const struct gpm_thread *to);
/* observers.c: calls the program for what happened in an event; the thread is not busy. */
GPM_COLD void gpm_observers_deliver(struct gpm_thread *thread);

/* ---- records ------------------------------------------------------------------------------------
 */
/* cuda_query.c: the name and the memory of a device that is seen for the first time. */
void gpm_cuda_describe(int ordinal, struct gpumemprof_capture_device *record);
/* statics.c: called when the device is seen for the first time. */
void gpm_statics_place(struct gpm_thread *thread, struct gpm_device *device);
/* measures.c: called when the device is seen for the first time; returns whether an open scope
 * wants its peak. */
bool gpm_measures_watch(int ordinal);
/* budgets.c: a node was made and gets its budget. Under gpm_tree_lock. */
void gpm_budgets_node(struct gpm_node *node, const struct gpumemprof_capture_site *site);
/* budgets.c: whether guards.c follows the blocks of a cell of that node. */
bool gpm_budgets_guard(const struct gpm_node *node, uint16_t kind);
/* budgets.c: a cell was made below a scope with a budget, so something is allocated there. */
void gpm_budgets_cell(const struct gpm_node *node, uint16_t kind);
/* schedule.c: returns whether each entry of the scope is a step (step=). Under gpm_tree_lock. */
bool gpm_schedule_marks(const struct gpumemprof_capture_site *scope);
/* verify_paths.c: the machine stack as capture.h has it in `machine_stack`, or null. Under
 * gpm_tree_lock.
 */
const char *gpm_native_machine_stack(void);

/* ---- core: activations --------------------------------------------------------------------------
 */
/* native_scopes.c: brings the native frames of the thread up to date and opens them; below: those
 * of functions that called the one with this stack pointer, 0: of all. Without stacks=native there
 * are none. The thread is busy, and no frame of compiled code is open in it. */
GPM_COLD void gpm_native_update(struct gpm_thread *thread, uintptr_t below);
/* guards.c: the thread's latest activation is of a scope with a budget. */
GPM_COLD void gpm_guards_opened(struct gpm_thread *thread);
/* budgets.c: an activation with JUDGED ended; it is still the thread's latest. */
GPM_COLD void gpm_budgets_ended(struct gpm_thread *thread, const struct gpm_node *node,
                                const struct gpumemprof_capture_activation *ended);
/* measures.c: a measured scope ends. Returns the ticks that it lasted. */
uint64_t gpm_measures_ended(struct gpm_thread *thread, const struct gpm_open *open);
/* nvtx_emit.c: an activation marked EMITTED, after it opened and when it ends; by its thread. */
void gpm_nvtx_emit_opened(const struct gpm_open *open);
void gpm_nvtx_emit_ended(void);
/* schedule.c: a scope is entered whose entries are steps. The thread is busy. */
GPM_COLD void gpm_schedule_entered(struct gpm_thread *thread);

/* ---- core: events -------------------------------------------------------------------------------
 */
enum gpm_change { GPM_CHANGE_CREATED, GPM_CHANGE_ENDED, GPM_CHANGE_TAKEN_BACK };
struct gpm_moved {
  enum gpm_change change;
  uint16_t kind;
  uint64_t bytes;
  uint64_t device_bytes; /* the part of them that is memory of a CUDA device */
};
/* measures.c: the thread moved memory, and thread->measuring is not 0. */
GPM_COLD void gpm_measures_count(struct gpm_thread *thread, const struct gpm_moved *moved);
/* measures.c: the same for a measured scope of another thread. Under contexts_lock. */
void gpm_measures_count_for(const struct gpm_open *open, const struct gpm_moved *moved);
/* measures.c: the device's total is above device->watched_above. Under its lock. */
GPM_COLD void gpm_measures_rose(struct gpm_device *device, uint64_t clock);
/* guards.c: a block of a guarded cell; false: no NO_LEAK scope that is still open is around it. */
GPM_COLD bool gpm_guards_allocated(struct gpm_thread *thread, uint64_t address, uint64_t bytes);
GPM_COLD void gpm_guards_freed(struct gpm_thread *thread, uint64_t address, uint64_t bytes);
/* guards.c: the thread's latest free of such a block failed. */
GPM_COLD void gpm_guards_free_failed(struct gpm_thread *thread, uint64_t address, uint64_t bytes);
/* observers.c: these three are called under the lock of the device, while there are observers
 * (observing.h). */
GPM_COLD void gpm_observers_allocated(struct gpm_thread *thread, const struct gpm_cell *cell,
                                      uint64_t address, const struct gpm_block *block,
                                      uint64_t requested);
GPM_COLD void gpm_observers_freed(struct gpm_thread *thread, const struct gpm_pair *pair,
                                  uint64_t address, const struct gpm_block *block, uint64_t clock);
GPM_COLD void gpm_observers_free_failed(struct gpm_thread *thread, const struct gpm_pair *pair,
                                        uint64_t address, const struct gpm_block *block,
                                        uint64_t clock, int result);
/* pages.c: a block was added to the history. */
GPM_COLD void gpm_pages_allocated(const struct gpm_cell *cell, uint64_t address, uint64_t bytes);
/* thresholds.c: the device's total fell. Under its lock. */
GPM_COLD void gpm_thresholds_fell(struct gpm_device *device);
/* pause.c: the node of the line that events are charged to while recording is paused; null: no
 * room. */
struct gpm_node *gpm_pause_line(void);
/* custom.c: the pieces in a segment end with it. The thread is busy, and holds no lock. */
GPM_COLD void gpm_custom_segment_freed(struct gpm_thread *thread, uint64_t address);

/* ---- cuda ---------------------------------------------------------------------------------------
 */
/* pages.c: the block is about to be freed, by a thread that is busy. */
GPM_COLD void gpm_pages_freeing(uint64_t address);
/* pages.c: the context is about to end; what goes with it is freed by the function above first. */
GPM_COLD void gpm_pages_context_ends(const void *context);
/* found_uses.c: functions that are replaced besides those that allocate; none without uses. */
const struct gpm_found_function *gpm_uses_found(uint32_t *count);
/* found_uses.c: the program found this function by name, and gets no other for it. */
void gpm_uses_not_wrapped(const char *name, const void *function);
/* other_uses.c: a stream begins to be captured, and a capture ends. */
GPM_COLD void gpm_uses_capture_begins(void);
GPM_COLD void gpm_uses_capture_ends(void);
/* other_uses.c: a node was added that neither allocates nor frees. */
GPM_COLD void gpm_uses_node_added(void);
/* observers.c: the free that gpm_event_free began has succeeded. */
GPM_COLD void gpm_observers_free_succeeded(struct gpm_thread *thread, uint64_t key);
/* callbacks.c: memory was requested that is not allocated yet, or could not be allocated; node:
 * null where the line is not known. */
GPM_COLD void gpm_callbacks_requested(struct gpm_thread *thread, const struct gpm_node *node,
                                      uint16_t kind, uint64_t requested);
GPM_COLD void gpm_callbacks_failed(struct gpm_thread *thread, const struct gpm_node *node,
                                   uint16_t kind, uint64_t requested, int result);
/* callbacks.c: a pool took memory from its device. */
GPM_COLD void gpm_callbacks_acquired(const struct gpm_device *device, uint16_t kind,
                                     uint64_t handle, uint64_t bytes);
/* oom.c: a call failed because memory ran out. node: of the calling line. The thread is busy now,
 * and gpm_driver was called before it was. */
GPM_COLD void gpm_oom_happened(struct gpm_thread *thread, const struct gpm_node *node,
                               const struct gpm_asked *request);
/* helper.c: the first device was seen. Starts the helper if a task needs it. Any thread. */
void gpm_helper_device_seen(void);
void gpm_helper_stop(void); /* helper.c: returns when it has ended, or after a second */

#endif /* GPM_TAPS_H */
