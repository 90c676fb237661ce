/* collisions_test.c - threads that really collide: they take no turns, and the test detects what a
 * missing lock, atomic operation or barrier loses. Windows are widened by gpm_test_yield, which
 * lets others run between a load and its store.
 *
 * devices N: threads allocate, free, fail and hand blocks to each other on N devices, on the same
 *   few call paths. Each keeps books of its own, without sharing; their sums have to be the
 *   runtime's. (With one device the history is replayed by the tool, too: see CMakeLists.txt.)
 * contexts: threads work for one scope at the same time; nothing of it is lost.
 */
#include "base/lock.h"
#include "base/state.h"
#include "capture/capture.h"
#include "core/ledger.h"
#include "emit.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { THREADS = 4, SCOPES = 3, CALLS = 2, LINES = SCOPES * CALLS, DEVICES = 2 };
enum { PATHS = LINES + LINES * LINES, SCOPE_PATHS = SCOPES + LINES * SCOPES, BOXES = 8, OWN = 64 };

static struct test_site scope_sites[SCOPES], call_sites[SCOPES][CALLS];

static void make_sites(void) {
  for (int s = 0; s < SCOPES; s++) {
    char name[32];
    snprintf(name, sizeof name, "scope%d", s);
    test_site_set(&scope_sites[s], GPUMEMPROF_SITE_FUNCTION, "a.c", (uint32_t)s + 1, name, "");
    for (int c = 0; c < CALLS; c++)
      test_site_set(&call_sites[s][c], GPUMEMPROF_SITE_CALL, "a.c",
                    (uint32_t)(SCOPES + s * CALLS + c) + 1, name, "x");
  }
}

static _Thread_local uint64_t seed;
static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(seed >> 33) % n;
}

static void let_others_run(void) {
  if (!below(32)) sched_yield();
}

static _Atomic int arrived;
static void wait_for_all(int count) {
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < count) sched_yield();
}

/* ---- devices -----------------------------------------------------------------------------------
 */

struct amount {
  uint64_t bytes, blocks;
};
static void add(struct amount *to, struct amount more) {
  to->bytes += more.bytes;
  to->blocks += more.blocks;
}

struct block {
  uint64_t address, bytes;
  int path, device;
};
static struct books { /* of a thread, then of all */
  struct amount allocated[PATHS][DEVICES], freed[PATHS][DEVICES];
  struct amount pairs[PATHS][DEVICES][PATHS];
  uint64_t active[SCOPE_PATHS], peak_sum[SCOPE_PATHS], peak_max[SCOPE_PATHS];
  uint64_t failed[PATHS], events;
} books[THREADS + 1];

/* A box in which a thread leaves a block for any other thread. */
static struct box {
  pthread_mutex_t mutex;
  struct block block; /* 0 bytes: none */
} boxes[BOXES];

static struct worker {
  int number, depth;
  int scope[2], call[2];
  int64_t net[2], peak[2];
  bool moved[2];
  struct gpumemprof_frame *frame[2];
  struct block own[OWN];
  int own_count;
  uint64_t next_address;
} workers[THREADS];
static int device_count;
static long steps;
static time_t begun;

static time_t seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec - begun;
}

/* Makes all steps, or as many as a busy machine, where each yield takes long, makes in some
 * seconds. */
static bool goes_on(long step) {
  return step < steps && (step % 64 || seconds() < 20);
}

static int path_now(const struct worker *w) {
  int outer = w->scope[0] * CALLS + w->call[0];
  return w->depth == 1 ? outer : LINES + outer * LINES + w->scope[1] * CALLS + w->call[1];
}

static int scope_path(const struct worker *w, int level) {
  return level ? SCOPES + (w->scope[0] * CALLS + w->call[0]) * SCOPES + w->scope[1] : w->scope[0];
}

static void choose_call(struct worker *w) {
  int at = w->depth - 1;
  w->call[at] = (int)below(CALLS);
  w->frame[at]->call = &call_sites[w->scope[at]][w->call[at]].site;
}

