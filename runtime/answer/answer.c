/* answer.c - adds up what a run says in short at its end: see answer.h.
 *
 * process.c calls it once, when the program has ended. It reads the records that the tool finds in
 * the capture, and follows the same rules: the peak of the fullest device with the line that held
 * most of it, what was not freed, calls that failed, budgets that were broken. Other threads may
 * still run. They cannot add nodes or cells meanwhile (gpm_tree_lock), and the figures of each
 * device are those of one moment (its lock).
 */
#include "answer/answer.h"
#include "base/memory.h"
#include "base/signals.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "core/ended_frames.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/pairs.h"
#include "records/sites.h"
#include "threads/threads.h"

#include "gpumemprof/capture_oom.h"
#include "gpumemprof/capture_wrappers.h"

#include <errno.h>

/* ---- the call tree ------------------------------------------------------------------------------
 */

static const struct gpumemprof_capture_node *answer_node_at(const void *answer, uint32_t node) {
  return ((const struct gpm_answer *)answer)->node[node].record;
}

static const struct gpumemprof_capture_site *answer_site_at(const void *answer, uint32_t site) {
  (void)answer;
  return gpm_sites_record(site);
}

static void take_node(struct gpm_node *node, void *data) {
  struct gpm_answer *a = data;
  struct gpm_answer_node *to = &a->node[node->id];
  to->record = node->record;
  if (node->record->site != GPUMEMPROF_NONE) to->site = gpm_sites_record(node->record->site);
}

/* A parent has a lower number than its children, so one pass finds all callers. */
static void find_callers(struct gpm_answer *a) {
  const struct gpumemprof_call_tree tree = {
      .of = a, .node = answer_node_at, .site = answer_site_at};
  for (uint32_t n = 0; n < a->node_count; n++) {
    struct gpm_answer_node *node = &a->node[n];
    uint32_t caller = gpumemprof_wrappers_is_marked(node->site)
                          ? gpumemprof_wrappers_caller(&tree, node->record)
                          : GPUMEMPROF_NONE;
    node->caller = caller == GPUMEMPROF_NONE ? n : a->node[caller].caller;
  }
}

static void highest_site(struct gpm_node *node, void *count) {
  uint32_t site = node->record->site;
  if (site != GPUMEMPROF_NONE && site >= *(uint32_t *)count) *(uint32_t *)count = site + 1;
}

/* The caller holds the tree lock. */
static struct gpm_answer *room_for_answer(void) {
  uint32_t nodes = gpm_tree_count(), sites = 0, room = 64;
  gpm_tree_each(highest_site, &sites);
  while (room < 2 * nodes) room *= 2;
  size_t at_nodes = (sizeof(struct gpm_answer) + 63) & ~(size_t)63,
         at_held = at_nodes + nodes * sizeof(struct gpm_answer_node),
         at_broken = at_held + room * sizeof(struct gpm_answer_held), bytes = at_broken + sites;
  struct gpm_answer *a = gpm_memory_try(bytes);
  if (!a) return NULL;
  a->mapped = bytes;
  a->node = (void *)((char *)a + at_nodes);
  a->node_count = nodes;
  a->held = (void *)((char *)a + at_held);
  a->held_room = room;
  a->broken = (uint8_t *)a + at_broken;
  a->site_count = sites;
  return a;
}

/* ---- sums by line -------------------------------------------------------------------------------
 */

static void begin_sum(struct gpm_answer *a) {
  memset(a->held, 0, a->held_room * sizeof *a->held);
}

static struct gpm_answer_held *held_at_line(struct gpm_answer *a, uint32_t node) {
  const struct gpumemprof_capture_site *s = a->node[node].site;
  bool call = s && (s->kind == GPUMEMPROF_SITE_CALL || s->kind == GPUMEMPROF_SITE_NATIVE);
  uint32_t file = call ? s->file : 0, line = call ? s->line : 0, function = call ? s->function : 0;
  uint64_t hash = (((uint64_t)file << 32 | line) ^ (uint64_t)function << 16) * 0x9e3779b97f4a7c15u;
  for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
    struct gpm_answer_held *h = &a->held[at & (a->held_room - 1)];
    if (!h->taken)
      *h = (struct gpm_answer_held){
          .taken = true, .file = file, .line = line, .function = function, .node = node};
    if (h->file == file && h->line == line && h->function == function) return h;
  }
}

