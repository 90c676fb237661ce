/* oom.c - records an allocation that was out of memory: the device's own figures, and which lines
 * had its memory (capture_oom.h).
 *
 * cuda_hooks.c calls it when the call has failed. Only the driver is asked, because that does not
 * change the CUDA runtime's last error, which the program will read. The cells show which line has
 * how much (0.05 us for each call path, under the device's lock); the blocks are read without a
 * lock, and only for how much of their pages they leave unused. All records have the same size.
 * After oom_max= records a failure costs one comparison, so that a program which finds by trial how
 * much it can allocate is not slowed down.
 */
#include "oom/oom.h"
#include "allocators/custom_pools.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "cuda/samples.h"
#include "cuda/stream_pools.h"
#include "options/options.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

#define WALKS_OF_BLOCKS 8u /* only the first: it takes long where addresses are far apart */

static struct gpm_lock oom_lock = GPM_LOCK(oom); /* protects the table */
static struct gpm_table oom_table = {GPUMEMPROF_CHUNK_OOMS, sizeof(struct gpumemprof_capture_oom),
                                     0, 0, NULL};
static _Atomic uint64_t ooms_begun;

/* Keeps the largest of the entries that it is given. */
struct top {
  uint64_t key;
  uint64_t bytes, more;
  const void *what;
  uint32_t id;
};
struct tops {
  struct top top[GPUMEMPROF_OOM_LINES];
  uint32_t count, most, left_out;
};

/* A line's share of the walk. */
struct held {
  const struct gpumemprof_capture_line *line; /* null: an empty slot */
  const struct gpm_node *node;                /* the node of its largest cell */
  uint64_t node_bytes;
  struct gpumemprof_capture_amount live;
  uint32_t kinds;
};

struct gathered {
  struct gpm_oom oom;
  bool walks_blocks;
  struct gpumemprof_capture_amount all; /* of the cells */
  struct tops lines, paths, pools, custom_pools;
  uint32_t held_room, held_count; /* room: a power of two */
  struct held held[];
};

static void rank_top(struct tops *t, struct top one) {
  if (t->count == t->most) {
    t->left_out++;
    if (one.key <= t->top[t->count - 1].key) return;
  } else t->count++;
  uint32_t i = t->count - 1;
  for (; i && t->top[i - 1].key < one.key; i--) t->top[i] = t->top[i - 1];
  t->top[i] = one;
}

/* Lines that are created meanwhile may find no room; then they are counted among the others. */
static struct gathered *make_room(void) {
  gpm_lock_take(&gpm_tree_lock);
  uint32_t wanted = 2 * gpm_sites_line_count() + 64, room = 64;
  gpm_lock_release(&gpm_tree_lock);
  while (room < wanted) room *= 2;
  struct gathered *g = gpm_memory_try(sizeof *g + room * sizeof g->held[0]);
  if (!g) return NULL;
  g->held_room = room;
  g->lines.most = GPUMEMPROF_OOM_LINES;
  g->paths.most = GPUMEMPROF_OOM_PATHS;
  g->pools.most = g->custom_pools.most = GPUMEMPROF_OOM_POOLS;
  return g;
}

/* ---- the device ---------------------------------------------------------------------------------
 */

static int ordinal_of(const struct gpm_asked *request) {
  if (request->ordinal != GPM_CURRENT_DEVICE) return request->ordinal;
  const struct gpm_device *device = gpm_pools_device(request->pool);
  if (device) return device->record->ordinal;
  const struct gpm_driver *driver = gpm_driver();
  int ordinal;
  if (request->kind == GPUMEMPROF_KIND_POOL && driver->cuStreamGetDevice &&
      !driver->cuStreamGetDevice(request->stream, &ordinal))
    return ordinal;
  if (driver->cuCtxGetDevice && !driver->cuCtxGetDevice(&ordinal)) return ordinal;
  return atomic_load(&gpm_cuda_one_device) ? 0 : GPUMEMPROF_OOM_UNKNOWN_DEVICE;
}

static void rank_pool(uint32_t pool, uint64_t used, uint64_t reserved, void *data) {
  struct gathered *g = data;
  g->oom.record.pools_used += used;
  g->oom.record.pools_reserved += reserved;
  rank_top(&g->pools,
           (struct top){reserved > used ? reserved - used : 0, used, reserved, NULL, pool});
}

