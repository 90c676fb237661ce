/* oracle_test.c - a million random events, and every figure recomputed by brute force.
 *
 * Three threads take turns; each pushes and pops scopes, allocates, fails, frees anybody's blocks,
 * has frees fail, and jumps out of several scopes at once. The model updates every open scope,
 * every line and, at each new device peak, every cell: this is slow, and shares no technique with
 * the runtime. Other runs (`single` or `shared`, and a number of devices) have one thread or three
 * and few lines, so that repeats.c makes many of the events. With a further argument `reset`, all
 * figures are reset from time to time, and compared before each reset. Some calls are activations
 * of their lines. GPUMEMPROF_TEST_SEED chooses the events (seeds_in_turns.py).
 */
#include "oracle_model.h"

/* ---- one step of one thread --------------------------------------------------------------------
 */

static uint64_t random_state = 88172645463325252ULL;
static uint32_t random_below(uint32_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 33) % n;
}

static uint64_t new_address(void) {
  uint32_t room = shape.few && random_below(8) ? 4096 : 1u << 20;
  for (;;) {
    uint64_t a =
        0x7f0000000000ULL + (uint64_t)random_below(room) * (random_below(8) ? 512 : 256 + 16);
    int i = 0;
    while (i < live_count && live[i].address != a) i++;
    if (i == live_count) return a;
  }
}

static void enter_scope(struct model_thread *t) {
  struct model_open *parent = t->depth ? &t->open[t->depth - 1] : NULL;
  int scope = parent ? (parent->scope * CALLS + parent->call + 1) % SCOPES : 0;
  struct model_open *o = &t->open[t->depth];
  int above = parent ? model_line(t) : 0;
  *o = (struct model_open){
      .scope = scope,
      .own = {.node = model_node(above, scope), .device_peak = highest_now(), .open = true}};
  o->frame = test_push(&scope_sites[scope].site, UINTPTR_MAX);
  o->frame->call = &call_sites[scope][0].site;
  t->depth++;
}

static void model_end(struct model_sums *s) {
  struct model_node *n = &nodes[s->node];
  bool moved = s->open && s->moved;
  s->open = false;
  if (!moved) return;
  n->active++;
  n->peak_sum += (uint64_t)s->peak;
  if ((uint64_t)s->peak > n->peak_max) n->peak_max = (uint64_t)s->peak;
  if (s->device_peak > n->device_peak) n->device_peak = s->device_peak;
}

static void model_leave(struct model_thread *t) {
  struct model_open *o = &t->open[--t->depth];
  model_end(&o->line);
  model_end(&o->own);
}

/* Does what compiled code after a call does. */
static void end_call(struct model_open *o) {
  if (!spans(o->scope, o->call)) return;
  if (o->frame->active) __gpumemprof_call_ended(o->frame);
  model_end(&o->line);
}

static void compare_all(void);
static void reset_all(void) {
  CHECK(__gpumemprof_reset());
  for (int i = 0; i < cell_count; i++) {
    struct model_cell *c = &cells[i];
    c->allocated = c->at_peak = c->live;
    c->blocks -= c->freed_blocks;
    c->freed = c->freed_blocks = 0;
    c->padding = c->live_padding;
    c->smallest = UINT64_MAX;
    c->largest = c->lifetimes = c->temporary = 0;
  }
  for (int i = 0; i < node_count; i++)
    nodes[i] = (struct model_node){.parent = nodes[i].parent, .site = nodes[i].site};
  memset(pairs, 0, sizeof pairs);
  memcpy(peaks, totals, sizeof peaks);
  memcpy(line_peak, line_live, sizeof line_peak);
}