static void enter(struct worker *w) {
  int at = w->depth++;
  w->scope[at] = (int)below(SCOPES);
  w->net[at] = w->peak[at] = 0;
  w->moved[at] = false;
  w->frame[at] = test_push(&scope_sites[w->scope[at]].site, UINTPTR_MAX);
  choose_call(w);
}

static void leave(struct worker *w, struct books *b) {
  int at = w->depth - 1, path = scope_path(w, at);
  test_pop(w->frame[at]);
  w->depth--;
  if (!w->moved[at]) return;
  b->active[path]++;
  b->peak_sum[path] += (uint64_t)w->peak[at];
  if ((uint64_t)w->peak[at] > b->peak_max[path]) b->peak_max[path] = (uint64_t)w->peak[at];
}

static void charge(struct worker *w, int64_t bytes) {
  for (int i = 0; i < w->depth; i++) {
    w->moved[i] = true;
    w->net[i] += bytes;
    if (w->net[i] > w->peak[i]) w->peak[i] = w->net[i];
  }
}

static void allocate(struct gpm_thread *self, struct worker *w, struct books *b) {
  struct block *block = &w->own[w->own_count++];
  *block = (struct block){w->next_address, 1 + below(1 << 16), path_now(w),
                          (int)below((uint32_t)device_count)};
  w->next_address += 1 << 16;
  test_allocate(self, block->device, GPUMEMPROF_KIND_DEVICE, block->address, block->bytes,
                block->bytes);
  add(&b->allocated[block->path][block->device], (struct amount){block->bytes, 1});
  b->events++;
  charge(w, (int64_t)block->bytes);
}

static void free_one(struct gpm_thread *self, struct worker *w, struct books *b,
                     struct block block) {
  test_free(self, block.address);
  charge(w, -(int64_t)block.bytes);
  b->events++;
  if (!below(16)) {
    test_free_failed(self);
    charge(w, (int64_t)block.bytes);
    test_free(self, block.address);
    charge(w, -(int64_t)block.bytes);
    b->events += 2;
  }
  add(&b->freed[block.path][block.device], (struct amount){block.bytes, 1});
  add(&b->pairs[block.path][block.device][path_now(w)], (struct amount){block.bytes, 1});
}

static void exchange(struct worker *w) { /* swaps the latest block for the content of a box */
  struct box *box = &boxes[below(BOXES)];
  pthread_mutex_lock(&box->mutex);
  struct block theirs = box->block;
  box->block = w->own[--w->own_count];
  pthread_mutex_unlock(&box->mutex);
  if (theirs.bytes) w->own[w->own_count++] = theirs;
}

static void step(struct gpm_thread *self, struct worker *w, struct books *b) {
  uint32_t what = below(100);
  if (!w->depth || (w->depth == 1 && what < 12)) enter(w);
  else if (what < 22) leave(w, b);
  else if (what < 30) choose_call(w);
  else if (what < 32) {
    gpm_set_busy(self, true);
    gpm_count_ended(self);
    gpm_ledger_failed(self, 1000, false);
    gpm_set_busy(self, false);
    b->failed[path_now(w)]++;
  } else if (what < 40 && w->own_count) exchange(w);
  else if (what < 70 && w->own_count < OWN) allocate(self, w, b);
  else if (w->own_count) free_one(self, w, b, w->own[--w->own_count]);
}

static void *device_worker(void *data) {
  struct worker *w = data;
  struct books *b = &books[w->number];
  seed = (uint64_t)w->number * 977 + 5;
  w->next_address = (uint64_t)(w->number + 1) << 40;
  struct gpm_thread *self = gpm_thread_self();
  wait_for_all(THREADS);
  for (long i = 0; goes_on(i); i++) step(self, w, b);
  while (w->depth) leave(w, b);
  return NULL;
}

static void sum_books(void) {
  struct books *all = &books[THREADS];
  for (int t = 0; t < THREADS; t++) {
    const struct books *b = &books[t];
    all->events += b->events;
    for (int p = 0; p < PATHS; p++) {
      all->failed[p] += b->failed[p];
      for (int d = 0; d < DEVICES; d++) {
        add(&all->allocated[p][d], b->allocated[p][d]);
        add(&all->freed[p][d], b->freed[p][d]);
        for (int q = 0; q < PATHS; q++) add(&all->pairs[p][d][q], b->pairs[p][d][q]);
      }
    }
    for (int s = 0; s < SCOPE_PATHS; s++) {
      all->active[s] += b->active[s];
      all->peak_sum[s] += b->peak_sum[s];
      if (b->peak_max[s] > all->peak_max[s]) all->peak_max[s] = b->peak_max[s];
    }
  }
}

