/* operands.c - the values that sizes of allocations are computed from (hooks.h:
 * gpumemprof_operands).
 *
 * Compiled code stores them in its frame before the call. New values are recorded in the capture,
 * and the next call compares its values with them, so a loop that repeats a size costs only a
 * comparison. The history takes the values from the frame, with each event.
 *
 *   record in an object  --seen.record--  seen  --seen.entry-->  entry: the line's in the capture
 *
 * Several objects may contain the same line. The values of only one of them are known at a time, so
 * that the latest values are always recorded. `known` is valid while no thread holds values_lock; a
 * reader finds the same number before and after its reads only if all values are of one call.
 */
#include "core/operands.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "core/history.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/modules.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <string.h>

struct operands_entry { /* of a line in the capture */
  struct gpumemprof_capture_operands *record;
  uint32_t number;
  /* The site whose values are the latest, and the only ones known; null: none. */
  struct seen_operands *latest;
  struct operands_entry *next;
};
struct seen_operands {                /* of a line in an object */
  struct gpumemprof_operands *record; /* null: its object was closed, and this can be reused */
  struct operands_entry *entry;
  uint32_t changes; /* the latest `known` */
  struct seen_operands *next;
};

static struct gpm_lock values_lock =
    GPM_LOCK(values); /* protects what follows, and the contents of the records */
static struct operands_entry *operands_entries;
static struct seen_operands *seen_operands;
static struct gpm_table operands_table = {GPUMEMPROF_CHUNK_OPERANDS,
                                          sizeof(struct gpumemprof_capture_operands), 0, 0, NULL};

/* The entry of the site in the capture, created if there is none; null: no room. */
static struct operands_entry *operands_entry_of(const struct gpumemprof_operands *o,
                                                const void *call) {
  struct gpumemprof_capture_operands made = {.count = o->count, .is_signed = o->is_signed};
  gpm_lock_take(&gpm_tree_lock);
  made.site = gpm_sites_intern(call);
  const char *name = gpm_sites_text(&o->names);
  for (unsigned i = 0; i < o->count; i++, name += strlen(name) + 1)
    made.name[i] = gpm_strings_intern(name);
  gpm_lock_release(&gpm_tree_lock);
  if (made.site == GPUMEMPROF_NONE) return NULL;
  struct operands_entry *e = operands_entries;
  while (e && memcmp(e->record, &made, offsetof(struct gpumemprof_capture_operands, recorded)) != 0)
    e = e->next;
  if (e || !(e = gpm_memory_get(sizeof *e))) return e;
  struct gpumemprof_capture_operands *record = gpm_table_next(&operands_table);
  if (!record) return NULL;
  *record = made;
  *e = (struct operands_entry){record, operands_table.count, NULL, operands_entries};
  operands_entries = e;
  gpm_table_publish(&operands_table);
  return e;
}

static struct seen_operands *see_operands(struct gpumemprof_operands *o, const void *call) {
  if (o->runtime_data) return o->runtime_data;
  if (!o->count || o->count > GPUMEMPROF_OPERANDS) return NULL;
  struct operands_entry *entry = operands_entry_of(o, call);
  struct seen_operands *s = seen_operands;
  while (s && s->record) s = s->next;
  if (entry && !s && (s = gpm_memory_get(sizeof *s))) {
    s->next = seen_operands;
    seen_operands = s;
  }
  if (!entry || !s) return NULL;
  s->record = o;
  s->entry = entry;
  o->runtime_data = s;
  return s;
}