/* The queries must not invalidate a stream that the thread is capturing. */
static void ask_driver(struct gathered *g, struct gpm_device *device) {
  struct gpumemprof_capture_oom *o = &g->oom.record;
  int mode = GPM_CAPTURE_RELAXED;
  int (*exchange)(int *mode) = gpm_driver()->cuThreadExchangeStreamCaptureMode;
  bool exchanged = exchange && !exchange(&mode);
  if (!gpm_samples_ask(o->ordinal, &o->memory_free, &o->memory_total))
    o->memory_free = o->memory_total = 0;
  else if (device && g->walks_blocks) {
    o->rounding = gpm_samples_rounding(device);
    o->rounding_known = 1;
  }
  if (device) gpm_pools_sample(device);
  if (exchanged) exchange(&mode);
}

static void ask_device(struct gathered *g, struct gpm_device *device) {
  struct gpumemprof_capture_oom *o = &g->oom.record;
  if (o->ordinal >= 0) ask_driver(g, device);
  if (!device) return;
  gpm_pools_each(device, rank_pool, g);
  for (; o->pools < g->pools.count; o->pools++) {
    const struct top *top = &g->pools.top[o->pools];
    o->pool[o->pools] = (struct gpumemprof_capture_oom_pool){
        .pool = top->id, .used = top->bytes, .reserved = top->more};
  }
  o->pools_left_out = g->pools.left_out;
}

/* ---- who holds its memory -----------------------------------------------------------------------
 */

static struct held *held_by(struct gathered *g, const struct gpumemprof_capture_line *line) {
  uint64_t hash = ((uintptr_t)line >> 5) * 0x9e3779b97f4a7c15ULL >> 32;
  uint32_t at = (uint32_t)hash & (g->held_room - 1);
  while (g->held[at].line && g->held[at].line != line) at = (at + 1) & (g->held_room - 1);
  if (g->held[at].line) return &g->held[at];
  if (g->held_count + g->held_room / 4 >= g->held_room) return NULL;
  g->held_count++;
  g->held[at].line = line;
  return &g->held[at];
}

static void add_cell(struct gathered *g, const struct gpm_cell *cell) {
  const struct gpumemprof_capture_cell *c = cell->record;
  uint64_t blocks = c->allocated.blocks - c->freed.blocks;
  uint64_t bytes = c->allocated.bytes - c->freed.bytes;
  if (!blocks) return;
  g->all.bytes += bytes;
  g->all.blocks += blocks;
  if (bytes) rank_top(&g->paths, (struct top){bytes, bytes, blocks, cell, cell->id});
  struct held *h = held_by(g, cell->line);
  if (!h) return;
  h->live.bytes += bytes;
  h->live.blocks += blocks;
  h->kinds |= 1u << cell->kind;
  if (bytes <= h->node_bytes) return;
  h->node_bytes = bytes;
  h->node = cell->node;
}

/* Reads the device's ledger at one moment: no event of the device comes in between. */
static void walk_cells(struct gathered *g, const struct gpm_device *device) {
  struct gpumemprof_capture_oom *o = &g->oom.record;
  gpm_lock_take(&gpm_tree_lock); /* so that no cell is added */
  gpm_lock_take(device->lock);
  o->clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  o->total = device->record->total;
  memcpy(o->live, device->record->live, sizeof o->live);
  for (const struct gpm_cell *c = device->cells; c; c = c->next_of_device) add_cell(g, c);
  gpm_lock_release(device->lock);
  gpm_lock_release(&gpm_tree_lock);
  for (unsigned k = 0; k < GPUMEMPROF_KINDS; k++) o->blocks += o->live[k].blocks;
}

static void list_paths(struct gathered *g) {
  struct gpumemprof_capture_oom *o = &g->oom.record;
  o->other_paths = g->all;
  for (; o->paths < g->paths.count; o->paths++) {
    const struct top *top = &g->paths.top[o->paths];
    o->path[o->paths] =
        (struct gpumemprof_capture_oom_path){.cell = top->id, .live = {top->bytes, top->more}};
    o->other_paths.bytes -= top->bytes;
    o->other_paths.blocks -= top->more;
  }
}