/* A call's path, from 0; a scope's, from 0; -1: the root. */
static int path_of_node(uint32_t id) {
  const struct gpumemprof_capture_node *n = test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
  if (n->parent == GPUMEMPROF_NONE) return -1;
  const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, n->site);
  int above = path_of_node(n->parent), line = (int)s->line - 1;
  if (line < SCOPES) return above < 0 ? line : SCOPES + above * SCOPES + line;
  return above < SCOPES ? line - SCOPES : LINES + (above - SCOPES) / SCOPES * LINES + line - SCOPES;
}

static bool same(struct gpumemprof_capture_amount a, struct amount b) {
  return a.bytes == b.bytes && a.blocks == b.blocks;
}

static void compare_cells(const struct books *all) {
  uint64_t lines[LINES] = {0}, totals[DEVICES] = {0}, pairs = 0;
  for (int p = 0; p < PATHS; p++)
    for (int d = 0; d < DEVICES; d++) {
      uint64_t live = all->allocated[p][d].bytes - all->freed[p][d].bytes;
      lines[p < LINES ? p : (p - LINES) % LINES] += live;
      totals[d] += live;
      for (int q = 0; q < PATHS; q++) pairs += all->pairs[p][d][q].blocks > 0;
    }
  static int device_of[16];
  for (int d = 0; d < device_count; d++) {
    const struct gpm_device *device = gpm_ledger_device(d);
    CHECK(device->record->total == totals[d] && device->record->peak >= totals[d]);
    device_of[device->index] = d;
  }
  uint64_t cells = test_record_count(GPUMEMPROF_CHUNK_CELLS, 0);
  for (uint64_t id = 0; id < cells; id++) {
    const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, id);
    int path = path_of_node(c->node), d = device_of[c->device];
    CHECK(same(c->allocated, all->allocated[path][d]) && same(c->freed, all->freed[path][d]));
  }
  CHECK(test_record_count(GPUMEMPROF_CHUNK_PAIRS, 0) == pairs);
  for (uint64_t id = 0; id < pairs; id++) {
    const struct gpumemprof_capture_pair *p = test_record(GPUMEMPROF_CHUNK_PAIRS, 0, id);
    const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, p->cell);
    CHECK(
        same(p->freed,
             all->pairs[path_of_node(c->node)][device_of[c->device]][path_of_node(p->free_node)]));
  }
  for (uint64_t k = 0; k < test_record_count(GPUMEMPROF_CHUNK_LINES, 0); k++) {
    const struct gpumemprof_capture_line *l = test_record(GPUMEMPROF_CHUNK_LINES, 0, k);
    CHECK(l->live == lines[l->line - 1 - SCOPES] && l->live_peak >= l->live);
  }
}

static void compare_nodes(const struct books *all) {
  uint64_t nodes = test_record_count(GPUMEMPROF_CHUNK_NODES, 0);
  for (uint32_t id = 1; id < nodes; id++) {
    const struct gpumemprof_capture_node *n = test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
    const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, n->site);
    int path = path_of_node(id);
    if ((int)s->line - 1 >= SCOPES) {
      CHECK(n->failed_calls == all->failed[path] && n->failed_bytes == 1000 * all->failed[path]);
      continue;
    }
    CHECK(n->active_calls == all->active[path] && n->own_peak_sum == all->peak_sum[path]);
    CHECK(n->own_peak_max == all->peak_max[path]);
    CHECK(!n->active_calls || n->device_peak >= n->own_peak_max / (uint64_t)device_count);
  }
}