static bool is_less(uint64_t a, uint64_t b, bool is_signed) {
  return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static void note_values(struct gpumemprof_capture_operands *r, uint64_t bytes,
                        const uint64_t values[GPUMEMPROF_OPERANDS]) {
  bool first = !r->recorded;
  for (unsigned i = 0; i < r->count; i++) {
    bool is_signed = r->is_signed >> i & 1;
    if (first || is_less(values[i], r->min[i], is_signed)) r->min[i] = values[i];
    if (first || is_less(r->max[i], values[i], is_signed)) r->max[i] = values[i];
    r->latest[i] = values[i];
  }
  if (first || bytes > r->largest_bytes) {
    memcpy(r->largest, values, sizeof r->largest);
    r->largest_bytes = bytes;
  }
  __atomic_store_n(&r->recorded, r->recorded + 1, __ATOMIC_RELEASE);
}

static void make_unknown(struct gpumemprof_operands *o) {
  __atomic_store_n(&o->known, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void make_known(struct seen_operands *s, const uint64_t values[GPUMEMPROF_OPERANDS]) {
  struct gpumemprof_operands *o = s->record;
  make_unknown(o);
  for (unsigned i = 0; i < o->count; i++)
    __atomic_store_n(&o->value[i], values[i], __ATOMIC_RELAXED);
  if (!++s->changes) ++s->changes;
  __atomic_store_n(&o->known, s->changes, __ATOMIC_RELEASE);
}

/* gpm_operands_same for any number of values. */
static bool all_same(const struct gpumemprof_operands *o, const struct gpumemprof_frame *f) {
  uint32_t before = __atomic_load_n(&o->known, __ATOMIC_ACQUIRE);
  bool same = before != 0;
  for (unsigned i = 0; i < o->count && same; i++)
    same = __atomic_load_n(&o->value[i], __ATOMIC_ACQUIRE) == f->operand[i];
  return same && __atomic_load_n(&o->known, __ATOMIC_RELAXED) == before;
}

GPM_NOINLINE void gpm_operands_note_others(struct gpumemprof_operands *o,
                                           const struct gpumemprof_frame *f, uint64_t bytes) {
  gpm_lock_take(&values_lock);
  struct seen_operands *s = see_operands(o, f->call);
  if (s) {
    note_values(s->entry->record, bytes, f->operand);
    struct seen_operands *before = s->entry->latest;
    if (before && before != s && before->record) make_unknown(before->record);
    s->entry->latest = s;
    make_known(s, f->operand);
  }
  gpm_lock_release(&values_lock);
}

/* The operands of a frame's call. frame->call need not point to a site (call_tree.c: checked_call),
 * but the address that a node has does. */
static struct gpumemprof_operands *operands_of(const struct gpumemprof_frame *f,
                                               const struct gpm_node *line) {
  if (!f || !f->call) return NULL;
  bool is_site = line && atomic_load_explicit(&line->site, memory_order_relaxed) == f->call;
  return is_site || gpm_modules_hold(f->call) ? gpm_operands_at(f->call) : NULL;
}

GPM_NOINLINE void gpm_operands_note(struct gpm_thread *thread, const struct gpm_node *line,
                                    uint64_t bytes) {
  const struct gpumemprof_frame *f = gpm_thread_caller(thread);
  struct gpumemprof_operands *o = operands_of(f, line);
  if (o && !all_same(o, f)) gpm_operands_note_others(o, f, bytes);
}

GPM_NOINLINE void gpm_operands_event(struct gpm_thread *thread, const struct gpm_node *line) {
  const struct gpumemprof_frame *f = gpm_thread_caller(thread);
  const struct gpumemprof_operands *o = operands_of(f, line);
  const struct seen_operands *s = o ? o->runtime_data : NULL;
  if (s) gpm_history_operands(thread, s->entry->number, o->count, f->operand);
}

void gpm_operands_reset(void) {
  gpm_lock_take(&values_lock);
  for (struct seen_operands *s = seen_operands; s; s = s->next)
    if (s->record) make_unknown(s->record);
  for (struct operands_entry *e = operands_entries; e; e = e->next)
    __atomic_store_n(&e->record->recorded, 0, __ATOMIC_RELAXED);
  gpm_lock_release(&values_lock);
}

void gpm_operands_forget(const void *begin, const void *end) {
  gpm_lock_take(&values_lock);
  for (struct seen_operands *s = seen_operands; s; s = s->next)
    if ((const void *)s->record >= begin && (const void *)s->record < end) {
      make_unknown(s->record); /* a destructor that runs later may make the call again */
      s->record->runtime_data = NULL;
      s->record = NULL;
    }
  gpm_lock_release(&values_lock);
}

void gpm_operands_forked(bool recorded) {
  atomic_store(&values_lock.held, 0);
  for (struct seen_operands *s = seen_operands; s && recorded; s = s->next)
    if (s->record) {
      make_unknown(s->record);
      s->record->runtime_data = NULL;
    }
  seen_operands = NULL;
  operands_entries = NULL; /* they belong to the parent's capture */
  operands_table.count = 0;
  operands_table.last = NULL;
}
