/* cells.c - what was allocated on a path: a cell for each device, kind of memory, label and stream.
 *
 * ledger.c asks for the cell of an allocation where the frame does not remember it. Most paths have
 * one or two cells, in a list. A program whose labels or streams are new each time has thousands on
 * one path. When a path has more than GPM_CELLS_LISTED, its cells are also in an index, which is
 * read without a lock. Cells are made under gpm_tree_lock and never removed.
 */
#include "records/cells.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "records/labels.h"
#include "records/pairs.h"
#include "records/sites.h"
#include "records/stale.h"
#include "records/streams.h"
#include "tables/index.h"

#define GPM_CELLS_LISTED 16u

/* How many cells names may add to paths: a cell takes 128 bytes of the capture and 192 of memory,
 * and its first free about 100 more. */
#define SPLITS_MOST (1u << 17)
/* Names that always get cells of their own: a programmer chose them, while more than that are made
 * by counting. */
#define NAMES_ALWAYS 1024u

static struct gpm_table cell_table;
static struct gpm_index cell_index; /* cells of the paths that have many */
static uint32_t split_count; /* cells of a label, or of a stream other than the default ones */

/* The line of every piece, because the memory in which pieces lie is counted by its own line. */
static struct gpumemprof_capture_line no_line;

void gpm_cells_start(void) {
  cell_table = (struct gpm_table){GPUMEMPROF_CHUNK_CELLS, sizeof(struct gpumemprof_capture_cell), 0,
                                  0, NULL};
  atomic_store(&cell_index.table, NULL);
  cell_index.count = 0;
  split_count = 0;
  gpm_streams_start();
}

uint32_t gpm_cells_count(void) {
  return cell_table.count;
}

bool gpm_cells_may_split(uint32_t known) {
  return known < NAMES_ALWAYS || __atomic_load_n(&split_count, __ATOMIC_RELAXED) < SPLITS_MOST;
}

void gpm_cells_set_site(struct gpm_cell *cell, const void *site) {
  atomic_store(&cell->site, site);
  cell->operands = site ? gpm_operands_at(site) : NULL;
}

/* ---- finding one --------------------------------------------------------------------------------
 */

static uint32_t cell_hash(const struct gpm_node *node, const struct gpm_device *device,
                          uint16_t kind, const struct gpm_label *label, const void *stream) {
  uint64_t h =
      ((uint64_t)node->id << 24 ^ (uint64_t)device->index << 8 ^ kind) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ h >> 32 ^ (uintptr_t)label) * 0xff51afd7ed558ccdULL;
  h = (h ^ h >> 32 ^ (uintptr_t)stream) * 0x9e3779b97f4a7c15ULL;
  return (uint32_t)(h >> 32);
}

static struct gpm_cell *find_indexed(const struct gpm_node *node, const struct gpm_device *device,
                                     uint16_t kind, const struct gpm_label *label,
                                     const void *stream) {
  uint32_t hash = cell_hash(node, device, kind, label, stream), at = hash;
  struct gpm_cell *cell;
  do cell = gpm_index_next(&cell_index, hash, &at);
  while (cell && (cell->node != node || !gpm_cells_is(cell, device, kind, label, stream)));
  return cell;
}

/* Null: there is none. Without the lock, it may also have just been made by another thread. */
static inline struct gpm_cell *find_known(const struct gpm_node *node,
                                          const struct gpm_device *device, uint16_t kind,
                                          const struct gpm_label *label, const void *stream) {
  if (GPM_UNLIKELY(atomic_load_explicit(&node->cell_count, memory_order_acquire) >
                   GPM_CELLS_LISTED))
    return find_indexed(node, device, kind, label, stream);
  struct gpm_cell *cell = atomic_load_explicit(&node->cells, memory_order_acquire);
  while (cell && !gpm_cells_is(cell, device, kind, label, stream)) cell = cell->next;
  return cell;
}

/* ---- making one: under gpm_tree_lock ------------------------------------------------------------
 */