/* Each kind of one device has its own cell, and so has pool memory of each of two streams. */
enum { STREAMS = 2, KINDS = 2 + STREAMS };
static int kind_and_stream(struct gpm_thread *self, int device, uint16_t *kind) {
  static char streams[STREAMS];
  if (!device) return *kind = GPUMEMPROF_KIND_PINNED;
  uint32_t which = shape.few && random_below(16) ? 0 : random_below(KINDS);
  *kind = which == 0   ? GPUMEMPROF_KIND_DEVICE
          : which == 1 ? GPUMEMPROF_KIND_MANAGED
                       : GPUMEMPROF_KIND_POOL;
  if (which < 2) return *kind;
  self->stream = &streams[which - 2];
  return (int)(*kind + 16 * (which - 1));
}

static void model_ended(struct model_thread *t, const struct model_block *b, uint64_t clock) {
  cells[b->cell].lifetimes += clock - b->clock;
  cells[b->cell].temporary += t->latest == b->address;
}

static void step(struct gpm_thread *self, struct model_thread *t) {
  uint32_t what = random_below(100);
  if (shape.resets && random_below(200000) == 0) compare_all(), reset_all();
  if (!t->depth || (what < 15 && t->depth < shape.depth)) {
    enter_scope(t);
  } else if (what < 27 && t->depth > 1) {
    test_pop(t->open[t->depth - 1].frame);
    model_leave(t);
  } else if (what < 29 && t->depth > 2) { /* longjmp or throw over some scopes */
    int to = (int)random_below((uint32_t)t->depth - 1) + 1;
    __gpumemprof_unwind(t->open[to - 1].frame);
    while (t->depth > to) model_leave(t);
    if (random_below(2)) end_call(&t->open[to - 1]); /* else the callee caught it and continues */
  } else if (what < 40) {
    struct model_open *o = &t->open[t->depth - 1];
    end_call(o);
    o->call = (int)random_below((uint32_t)shape.calls);
    o->frame->call = &call_sites[o->scope][o->call].site;
  } else if (what < 42) {
    gpm_ledger_failed(self, 1000, true);
    open_lines(t);
    nodes[model_line(t)].failed++;
  } else if (what < 71 && live_count < MOST_LIVE) {
    int device = (int)random_below((uint32_t)shape.devices + 1);
    uint16_t kind;
    int which = kind_and_stream(self, device, &kind);
    uint64_t bytes = 1 + random_below(1u << 20), address = new_address();
    int cell = model_cell(model_line(t), device, which);
    uint64_t padding = random_below(4) ? 0 : bytes - bytes / 2;
    test_allocate(self, device - 1, kind, address, bytes, bytes - padding);
    struct model_cell *c = &cells[cell];
    c->allocated += bytes;
    c->blocks++;
    c->padding += padding;
    c->live_padding += padding;
    if (bytes < c->smallest) c->smallest = bytes;
    if (bytes > c->largest) c->largest = bytes;
    live[live_count++] =
        (struct model_block){address, bytes, padding, __gpumemprof_clock.events, cell};
    t->latest = address;
    model_change(t, cell, (int64_t)bytes);
  } else if (live_count) {
    int i = (int)random_below((uint32_t)live_count);
    struct model_block b = live[i];
    bool fails = random_below(50) == 0;
    test_free(self, b.address);
    uint64_t freed_at = __gpumemprof_clock.events;
    bool was_latest = t->latest == b.address;
    model_change(t, b.cell, -(int64_t)b.bytes);
    t->latest = 0;
    if (fails) {
      if (shape.resets && random_below(20) == 0) { /* a reset while the call is under way */
        cells[b.cell].live_padding -= b.padding;
        cells[b.cell].blocks--;
        reset_all();
        cells[b.cell].live_padding += b.padding;
        cells[b.cell].padding += b.padding;
        cells[b.cell].allocated += b.bytes;
        cells[b.cell].blocks++;
      }
      test_free_failed(self);
      model_change(t, b.cell, (int64_t)b.bytes);
      return;
    }
    model_pair(b.cell, model_line(t), 1, (int64_t)b.bytes);
    cells[b.cell].freed += b.bytes;
    cells[b.cell].freed_blocks++;
    t->latest = was_latest ? b.address : 0;
    model_ended(t, &b, freed_at);
    t->latest = 0;
    cells[b.cell].live_padding -= b.padding;
    live[i] = live[--live_count];
  }
}

