/* figures.c - copies the figures of the ledger: by call path, and by device or label.
 *
 * summary.c calls it. During the copy no thread can add nodes or cells (tree_lock), and the figures
 * of each device are those of one moment (its lock). So other threads wait for one walk over the
 * records, not for what is computed from them. Scopes that are open on the calling thread are ended
 * in the copy, as their exit would do; fold.c of the tools does the same for a capture.
 */
#include "control/figures.h"
#include "base/lock.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "control/measures.h"
#include "core/contexts.h"
#include "core/ended_frames.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/pairs.h"
#include "records/sites.h"
#include "threads/threads.h"

struct copy {
  struct gpm_figures *figures;
  uint32_t *labels; /* hash: number of a part + 1 */
  uint32_t label_room;
};

/* The largest type comes first, so that everything is aligned. */
static bool map_copy(struct copy *c, uint32_t nodes, uint32_t cells, unsigned devices) {
  struct gpm_figures *f = c->figures;
  uint32_t parts = f->by_label ? cells : devices;
  c->label_room = f->by_label ? 64 : 0;
  while (c->label_room / 2 < parts && c->label_room) c->label_room *= 2;
  f->bytes =
      nodes * sizeof *f->nodes + parts * sizeof *f->parts + c->label_room * sizeof *c->labels;
  f->mapped = gpm_memory_map(f->bytes);
  if (!f->mapped) return false;
  f->nodes = f->mapped;
  f->node_count = nodes;
  f->parts = (void *)(f->nodes + nodes);
  f->part_count = f->by_label ? 0 : devices;
  c->labels = (void *)(f->parts + parts);
  return true;
}

static struct gpm_sums *sums_of_label(struct copy *c, uint32_t label) {
  struct gpm_figures_part *parts = c->figures->parts;
  uint32_t at = (label * 0x9e3779b1u) & (c->label_room - 1);
  for (; c->labels[at]; at = (at + 1) & (c->label_room - 1))
    if (parts[c->labels[at] - 1].label == label) return &parts[c->labels[at] - 1].sums;
  struct gpm_figures_part *part = &parts[c->figures->part_count++];
  part->label = label;
  c->labels[at] = c->figures->part_count;
  return &part->sums;
}

/* Copies a node's parent and its site. */
static void copy_node(struct gpm_node *node, void *data) {
  struct copy *c = data;
  struct gpm_figures_node *to = &c->figures->nodes[node->id];
  to->record.parent = node->record->parent;
  to->record.site = node->record->site;
  if (node->record->site != GPUMEMPROF_NONE) {
    const struct gpumemprof_capture_site *site = gpm_sites_record(node->record->site);
    to->kind = site->kind;
    to->profiled = site->flags & GPUMEMPROF_SITE_PROFILED;
    to->spans = node->spans;
    to->file = site->file;
    to->line = site->line;
    to->function = site->function;
    to->name = site->name;
  }
}

static void add_amount(struct gpumemprof_amount *to, struct gpumemprof_capture_amount more) {
  to->bytes += more.bytes;
  to->blocks += more.blocks;
}

static void add_cell_to(struct gpm_sums *sums, const struct gpm_cell *cell) {
  const struct gpumemprof_capture_cell *r = cell->record;
  bool kept = r->peak_epoch == cell->totals->peak_epoch;
  add_amount(&sums->allocated, r->allocated);
  add_amount(&sums->freed, r->freed);
  sums->requested += r->allocated.bytes - r->padding;
  sums->at_peak += kept ? r->at_peak.bytes : r->allocated.bytes - r->freed.bytes;
  sums->temporary_blocks += r->temporary_blocks;
  if (gpm_is_not_gpu(cell->device) || cell->kind == GPUMEMPROF_KIND_STATIC) return;
  if (r->allocated.blocks && r->max_size > sums->largest) sums->largest = r->max_size;
  sums->counted_bytes += r->allocated.bytes;
  sums->counted_blocks += r->allocated.blocks;
}

/* The caller holds the device's lock. */
static void copy_device(struct copy *c, const struct gpm_device *device) {
  struct gpm_figures *f = c->figures;
  struct gpm_figures_part *part = f->by_label ? NULL : &f->parts[device->index];
  if (part) {
    part->ordinal = device->record->ordinal;
    part->name = device->record->name;
    part->peak = device->record->peak;
  }
  for (const struct gpm_cell *cell = device->cells; cell; cell = cell->next_of_device) {
    if (cell->kind == GPUMEMPROF_KIND_CUSTOM) {
      f->pieces = true;
      continue;
    }
    add_cell_to(&f->nodes[cell->record->node].sums, cell);
    add_cell_to(part ? &part->sums : sums_of_label(c, cell->record->label), cell);
  }
  for (uint32_t i = 0; i < device->pair_room; i++) {
    const struct gpm_pair *pair = device->pairs[i];
    if (pair && pair->cell->kind != GPUMEMPROF_KIND_CUSTOM)
      add_amount(&f->nodes[pair->from->id].sums.freed_here, pair->record->freed);
  }
}

