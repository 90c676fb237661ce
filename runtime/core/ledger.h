/* ledger.h - the events: what an allocation, a failure, a free and its roll-back change: see
 * ledger.c. The calling thread is busy. */
#ifndef GPM_LEDGER_H
#define GPM_LEDGER_H

#include "records/devices.h"

struct gpm_block;
struct gpm_thread;

void gpm_ledger_allocated(struct gpm_thread *thread, struct gpm_device *device, uint16_t kind,
                          uint64_t address, uint64_t bytes, uint64_t requested);
/* The node of the line that an event at this moment is charged to; null: no room. */
struct gpm_node *gpm_ledger_line(struct gpm_thread *thread);
/* Counts a failed allocation. Returns the node of the line that it is charged to; null: no room. */
struct gpm_node *gpm_ledger_failed(struct gpm_thread *thread, uint64_t requested,
                                   bool out_of_memory);
/* Call before CUDA frees the block. An unknown address is counted as an unknown free. */
void gpm_ledger_free(struct gpm_thread *thread, uint64_t address);
/* Call when CUDA's call failed: takes back the free that thread->pending describes. */
void gpm_ledger_free_failed(struct gpm_thread *thread, int result);
/* The begin and the end of a block that no call allocated: no scope counts it, and its free is
 * charged to the root. */
void gpm_ledger_placed(struct gpm_thread *thread, struct gpm_cell *cell, uint64_t address,
                       uint64_t bytes);
void gpm_ledger_unplaced(struct gpm_thread *thread, uint64_t address);
/* Puts the live block that starts there, if there is one, under the label of that name inside its
 * own: see named_blocks.c. Call before other threads can know the address. */
void gpm_ledger_named(uint64_t address, const char *name);
void gpm_named_blocks_start(void); /* with each capture */

/* The same for pieces of custom.c, whose blocks are its own; `key` stands for the address. False:
 * no room, and recording has stopped. A piece's free cannot fail. */
bool gpm_ledger_piece_allocated(struct gpm_thread *thread, struct gpm_device *device,
                                struct gpm_block *block, uint64_t key, uint64_t bytes);
void gpm_ledger_piece_freed(struct gpm_thread *thread, struct gpm_block *block, uint64_t key);
void gpm_ledger_piece_replaced(struct gpm_thread *thread, struct gpm_block *block, uint64_t key);
/* Marks the block, so that its free calls gpm_custom_segment_freed. */
void gpm_ledger_watch(struct gpm_block *block);

extern struct gpm_node *_Atomic gpm_pause_node; /* made by pause.c; null before the first pause */
/* Whether the line is that of pauses, whose events no scope counts. */
static inline bool gpm_is_paused(const struct gpm_node *line) {
  return GPM_UNLIKELY(atomic_load_explicit(&gpm_pause_node, memory_order_relaxed) == line);
}

#endif /* GPM_LEDGER_H */