static void devices(int count) {
  pthread_t ids[THREADS];
  device_count = count;
  for (int i = 0; i < BOXES; i++) pthread_mutex_init(&boxes[i].mutex, NULL);
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i;
    CHECK(!pthread_create(&ids[i], NULL, device_worker, &workers[i]));
  }
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
  sum_books();
  const struct books *all = &books[THREADS];
  CHECK(__gpumemprof_clock.events == all->events);
  CHECK(gpm_capture->counters[GPUMEMPROF_COUNTER_threads] == THREADS + 1);
  compare_cells(all);
  compare_nodes(all);
  printf("%llu events\n", (unsigned long long)all->events);
}

/* ---- contexts ----------------------------------------------------------------------------------
 */

static struct gpumemprof_context *handed;
static int64_t left_by[THREADS], most_of[THREADS];
static long attached_by[THREADS];

static void *context_worker(void *data) {
  int me = (int)(intptr_t)data;
  seed = (uint64_t)me * 31 + 7;
  struct gpm_thread *self = gpm_thread_self();
  uint64_t address = (uint64_t)(me + 1) << 40;
  int64_t net = 0;
  wait_for_all(THREADS);
  long i = 0;
  for (; goes_on(i); i++) {
    struct gpumemprof_frame *attached = __gpumemprof_context_attach(handed);
    CHECK(attached);
    struct gpumemprof_frame *f = test_push(&scope_sites[1].site, UINTPTR_MAX);
    f->call = &call_sites[1][0].site;
    struct gpumemprof_context *inner = i % 4 ? NULL : __gpumemprof_context_capture();
    uint64_t sizes[3], first = address;
    for (int k = 0; k < 3; k++, address += 1 << 16) {
      sizes[k] = 1 + below(1 << 16);
      test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, address, sizes[k], sizes[k]);
      net += (int64_t)sizes[k];
      if (net > most_of[me]) most_of[me] = net;
    }
    for (int k = 0; k < 3 - (i % 16 == 0); k++) {
      test_free(self, first + (uint64_t)k * (1 << 16));
      net -= (int64_t)sizes[k];
    }
    if (inner) __gpumemprof_context_release(inner);
    test_pop(f);
    __gpumemprof_context_detach(attached);
  }
  left_by[me] = net;
  attached_by[me] = i;
  return NULL;
}

static void contexts(void) {
  pthread_t ids[THREADS];
  struct gpumemprof_frame *home = test_push(&scope_sites[0].site, UINTPTR_MAX);
  home->call = &call_sites[0][0].site;
  handed = __gpumemprof_context_capture();
  CHECK(handed && home->active);
  for (intptr_t i = 0; i < THREADS; i++)
    CHECK(!pthread_create(&ids[i], NULL, context_worker, (void *)i));
  int64_t net = 0, most = 0;
  uint64_t attached = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(ids[i], NULL);
    net += left_by[i];
    most += most_of[i];
    attached += (uint64_t)attached_by[i];
  }
  const struct gpumemprof_capture_activation *a = home->active;
  CHECK(a->net == net && a->peak >= net && a->peak <= most);
  __gpumemprof_context_release(handed);
  uint64_t peak = (uint64_t)a->peak;
  test_pop(home);
  const struct gpumemprof_capture_node *n =
      gpm_tree_child(gpm_tree_root(), &scope_sites[0].site)->record;
  CHECK(n->own_peak_max == peak && n->active_calls == 1);
  struct gpm_node *call =
      gpm_tree_child(gpm_tree_child(gpm_tree_root(), &scope_sites[0].site), &call_sites[0][0].site);
  uint64_t calls = 0;
  for (uint32_t id = 1; id < test_record_count(GPUMEMPROF_CHUNK_NODES, 0); id++) {
    const struct gpumemprof_capture_node *below_it = test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
    if (below_it->parent == call->id) calls += below_it->active_calls;
  }
  CHECK(calls == attached);
  CHECK(gpm_ledger_device(0)->record->total == (uint64_t)net);
}

int main(int argc, char **argv) {
  CHECK(argc > 2);
  steps = atol(argv[argc - 1]);
  seed = 1;
  begun = seconds();
  make_sites();
  CHECK(gpm_recording());
  gpm_thread_self();
  gpm_test_yield = let_others_run;
  if (!strcmp(argv[1], "contexts")) contexts();
  else devices(atoi(argv[2]));
  return 0;
}