/* Adds what a call path has. order: which of several with equal bytes names its line. */
static void add_to_line(struct gpm_answer *a, struct gpm_answer_part *part, uint32_t node,
                        struct gpumemprof_capture_amount amount, uint32_t order) {
  if (!amount.bytes && !amount.blocks) return;
  part->figure.bytes += amount.bytes;
  part->figure.blocks += amount.blocks;
  struct gpm_answer_held *h = held_at_line(a, node);
  h->bytes += amount.bytes;
  if (amount.bytes < h->most || !amount.bytes || (amount.bytes == h->most && order > h->order))
    return;
  h->most = amount.bytes;
  h->node = node;
  h->order = order;
}

static void end_sum(const struct gpm_answer *a, struct gpm_answer_part *part) {
  const struct gpm_answer_held *most = NULL;
  for (uint32_t i = 0; i < a->held_room; i++) {
    const struct gpm_answer_held *h = &a->held[i];
    if (!h->taken) continue;
    bool more =
        !most || h->bytes > most->bytes || (h->bytes == most->bytes && h->node < most->node);
    if (more) most = h;
  }
  if (!most) return;
  gpm_answer_name_node(a, most->node, &part->line);
  part->figure.most = most->bytes;
  part->figure.line = part->line.text;
}

/* ---- memory -------------------------------------------------------------------------------------
 */

static bool is_paused_node(const struct gpm_answer *a, uint32_t node) {
  const struct gpumemprof_capture_site *s = a->node[node].site;
  const char *function = s && s->function ? gpm_strings_text(s->function) : NULL;
  return function && !strcmp(function, "(paused)");
}

static void memory_moved(struct gpm_answer *a, uint32_t node) {
  a->moved = true;
  a->moved_unpaused |= !is_paused_node(a, node);
}

/* Adds what the device still holds to its call paths. Pieces of the program's own allocators are in
 * other cells, and variables do not leak. Under the device's lock. */
static void add_live(struct gpm_answer *a, const struct gpm_device *device) {
  for (const struct gpm_cell *c = device->cells; c; c = c->next_of_device) {
    const struct gpumemprof_capture_cell *r = c->record;
    memory_moved(a, a->node[r->node].caller);
    if (c->kind == GPUMEMPROF_KIND_CUSTOM || c->kind == GPUMEMPROF_KIND_STATIC) continue;
    struct gpumemprof_capture_amount *leaked = &a->node[a->node[r->node].caller].leaked;
    leaked->bytes += r->allocated.bytes - r->freed.bytes;
    leaked->blocks += r->allocated.blocks - r->freed.blocks;
  }
  for (uint32_t i = 0; i < device->pair_room; i++)
    if (device->pairs[i]) memory_moved(a, device->pairs[i]->from->id);
}

static void add_peak(struct gpm_answer *a, const struct gpm_device *device) {
  for (const struct gpm_cell *c = device->cells; c; c = c->next_of_device) {
    const struct gpumemprof_capture_cell *r = c->record;
    if (c->kind == GPUMEMPROF_KIND_CUSTOM) continue;
    struct gpumemprof_capture_amount then = {r->allocated.bytes - r->freed.bytes,
                                             r->allocated.blocks - r->freed.blocks};
    if (r->peak_epoch == device->record->peak_epoch) then = r->at_peak;
    add_to_line(a, &a->peak, a->node[r->node].caller, then, c->id);
  }
}

/* The tool lists GPUs by their numbers, and then what is no GPU, -1 first. Of devices that are
 * equally full it takes the first. */
static bool is_listed_before(int32_t ordinal, int32_t other) {
  if ((ordinal < 0) != (other < 0)) return other < 0;
  return ordinal < 0 ? ordinal > other : ordinal < other;
}

static bool precedes(const struct gpumemprof_capture_device *d,
                     const struct gpumemprof_capture_device *than) {
  if (gpumemprof_answer_is_fuller(d, than)) return true;
  return !gpumemprof_answer_is_fuller(than, d) && is_listed_before(d->ordinal, than->ordinal);
}