static bool index_cell(struct gpm_cell *c) {
  uint32_t hash = cell_hash(c->node, c->device, c->kind, c->label, c->stream);
  return gpm_index_add(&cell_index, hash, c, true);
}

/* Makes the cell the first of the node's list, and puts all cells of a node that has many into the
 * index. */
static bool enter_cell(struct gpm_node *node, struct gpm_cell *cell) {
  uint32_t count = atomic_load_explicit(&node->cell_count, memory_order_relaxed) + 1;
  if (count > GPM_CELLS_LISTED && !index_cell(cell)) return false;
  if (count == GPM_CELLS_LISTED + 1)
    for (struct gpm_cell *c = cell->next; c; c = c->next)
      if (!index_cell(c)) return false;
  atomic_store_explicit(&node->cells, cell, memory_order_release);
  atomic_store_explicit(&node->cell_count, count, memory_order_release);
  return true;
}

static struct gpm_cell *append_cell(struct gpm_node *node, struct gpm_device *device, uint16_t kind,
                                    const struct gpm_label *label, const void *stream,
                                    uint32_t stream_number) {
  struct gpumemprof_capture_cell *record = gpm_table_next(&cell_table);
  struct gpm_cell *cell = record ? gpm_memory_get(sizeof *cell) : NULL;
  if (!cell) return NULL;
  record->node = node->id;
  record->device = device->index;
  record->kind = kind;
  record->label = gpm_strings_intern(gpm_labels_text(label));
  record->stream = stream_number;
  cell->record = record;
  cell->lock = device->lock;
  cell->line = kind == GPUMEMPROF_KIND_CUSTOM ? &no_line : node->line;
  cell->totals = device->record;
  cell->live = &device->record->live[kind];
  cell->maxima = &device->maxima;
  cell->latest_pair = &gpm_pairs_none;
  cell->device = device;
  cell->kind = kind;
  cell->label = label;
  cell->stream = stream;
  cell->repeats = cell->repeats_there = GPM_NO_REPEAT;
  gpm_cells_set_site(cell, atomic_load(&node->site));
  atomic_init(&cell->has_operands, gpm_has_operands(node));
  cell->guarded = gpm_budgets_guard(node, kind);
  cell->id = cell_table.count;
  cell->node = node;
  GPM_ASSERT(gpm_lock_is_mine(&gpm_tree_lock) && node->record->site != GPUMEMPROF_NONE);
  cell->next = atomic_load(&node->cells);
  cell->next_of_device = device->cells;
  device->cells = cell;
  gpm_table_publish(&cell_table);
  if (!enter_cell(node, cell)) return NULL;
  bool split = label || gpm_streams_is_own(stream);
  if (split) __atomic_store_n(&split_count, split_count + 1, __ATOMIC_RELAXED);
  return cell;
}

static GPM_COLD struct gpm_cell *make_cell(struct gpm_node *node, struct gpm_device *device,
                                           uint16_t kind, const struct gpm_label *label,
                                           const void *stream) {
  struct gpm_node *right = gpm_stale_event(node);
  if (right != node) return right ? gpm_cells_get(right, device, kind, label, stream) : NULL;
  gpm_lock_take(&gpm_tree_lock);
  /* This may replace `stream`. */
  uint32_t number = kind == GPUMEMPROF_KIND_POOL ? gpm_streams_record(device, &stream) : 0;
  struct gpm_cell *cell = find_known(node, device, kind, label, stream);
  bool made = !cell && (cell = append_cell(node, device, kind, label, stream, number));
  gpm_lock_release(&gpm_tree_lock);
  if (stream == (const void *)GPUMEMPROF_STREAM_OTHERS) gpm_streams_lumped();
  if (made && node->budget) gpm_budgets_cell(node, kind);
  return cell;
}

struct gpm_cell *gpm_cells_find(struct gpm_node *node, struct gpm_device *device, uint16_t kind,
                                const struct gpm_label *label, const void *stream) {
  struct gpm_cell *cell = find_known(node, device, kind, label, stream);
  return GPM_LIKELY(cell) ? cell : make_cell(node, device, kind, label, stream);
}