static const struct gpumemprof_capture_site *site_of(const struct gpm_node *node) {
  return node->record->site == GPUMEMPROF_NONE ? NULL : gpm_sites_record(node->record->site);
}

/* Variables are left out, because nobody can free them. The caller holds the tree lock. */
static void find_caller(struct gathered *g, uint32_t number, const struct held *h) {
  struct gpm_oom_way way[GPUMEMPROF_OOM_PATHS];
  uint32_t count = 0;
  uint64_t rest = h->live.bytes;
  for (uint32_t i = 0; i < g->paths.count; i++) {
    const struct gpm_cell *cell = g->paths.top[i].what;
    if (cell->line != h->line || GPUMEMPROF_OOM_STAYS >> cell->kind & 1) continue;
    way[count++] = (struct gpm_oom_way){cell->node, g->paths.top[i].bytes};
    rest -= g->paths.top[i].bytes;
  }
  struct gpm_oom_way through = gpm_oom_through(way, count, rest);
  if (!through.node) return;
  g->oom.caller[number] = site_of(through.node);
  g->oom.caller_bytes[number] = through.bytes;
}

/* The caller holds the tree lock. */
static void list_lines(struct gathered *g) {
  struct gpumemprof_capture_oom *o = &g->oom.record;
  for (uint32_t i = 0; i < g->held_room; i++)
    if (g->held[i].node) /* otherwise it has no blocks, or only empty ones */
      rank_top(&g->lines, (struct top){g->held[i].live.bytes, 0, 0, &g->held[i], 0});
  o->other_lines = g->all;
  for (; o->lines < g->lines.count; o->lines++) {
    const struct held *h = g->lines.top[o->lines].what;
    const struct gpumemprof_capture_site *site = g->oom.line[o->lines] = site_of(h->node);
    find_caller(g, o->lines, h);
    o->line[o->lines] =
        (struct gpumemprof_capture_oom_line){.line = site ? site->line_id : GPUMEMPROF_NONE,
                                             .node = h->node->id,
                                             .node_bytes = h->node_bytes,
                                             .live = h->live,
                                             .kinds = h->kinds};
    o->other_lines.bytes -= h->live.bytes;
    o->other_lines.blocks -= h->live.blocks;
  }
}

static void list_custom_pools(struct gathered *g, const struct gpm_device *device) {
  struct gpumemprof_capture_oom *o = &g->oom.record;
  gpm_lock_take(&gpm_custom_lock);
  for (struct gpumemprof_pool *p = NULL; (p = gpm_custom_next(p));)
    if (!p->lumped && p->record->device == device->index && p->record->reserved.bytes)
      rank_top(&g->custom_pools, (struct top){p->record->hole, p->record->reserved.bytes,
                                              p->holes.bytes, NULL, p->number});
  gpm_lock_release(&gpm_custom_lock);
  for (; o->custom_pools < g->custom_pools.count; o->custom_pools++) {
    const struct top *top = &g->custom_pools.top[o->custom_pools];
    o->custom_pool[o->custom_pools] = (struct gpumemprof_capture_oom_custom){
        .pool = top->id, .reserved = top->bytes, .free = top->more, .hole = top->key};
  }
  o->custom_pools_left_out = g->custom_pools.left_out;
}

/* ---- where the threads are ----------------------------------------------------------------------
 */

/* Another thread's scope may be opening or ending: then the figures are those of a moment ago.
 * Records are never moved. */
__attribute__((no_sanitize("thread"))) static void add_scope(struct gpumemprof_capture_oom *o,
                                                             const struct gpm_thread *thread) {
  const struct gpm_open *latest = *(struct gpm_open *const volatile *)&thread->latest;
  const struct gpumemprof_capture_activation *a =
      *(struct gpumemprof_capture_activation *const volatile *)&latest->record;
  if (!a) return;
  uint32_t node = a->node;
  int64_t net = a->net, peak = a->peak;
  if (a->flags & GPUMEMPROF_ACTIVATION_LINE) { /* counts as its scope's, as if the line ended now */
    a = *(struct gpumemprof_capture_activation *const volatile *)&latest[-1].record;
    if (!a) return;
    node = a->node;
    peak = a->net + peak > a->peak ? a->net + peak : a->peak;
    net += a->net;
  }
  if (o->scopes == GPUMEMPROF_OOM_SCOPES) {
    o->scopes_left_out++;
    return;
  }
  o->scope[o->scopes++] = (struct gpumemprof_capture_oom_scope){thread->number, node, net, peak};
}

