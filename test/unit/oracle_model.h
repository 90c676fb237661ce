/* oracle_model.h - what oracle_test.c expects: every figure of every open scope, line and cell, by
 * brute force.
 */
#ifndef TEST_ORACLE_MODEL_H
#define TEST_ORACLE_MODEL_H

#include "turns.h"

enum { SCOPES = 12, CALLS = 4, DEPTH = 6, DEVICES = 3, THREADS = 3, MOST_LIVE = 3000 };
enum { NODES = 200000, CELLS = 60000 };

static struct test_site scope_sites[SCOPES], call_sites[SCOPES][CALLS];

static struct {
  bool few; /* lines */
  int threads, devices, calls, depth;
  bool resets;
} shape = {false, THREADS, DEVICES, CALLS, DEPTH, false};
__attribute__((weak)) int __gpumemprof_reset(void); /* not in the core */

/* ---- the model ------------------------------------------------------------------------------- */

struct model_node { /* a path; scope and call levels alternate as in the runtime */
  int parent, site; /* site: scope s -> s, call c of scope s -> SCOPES + s * CALLS + c */
  uint64_t active, peak_max, peak_sum, device_peak, failed;
};
struct model_cell {
  int node, device, kind; /* kind: see kind_and_stream */
  uint64_t allocated, blocks, freed, freed_blocks, live, at_peak;
  uint64_t padding, live_padding, smallest, largest;
  uint64_t lifetimes, temporary; /* of blocks that were freed */
};
struct model_sums {
  int node;
  int64_t net, peak;
  uint64_t device_peak;
  bool open, moved;
};
struct model_open {
  int scope, call;
  struct model_sums own, line; /* line: the call under way, if it spans */
  struct gpumemprof_frame *frame;
};
struct model_thread {
  struct model_open open[DEPTH];
  int depth;
  uint64_t latest; /* address, if its latest event was an allocation; else 0 */
};
struct model_block {
  uint64_t address, bytes, padding;
  uint64_t clock; /* of its allocation */
  int cell;
};
static struct model_node nodes[NODES];
static int node_count = 1; /* 0 is the root */
static struct model_cell cells[CELLS];
static int cell_count;
static struct model_thread threads[THREADS];
static struct model_block live[MOST_LIVE];
static int live_count;
static uint64_t totals[DEVICES + 1], peaks[DEVICES + 1]; /* 0: host */
static uint64_t line_live[SCOPES * CALLS], line_peak[SCOPES * CALLS];
static struct {
  int cell, node;
  uint64_t blocks, bytes;
} pairs[1 << 21];
static int node_hash[1 << 20], cell_hash[1 << 17];

static int model_node(int parent, int site) {
  uint32_t at = ((uint32_t)parent * 2654435761u ^ (uint32_t)site * 40503u) & ((1 << 20) - 1);
  for (; node_hash[at]; at = (at + 1) & ((1 << 20) - 1))
    if (nodes[node_hash[at]].parent == parent && nodes[node_hash[at]].site == site)
      return node_hash[at];
  CHECK(node_count < NODES);
  nodes[node_count] = (struct model_node){.parent = parent, .site = site};
  return node_hash[at] = node_count++;
}

static int model_cell(int node, int device, int kind) {
  uint32_t at =
      ((uint32_t)node * 2654435761u ^ (uint32_t)(device * 16 + kind) * 40503u) & ((1 << 17) - 1);
  for (; cell_hash[at]; at = (at + 1) & ((1 << 17) - 1)) {
    struct model_cell *c = &cells[cell_hash[at] - 1];
    if (c->node == node && c->device == device && c->kind == kind) return cell_hash[at] - 1;
  }
  CHECK(cell_count < CELLS);
  cells[cell_count] =
      (struct model_cell){.node = node, .device = device, .kind = kind, .smallest = UINT64_MAX};
  cell_hash[at] = ++cell_count;
  return cell_count - 1;
}

static void model_pair(int cell, int node, int64_t blocks, int64_t bytes) {
  uint32_t at = ((uint32_t)cell * 2654435761u ^ (uint32_t)node * 40503u) & ((1 << 21) - 1);
  while (pairs[at].node && (pairs[at].cell != cell || pairs[at].node != node))
    at = (at + 1) & ((1 << 21) - 1);
  pairs[at].cell = cell;
  pairs[at].node = node;
  pairs[at].blocks += (uint64_t)blocks;
  pairs[at].bytes += (uint64_t)bytes;
}

static uint64_t model_freed(int cell, int node, uint64_t *bytes) {
  uint32_t at = ((uint32_t)cell * 2654435761u ^ (uint32_t)node * 40503u) & ((1 << 21) - 1);
  for (; pairs[at].node; at = (at + 1) & ((1 << 21) - 1))
    if (pairs[at].cell == cell && pairs[at].node == node)
      return *bytes = pairs[at].bytes, pairs[at].blocks;
  return 0;
}

static uint64_t highest_now(void) {
  uint64_t highest = 0;
  for (int d = 1; d <= DEVICES; d++)
    if (totals[d] > highest) highest = totals[d];
  return highest;
}

static bool spans(int scope, int call) {
  return call == 1 && scope == 9;
}

/* Called before an event of a thread: the calls under way are activations from now on, or from the
 * entry of the scope above them. */
static void open_lines(struct model_thread *t) {
  for (int i = 0; i < t->depth; i++) {
    struct model_open *o = &t->open[i];
    if (!spans(o->scope, o->call) || o->line.open) continue;
    bool direct = i + 1 == t->depth;
    o->line =
        (struct model_sums){.node = model_node(o->own.node, SCOPES + o->scope * CALLS + o->call),
                            .device_peak = direct ? highest_now() : t->open[i + 1].own.device_peak,
                            .open = true};
  }
}

static void charge(struct model_sums *s, int64_t delta) {
  if (!s->open) return;
  s->moved = true;
  s->net += delta;
  if (s->net > s->peak) s->peak = s->net;
}

static void raise_device_peak(struct model_sums *s) {
  if (s->open && highest_now() > s->device_peak) s->device_peak = highest_now();
}

/* Changes the bytes of a cell by delta, and everything that depends on them. */
static void model_change(struct model_thread *t, int cell, int64_t delta) {
  struct model_cell *c = &cells[cell];
  open_lines(t);
  c->live += (uint64_t)delta;
  totals[c->device] += (uint64_t)delta;
  int line = nodes[c->node].site - SCOPES;
  line_live[line] += (uint64_t)delta;
  if (line_live[line] > line_peak[line]) line_peak[line] = line_live[line];
  if (totals[c->device] > peaks[c->device]) {
    peaks[c->device] = totals[c->device];
    for (int i = 0; i < cell_count; i++)
      if (cells[i].device == c->device) cells[i].at_peak = cells[i].live;
  }
  for (int i = 0; i < t->depth; i++) {
    charge(&t->open[i].own, c->device ? delta : 0);
    charge(&t->open[i].line, c->device ? delta : 0);
  }
  for (int k = 0; k < THREADS; k++)
    for (int i = 0; i < threads[k].depth; i++) {
      raise_device_peak(&threads[k].open[i].own);
      raise_device_peak(&threads[k].open[i].line);
    }
}

static int model_line(struct model_thread *t) {
  struct model_open *top = &t->open[t->depth - 1];
  return model_node(top->own.node, SCOPES + top->scope * CALLS + top->call);
}

#endif