static void find_memory(struct gpm_answer *a) {
  const struct gpm_device *fullest = NULL;
  struct gpumemprof_capture_device record = {0}, one; /* record: of the fullest so far */
  for (unsigned i = 0; i < gpm_ledger_device_count(); i++) {
    const struct gpm_device *device = gpm_ledger_device_at(i);
    gpm_lock_take(device->lock);
    add_live(a, device);
    one = *device->record;
    gpm_lock_release(device->lock);
    if (!one.peak) continue;
    a->gpus += one.ordinal >= 0;
    if (fullest && !precedes(&one, &record)) continue;
    fullest = device;
    record = one;
  }
  if (!fullest) return;
  begin_sum(a);
  gpm_lock_take(fullest->lock);
  add_peak(a, fullest);
  a->peak.figure.bytes = fullest->record->peak;
  gpm_lock_release(fullest->lock);
  end_sum(a, &a->peak);
  a->allocated = true;
  a->ordinal = record.ordinal;
  a->memory = record.memory_total;
}

static void find_leaked(struct gpm_answer *a) {
  begin_sum(a);
  for (uint32_t n = 0; n < a->node_count; n++)
    if (a->node[n].leaked.bytes) add_to_line(a, &a->leaks, n, a->node[n].leaked, n);
  end_sum(a, &a->leaks);
}

/* The description of the last failure that was out of memory, or null. */
static const struct gpumemprof_capture_oom *last_oom(void) {
  const struct gpumemprof_capture_oom *last = NULL;
  uint64_t at = gpm_capture->header_size, end = gpm_capture_used();
  for (const struct gpumemprof_chunk *c; (c = gpm_capture_next(&at, end));) {
    uint64_t used = __atomic_load_n(&c->used, __ATOMIC_ACQUIRE);
    const struct gpumemprof_capture_oom *o = (const void *)(c + 1);
    for (uint64_t i = 0; c->type == GPUMEMPROF_CHUNK_OOMS && i < used / sizeof *o; i++)
      if (!last || o[i].ticks >= last->ticks) last = &o[i];
  }
  return last;
}

static bool gave_back_to(const struct gpm_device *device, const struct gpumemprof_capture_oom *o) {
  bool any = false;
  gpm_lock_take(device->lock);
  for (const struct gpm_cell *c = device->cells; c && !any; c = c->next_of_device)
    for (uint32_t i = 0; i < o->paths && !any; i++)
      any = o->path[i].cell == c->id && gpumemprof_oom_gave_back(&o->path[i], c->record);
  gpm_lock_release(device->lock);
  return any;
}

/* The rule of gpm_oom_leaks_ended in the tool. */
static void find_ran_out(struct gpm_answer *a) {
  const struct gpumemprof_capture_oom *o = last_oom();
  a->ran_out = o && o->paths && !(gpm_capture->flags & GPUMEMPROF_CAPTURE_STOPPED);
  for (unsigned i = 0; a->ran_out && i < gpm_ledger_device_count(); i++)
    a->ran_out = !gave_back_to(gpm_ledger_device_at(i), o);
}

/* ---- what failed --------------------------------------------------------------------------------
 */

static void find_failed(struct gpm_answer *a) {
  for (uint32_t n = 0; n < a->node_count; n++) {
    const struct gpumemprof_capture_node *r = a->node[n].record;
    struct gpumemprof_capture_amount *failed = &a->node[a->node[n].caller].failed;
    failed->bytes += gpm_peek(&r->failed_bytes);
    failed->blocks += gpm_peek(&r->failed_calls);
    a->oom_calls += gpm_peek(&r->oom_calls);
  }
  begin_sum(a);
  for (uint32_t n = 0; n < a->node_count; n++) add_to_line(a, &a->failed, n, a->node[n].failed, n);
  end_sum(a, &a->failed);
}

static void budget_broken(struct gpm_answer *a, uint32_t node, unsigned kind) {
  const struct gpumemprof_capture_node *r = node < a->node_count ? a->node[node].record : NULL;
  if (r && r->site < a->site_count) a->broken[r->site] |= (uint8_t)(1u << kind);
}