static void thread_step(struct gpm_thread *self, int me) {
  step(self, &threads[me]);
}

static void thread_end(int me) {
  while (threads[me].depth) {
    test_pop(threads[me].open[threads[me].depth - 1].frame);
    model_leave(&threads[me]);
  }
}

/* ---- comparison
 * ------------------------------------------------------------------------------------- */

static int model_of[NODES]; /* runtime node id -> model node */

static const struct gpumemprof_capture_node *node_at(uint64_t id) {
  return test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
}

static void compare_nodes(void) {
  uint64_t count = test_record_count(GPUMEMPROF_CHUNK_NODES, 0);
  for (uint64_t id = 1; id < count; id++) {
    const struct gpumemprof_capture_node *n = node_at(id);
    const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, n->site);
    model_of[id] = model_node(model_of[n->parent], (int)s->line - 1);
    const struct model_node *m = &nodes[model_of[id]];
    CHECK(n->active_calls == m->active);
    CHECK(n->own_peak_max == m->peak_max);
    CHECK(n->own_peak_sum == m->peak_sum);
    CHECK(n->device_peak == m->device_peak);
    CHECK(n->failed_calls == m->failed && n->oom_calls == m->failed &&
          n->failed_bytes == 1000 * m->failed);
  }
  printf("%llu call paths\n", (unsigned long long)count);
}

/* As kind_and_stream numbers them: streams in the order of their handles. */
static int kind_of_record(const struct gpumemprof_capture_cell *c) {
  if (c->kind != GPUMEMPROF_KIND_POOL) return c->kind;
  uint64_t handle = 0, lowest = UINT64_MAX;
  for (uint64_t k = 0; k < test_record_count(GPUMEMPROF_CHUNK_STREAMS, 0); k++) {
    const struct gpumemprof_capture_stream *s = test_record(GPUMEMPROF_CHUNK_STREAMS, 0, k);
    if (k + 1 == c->stream) handle = s->handle;
    if (s->handle < lowest) lowest = s->handle;
  }
  return (int)(c->kind + 16 * (1 + handle - lowest));
}

static void compare_cells(void) {
  uint64_t count = test_record_count(GPUMEMPROF_CHUNK_CELLS, 0);
  CHECK(count == (uint64_t)cell_count);
  uint64_t pair_count = 0;
  long found = 0;
  for (uint64_t id = 0; id < count; id++) {
    const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, id);
    const struct gpumemprof_capture_device *d = test_record(GPUMEMPROF_CHUNK_DEVICES, 0, c->device);
    const struct model_cell *m =
        &cells[model_cell(model_of[c->node], d->ordinal + 1, kind_of_record(c))];
    CHECK(c->allocated.bytes == m->allocated && c->allocated.blocks == m->blocks);
    CHECK(c->freed.bytes == m->freed && c->freed.blocks == m->freed_blocks);
    uint64_t at_peak =
        c->peak_epoch == d->peak_epoch ? c->at_peak.bytes : c->allocated.bytes - c->freed.bytes;
    CHECK(at_peak == m->at_peak);
    CHECK(c->lifetime_clock == m->lifetimes && c->temporary_blocks == m->temporary);
    CHECK(c->padding == m->padding && c->max_size == m->largest);
    CHECK(!c->allocated.blocks || c->min_size == m->smallest);
  }
  for (uint64_t k = 0;; k++) {
    const struct gpumemprof_capture_pair *p = test_record(GPUMEMPROF_CHUNK_PAIRS, 0, k);
    if (!p) break;
    const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, p->cell);
    const struct gpumemprof_capture_device *d = test_record(GPUMEMPROF_CHUNK_DEVICES, 0, c->device);
    uint64_t bytes = 0,
             blocks = model_freed(model_cell(model_of[c->node], d->ordinal + 1, kind_of_record(c)),
                                  model_of[p->free_node], &bytes);
    CHECK(p->freed.blocks == blocks && p->freed.bytes == bytes);
    found += blocks != 0;
    pair_count++;
  }
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) found -= pairs[i].blocks != 0;
  CHECK(!found);
  printf("%llu cells, %llu pairs\n", (unsigned long long)count, (unsigned long long)pair_count);
}