/* Copies the figures of activations and failures of a node, and those of its line. The caller holds
 * the lock of `host`. */
static void copy_calls(struct gpm_node *node, void *data) {
  struct gpm_figures_node *to = &((struct copy *)data)->figures->nodes[node->id];
  const struct gpumemprof_capture_node *from = node->record;
#define GPM_COPY_FIGURE(figure) to->record.figure = __atomic_load_n(&from->figure, __ATOMIC_RELAXED)
  GPM_COPY_FIGURE(active_calls);
  GPM_COPY_FIGURE(calls);
  GPM_COPY_FIGURE(wall_ticks);
  GPM_COPY_FIGURE(own_peak_max);
  GPM_COPY_FIGURE(own_peak_sum);
  GPM_COPY_FIGURE(device_peak);
  GPM_COPY_FIGURE(failed_calls);
  GPM_COPY_FIGURE(failed_bytes);
  GPM_COPY_FIGURE(oom_calls);
#undef GPM_COPY_FIGURE
  if (node->line) to->live_peak = __atomic_load_n(&node->line->live_peak, __ATOMIC_RELAXED);
}

static bool copy_records(struct copy *c) {
  gpm_lock_take(&gpm_tree_lock);
  unsigned devices = gpm_ledger_device_count();
  bool room = map_copy(c, gpm_tree_count(), gpm_cells_count(), devices);
  if (room) gpm_tree_each(copy_node, c);
  for (unsigned i = 0; room && i < devices; i++) {
    struct gpm_device *device = gpm_ledger_device_at(i);
    gpm_lock_take(device->lock);
    copy_device(c, device);
    if (!i) gpm_tree_each(copy_calls, c);
    gpm_lock_release(device->lock);
  }
  gpm_lock_release(&gpm_tree_lock);
  return room;
}

/* Copies an open activation, whose figures other threads may change if work was handed over. */
static struct gpumemprof_capture_activation activation_of(const struct gpm_thread *thread,
                                                          const struct gpm_open *open) {
  if (!thread->delegating) return *open->record;
  gpm_lock_take(&gpm_contexts_lock);
  struct gpumemprof_capture_activation a = *open->record;
  gpm_lock_release(&gpm_contexts_lock);
  return a;
}

/* Folds the open scopes, innermost first, each into the one around it, by the rules in
 * capture.h. */
static void end_open_scopes(struct gpm_figures *f, struct gpm_thread *thread) {
  struct gpumemprof_capture_activation inner = {0};
  for (const struct gpm_open *open = thread->latest; open->frame; open--) {
    struct gpumemprof_capture_activation a = activation_of(thread, open);
    if (!(a.flags & GPUMEMPROF_ACTIVATION_SHARED)) gpm_activation_fold(&a, &inner);
    bool moved = a.flags & GPUMEMPROF_ACTIVATION_MOVED;
    bool profiled = a.flags & GPUMEMPROF_ACTIVATION_PROFILED;
    if (moved || profiled) {
      struct gpumemprof_capture_node *n = &f->nodes[a.node].record;
      uint64_t highest = gpm_ledger_peak_since(a.entry_clock);
      n->active_calls += moved;
      n->calls += profiled;
      n->own_peak_sum += moved ? (uint64_t)a.peak : 0;
      if (moved && (uint64_t)a.peak > n->own_peak_max) n->own_peak_max = (uint64_t)a.peak;
      if (highest > n->device_peak) n->device_peak = highest;
    }
    inner =
        a.flags & GPUMEMPROF_ACTIVATION_ATTACHED ? (struct gpumemprof_capture_activation){0} : a;
  }
}

bool gpm_figures_copy(struct gpm_figures *figures, bool by_label) {
  struct gpm_thread *thread = gpm_thread_enter();
  if (!thread) return false;
  gpm_threads_count_ended();
  *figures = (struct gpm_figures){.by_label = by_label,
                                  .since_reset =
                                      __atomic_load_n(&gpm_capture->resets, __ATOMIC_RELAXED) != 0};
  struct copy copy = {.figures = figures};
  bool copied = copy_records(&copy);
  if (copied) end_open_scopes(figures, thread);
  gpm_set_busy(thread, false);
  return copied;
}

void gpm_figures_free(struct gpm_figures *figures) {
  gpm_memory_unmap(figures->mapped, figures->bytes);
}