static void judge_own_peak(struct gpm_answer *a, uint32_t node, uint64_t own_peak) {
  const struct gpumemprof_capture_site *s = a->node[node].site;
  bool scope = s && (s->kind == GPUMEMPROF_SITE_FUNCTION || s->kind == GPUMEMPROF_SITE_BLOCK);
  if (scope && s->flags & GPUMEMPROF_SITE_BUDGET && own_peak > s->budget)
    budget_broken(a, node, GPUMEMPROF_BUDGET_BYTES);
}

/* Judges the scopes that are open on a thread, innermost first, as if they ended now: those of
 * main, if it has called exit. Another thread may be opening or ending one; then its figures are
 * those of a moment ago. Records are never moved. */
__attribute__((no_sanitize("thread"))) static void judge_open_scopes(struct gpm_answer *a,
                                                                     const struct gpm_thread *t) {
  struct gpumemprof_capture_activation inner = {0};
  const struct gpm_open *open = *(struct gpm_open *const volatile *)&t->latest;
  for (; open->frame || open->record; open--) {
    if (!open->record) return;
    struct gpumemprof_capture_activation one = *open->record;
    if (!(one.flags & GPUMEMPROF_ACTIVATION_SHARED)) gpm_activation_fold(&one, &inner);
    if (one.flags & GPUMEMPROF_ACTIVATION_MOVED && one.node < a->node_count)
      judge_own_peak(a, one.node, (uint64_t)one.peak);
    inner = one.flags & GPUMEMPROF_ACTIVATION_ATTACHED ? (struct gpumemprof_capture_activation){0}
                                                       : one;
  }
}

/* What broke a budget has a record, unless its scope is still open. */
static void read_capture_records(struct gpm_answer *a) {
  uint64_t at = gpm_capture->header_size, end = gpm_capture_used();
  for (const struct gpumemprof_chunk *c; (c = gpm_capture_next(&at, end));) {
    uint64_t used = __atomic_load_n(&c->used, __ATOMIC_ACQUIRE);
    a->facts.described |= c->type == GPUMEMPROF_CHUNK_OOMS && used;
    a->facts.built |= c->type == GPUMEMPROF_CHUNK_MODULES && used;
    if (c->type != GPUMEMPROF_CHUNK_VIOLATIONS) continue;
    const struct gpumemprof_capture_violation *v = (const void *)(c + 1);
    for (uint64_t i = 0; i < used / sizeof *v; i++) budget_broken(a, v[i].node, v[i].budget);
  }
}

static void find_budgets(struct gpm_answer *a) {
  for (const struct gpm_thread *t = gpm_thread_newest(); t; t = t->next) judge_open_scopes(a, t);
  read_capture_records(a);
  for (uint32_t site = 0; site < a->site_count; site++) {
    if (a->broken[site] && !a->budgets) gpm_answer_name_scope(gpm_sites_record(site), &a->budget);
    a->budgets += (uint32_t)__builtin_popcount(a->broken[site]);
  }
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static void copy_counters(struct gpm_answer *a) {
  for (unsigned i = 0; i < GPUMEMPROF_CAPTURE_COUNTERS; i++)
    a->counters[i] = gpm_peek(&gpm_capture->counters[i]);
}

static struct gpm_answer *find_answer(void) {
  struct gpm_answer *a = room_for_answer();
  if (!a) return NULL;
  gpm_tree_each(take_node, a);
  find_callers(a);
  find_memory(a);
  find_leaked(a);
  find_ran_out(a);
  find_failed(a);
  find_budgets(a);
  copy_counters(a);
  a->facts.allocated = a->allocated;
  a->facts.nothing = a->moved ? !a->moved_unpaused : a->node_count <= 1;
  a->facts.broken = a->budgets != 0;
  a->facts.failed = a->failed.figure.blocks != 0;
  a->facts.leaks = a->leaks.figure.bytes != 0;
  return a;
}

struct gpm_answer *gpm_answer_find(void) {
  if (gpm_thread_current && gpm_busy(gpm_thread_current)) return NULL;
  int saved = errno;
  sigset_t held;
  gpm_signals_hold(&held); /* a handler that allocates would wait for the code it interrupted */
  gpm_lock_take(&gpm_tree_lock);
  struct gpm_answer *answer = find_answer();
  gpm_lock_release(&gpm_tree_lock);
  gpm_signals_let_come(&held);
  errno = saved;
  return answer;
}