static void compare_devices_and_lines(void) {
  for (int i = 0; i <= shape.devices; i++) {
    const struct gpumemprof_capture_device *d = gpm_ledger_device(i - 1)->record;
    uint64_t by_kind = 0;
    for (int k = 0; k < GPUMEMPROF_KIND_COUNT; k++) by_kind += d->live[k].bytes;
    CHECK(d->total == totals[i] && d->peak == peaks[i] && by_kind == totals[i]);
  }
  uint64_t count = test_record_count(GPUMEMPROF_CHUNK_LINES, 0);
  for (uint64_t k = 0; k < count; k++) {
    const struct gpumemprof_capture_line *l = test_record(GPUMEMPROF_CHUNK_LINES, 0, k);
    uint32_t i = l->line - 1 - SCOPES;
    CHECK(l->live == line_live[i] && l->live_peak == line_peak[i]);
  }
}

static void compare_blocks(void) {
  for (int i = 0; i < live_count; i++) {
    struct gpm_block *b = test_block(live[i].address);
    CHECK(b && b->bytes == live[i].bytes);
  }
}

static void compare_all(void) {
  compare_nodes();
  compare_cells();
  compare_devices_and_lines();
  compare_blocks();
}

int main(int argc, char **argv) {
  long steps = argc > 1 ? atol(argv[1]) : 1000000;
  random_state += test_seed();
  shape.resets = argc > 2 && !strcmp(argv[argc - 1], "reset");
  bool single = argc > 2 && !strcmp(argv[2], "single");
  if (single || (argc > 2 && !strcmp(argv[2], "shared"))) {
    shape.few = true;
    if (single) shape.threads = 1;
    shape.devices = argc > 3 ? atoi(argv[3]) : 1;
    gpm_cuda_one_device = shape.devices == 1;
    shape.calls = 2;
    shape.depth = 3;
  }
  for (int s = 0; s < SCOPES; s++) {
    char name[32];
    snprintf(name, sizeof name, "scope%d", s);
    test_site_set(&scope_sites[s], GPUMEMPROF_SITE_FUNCTION, "a.c", (uint32_t)s + 1, name, "");
    for (int c = 0; c < CALLS; c++) {
      test_site_set(&call_sites[s][c], GPUMEMPROF_SITE_CALL, "a.c",
                    (uint32_t)(SCOPES + s * CALLS + c) + 1, name, "x");
      if (spans(s, c)) call_sites[s][c].site.flags = GPUMEMPROF_SITE_SPANS;
    }
  }
  CHECK(gpm_recording());
  take_turns((struct turns){.threads = shape.threads,
                            .steps_left = steps,
                            .longest = 200,
                            .below = random_below,
                            .step = thread_step,
                            .end = thread_end});
  compare_all();
  CHECK(!shape.resets || gpm_capture->resets > 4);
  printf("clock %llu, every figure as the oracle's; %ld events by repeats.c, %ld the first of a "
         "scope\n",
         (unsigned long long)__gpumemprof_clock.events, (long)test_repeat, (long)test_first);
  CHECK(!shape.few || test_repeat > steps / (shape.resets ? 80 : 40));
  CHECK(!shape.few || shape.resets || test_first > (shape.devices == 1 ? steps / 1000 : 0));
  return 0;
}