static void list_scopes(const struct gpm_thread *failing, struct gpumemprof_capture_oom *o) {
  add_scope(o, failing);
  for (const struct gpm_thread *t = gpm_thread_newest(); t; t = t->next)
    if (t != failing) add_scope(o, t);
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static void gather(struct gpm_thread *thread, struct gathered *g, const struct gpm_node *node,
                   const struct gpm_asked *request) {
  struct gpumemprof_capture_oom *o = &g->oom.record;
  o->ticks = gpm_ticks();
  o->clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  o->requested = request->bytes;
  o->node = node->id;
  o->thread = thread->number;
  o->kind = request->kind < GPUMEMPROF_KIND_COUNT ? request->kind : GPUMEMPROF_OOM_UNKNOWN_KIND;
  o->ordinal = ordinal_of(request);
  struct gpm_device *device = gpm_ledger_known_device(o->ordinal);
  o->device = device ? device->index : GPUMEMPROF_NONE;
  ask_device(g, device);
  if (device) {
    walk_cells(g, device);
    list_paths(g);
    list_custom_pools(g, device);
  }
  list_scopes(thread, o);
  gpm_lock_take(&gpm_tree_lock);
  list_lines(g);
  g->oom.call = site_of(node);
  gpm_lock_release(&gpm_tree_lock);
}

/* The record names the lines of wrappers, from which the tool finds the callers; the message names
 * the callers. */
static void prepare_message(struct gathered *g, const struct gpm_node *node) {
  struct gpm_oom_path path[GPUMEMPROF_OOM_PATHS];
  gpm_lock_take(&gpm_tree_lock);
  for (uint32_t i = 0; i < g->paths.count; i++) {
    const struct top *top = &g->paths.top[i];
    const struct gpm_cell *cell = top->what;
    path[i] = (struct gpm_oom_path){cell->node, {top->bytes, top->more}, cell->kind};
  }
  gpm_oom_name_callers(&g->oom, path, g->paths.count);
  g->oom.call = site_of(gpm_oom_charged(node));
  gpm_lock_release(&gpm_tree_lock);
}

static void append_oom(const struct gpumemprof_capture_oom *o) {
  gpm_lock_take(&oom_lock);
  struct gpumemprof_capture_oom *record = gpm_table_next(&oom_table);
  if (record) {
    *record = *o;
    gpm_table_publish(&oom_table);
  }
  gpm_lock_release(&oom_lock);
}

void gpm_oom_happened(struct gpm_thread *thread, const struct gpm_node *node,
                      const struct gpm_asked *request) {
  uint64_t number = 0;
  if (atomic_load(&ooms_begun) < gpm_options.oom_max) number = atomic_fetch_add(&ooms_begun, 1) + 1;
  bool wanted = number && number <= gpm_options.oom_max;
  int saved = errno;
  struct gathered *g = wanted ? make_room() : NULL;
  if (!g) return gpm_capture_count(GPUMEMPROF_COUNTER_ooms_left_out);
  sigset_t held;
  gpm_signals_hold(&held); /* a handler's longjmp would leave the driver's lock taken */
  g->walks_blocks = number <= WALKS_OF_BLOCKS;
  gather(thread, g, node, request);
  append_oom(&g->oom.record);
  prepare_message(g, node);
  gpm_oom_say(&g->oom, number);
  gpm_memory_unmap(g, sizeof *g + g->held_room * sizeof g->held[0]);
  gpm_signals_let_come(&held);
  errno = saved;
}

void gpm_oom_forked(void) {
  atomic_store(&oom_lock.held, 0);
  atomic_store(&ooms_begun, 0);
  oom_table.count = 0;
  oom_table.last = NULL;
}
