/* pairs.c - the primary record of frees: (allocating cell, freeing node) -> blocks, bytes.
 *
 * ledger.c asks for the pair at each free, under the device's lock: a cell remembers its latest
 * pair, then a hash table per device is searched. The records of all devices share one table in the
 * capture, whose appends have a lock of their own.
 */
#include "records/pairs.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"

/* No frame has this node, so no free repeats gpm_pairs_none. */
static const struct gpm_node no_node;
struct gpm_pair gpm_pairs_none = {.scope = &no_node};
static struct gpm_table pair_table; /* under pair_lock */
static struct gpm_lock pair_lock = GPM_LOCK(pair);

void gpm_pairs_forked(void) {
  atomic_store(&pair_lock.held, 0);
}

void gpm_pairs_start(void) {
  gpm_pairs_forked();
  pair_table = (struct gpm_table){GPUMEMPROF_CHUNK_PAIRS, sizeof(struct gpumemprof_capture_pair), 0,
                                  0, NULL};
}

static uint32_t pair_hash(uint32_t cell, uint32_t node) {
  return (uint32_t)((((uint64_t)cell << 32 | node) * 0x9e3779b97f4a7c15ULL) >> 32);
}

static bool pairs_grow(struct gpm_device *device) {
  uint32_t room = device->pair_room ? device->pair_room * 2 : 256;
  struct gpm_pair **table = gpm_memory_map(room * sizeof(struct gpm_pair *));
  if (!table) return false;
  for (uint32_t i = 0; i < device->pair_room; i++) {
    struct gpm_pair *p = device->pairs[i];
    if (!p) continue;
    uint32_t at = pair_hash(p->cell->id, p->from->id) & (room - 1);
    while (table[at]) at = (at + 1) & (room - 1);
    table[at] = p;
  }
  gpm_memory_unmap(device->pairs, device->pair_room * sizeof(struct gpm_pair *));
  device->pairs = table;
  device->pair_room = room;
  return true;
}

static GPM_COLD struct gpm_pair *make_pair(struct gpm_cell *cell, struct gpm_node *node) {
  struct gpm_pair *pair = gpm_memory_get(sizeof *pair);
  if (!pair) return NULL;
  gpm_lock_take(&pair_lock);
  GPM_ASSERT(gpm_lock_is_mine(&pair_lock));
  struct gpumemprof_capture_pair *record = gpm_table_next(&pair_table);
  if (record) {
    record->cell = cell->id;
    record->free_node = node->id;
    pair->id = pair_table.count;
    gpm_table_publish(&pair_table);
  }
  gpm_lock_release(&pair_lock);
  if (!record) return NULL;
  pair->record = record;
  pair->cell = cell;
  pair->from = node;
  /* repeats.c does not open activations of lines, so it must not make such a line's events. */
  bool refused = gpm_is_not_gpu(cell->device) || node->spans;
  pair->scope = refused ? gpm_tree_root() : node->parent;
  atomic_init(&pair->call, atomic_load(&node->site));
  pair->next = atomic_load(&node->pairs);
  while (!atomic_compare_exchange_weak(&node->pairs, &pair->next, pair)) continue;
  return pair;
}

struct gpm_pair *gpm_pairs_get(struct gpm_cell *cell, struct gpm_node *node) {
  struct gpm_device *device = cell->device;
  struct gpm_pair *pair = cell->latest_pair;
  GPM_ASSERT(gpm_lock_is_mine(device->lock));
  GPM_ASSERT(pair == &gpm_pairs_none || pair->cell == cell);
  if (GPM_LIKELY(pair->from == node)) return pair;
  if (device->pair_count * 2 >= device->pair_room && !pairs_grow(device)) return NULL;
  uint32_t at = pair_hash(cell->id, node->id) & (device->pair_room - 1);
  while ((pair = device->pairs[at]) && (pair->cell != cell || pair->from != node))
    at = (at + 1) & (device->pair_room - 1);
  if (!pair) {
    if (!(pair = make_pair(cell, node))) return NULL;
    device->pairs[at] = pair;
    device->pair_count++;
  }
  GPM_ASSERT(pair->cell == cell && pair->from == node && device->pair_count < device->pair_room);
  cell->latest_pair = pair;
  return pair;
}
