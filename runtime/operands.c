/* operands.c - the values that sizes of allocations are computed from (hooks.h:
 * gpumemprof_operands).
 *
 * Compiled code calls before an allocation when its values are not those of the call before; then
 * they are noted in the capture and become what the next call compares with. So a loop that asks
 * for the same again calls nothing. While the history is on nothing is known, so that each call
 * tells its values, which go into the events beside its allocation.
 *
 *   record in an object  --seen.record--  seen  --seen.entry-->  entry: the line's in the capture
 *
 * Several objects may have the same line; only of one the values are known at a time, so that what
 * is the latest is always told. What `known` says is true while values_lock is held by nobody; a
 * reader finds the same number before and after only if all values are of one call.
 */
#include "observers.h"

#include <string.h>

struct operands_entry { /* of the capture */
  struct gpumemprof_capture_operands *record;
  uint32_t number;
  struct seen_operands *latest; /* that told the values; no other one's are known. Or null */
  struct operands_entry *next;
};
struct seen_operands {                /* of an object */
  struct gpumemprof_operands *record; /* null: its object is gone, this can be used again */
  struct operands_entry *entry;
  uint32_t changes;                           /* the latest `known` */
  uint64_t bytes, value[GPUMEMPROF_OPERANDS]; /* that were told here lately */
  struct seen_operands *next;
};

static struct gpm_lock values_lock; /* protects what follows and what records hold */
static struct operands_entry *operands_entries;
static struct seen_operands *seen_operands;
static uint32_t history_begins; /* how often it was switched on */
static struct gpm_table operands_table = {GPUMEMPROF_CHUNK_OPERANDS,
                                          sizeof(struct gpumemprof_capture_operands), 0, 0, NULL};

static const struct gpumemprof_site *operands_site(const struct gpumemprof_operands *o) {
  return (const void *)gpm_sites_text(&o->site);
}

/* The record of the site in the capture, made if there is none; null: no room. */
static struct operands_entry *operands_entry_of(const struct gpumemprof_operands *o) {
  struct gpumemprof_capture_operands made = {.count = o->count, .is_signed = o->is_signed};
  gpm_lock_take(&gpm_tree_lock);
  made.site = gpm_sites_intern(operands_site(o));
  const char *name = gpm_sites_text(&o->names);
  for (unsigned i = 0; i < o->count; i++, name += strlen(name) + 1)
    made.name[i] = gpm_strings_intern(name);
  gpm_lock_release(&gpm_tree_lock);
  if (made.site == GPUMEMPROF_NONE) return NULL;
  struct operands_entry *e = operands_entries;
  while (e && memcmp(e->record, &made, offsetof(struct gpumemprof_capture_operands, told)) != 0)
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

static struct seen_operands *see_operands(struct gpumemprof_operands *o) {
  if (o->runtime_data) return o->runtime_data;
  if (!o->count || o->count > GPUMEMPROF_OPERANDS) return NULL;
  struct operands_entry *entry = operands_entry_of(o);
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
  bool first = !r->told;
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
  __atomic_store_n(&r->told, r->told + 1, __ATOMIC_RELEASE);
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

static void tell_values(struct gpm_thread *thread, struct gpumemprof_operands *o, uint64_t bytes,
                        const uint64_t values[GPUMEMPROF_OPERANDS]) {
  gpm_lock_take(&values_lock);
  struct seen_operands *s = see_operands(o);
  if (s) {
    struct gpumemprof_capture_operands *r = s->entry->record;
    note_values(r, bytes, values);
    struct seen_operands *before = s->entry->latest;
    if (before && before != s && before->record) make_unknown(before->record);
    s->entry->latest = s;
    s->bytes = bytes;
    memcpy(s->value, values, sizeof s->value);
    struct gpm_told_operands *told = &thread->told_operands;
    told->count = 0;
    if (GPM_LIKELY(!gpm_history_is_on())) make_known(s, values);
    else {
      *told = (struct gpm_told_operands){.site = r->site,
                                         .number = s->entry->number,
                                         .count = r->count,
                                         .history_begins = history_begins};
      memcpy(told->value, values, sizeof told->value);
    }
  }
  gpm_lock_release(&values_lock);
}

/* While recording is paused places are not recorded, and neither is what is known of them. */
GPM_EXPORT void __gpumemprof_operands(struct gpumemprof_operands *operands, uint64_t bytes,
                                      uint64_t v0, uint64_t v1, uint64_t v2, uint64_t v3) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread) || gpm_observed(GPM_OBSERVING_PAUSED)) return;
  gpm_set_busy(thread, true);
  if (gpm_recording()) /* a signal handler may have forked before it was busy */
    tell_values(thread, operands, bytes, (const uint64_t[]){v0, v1, v2, v3});
  gpm_set_busy(thread, false);
}

const struct gpm_told_operands *gpm_operands_of(struct gpm_thread *thread, uint32_t site) {
  struct gpm_told_operands *told = &thread->told_operands;
  if (!told->count || told->site != site ||
      told->history_begins != __atomic_load_n(&history_begins, __ATOMIC_RELAXED))
    return NULL;
  return told;
}

void gpm_operands_history(void) {
  gpm_lock_take(&values_lock);
  __atomic_fetch_add(&history_begins, 1, __ATOMIC_RELAXED);
  for (struct seen_operands *s = seen_operands; s; s = s->next)
    if (s->record) make_unknown(s->record);
  gpm_lock_release(&values_lock);
}

void gpm_operands_reset(void) {
  gpm_lock_take(&values_lock);
  for (struct seen_operands *s = seen_operands; s; s = s->next)
    if (s->record) make_unknown(s->record);
  for (struct operands_entry *e = operands_entries; e; e = e->next)
    __atomic_store_n(&e->record->told, 0, __ATOMIC_RELAXED);
  gpm_lock_release(&values_lock);
}

/* Not where the frames of a profiled scope open: there no call is under way yet. */
void gpm_operands_again(struct gpm_thread *thread) {
  const struct gpumemprof_site *scope = gpm_thread_scope(thread);
  if (!scope || scope->flags & GPUMEMPROF_SITE_PROFILED) return;
  const void *call = gpm_thread_call(thread);
  gpm_lock_take(&values_lock);
  for (struct seen_operands *s = seen_operands; s; s = s->next)
    if (s->record && operands_site(s->record) == call)
      note_values(s->entry->record, s->bytes, s->value);
  gpm_lock_release(&values_lock);
}

void gpm_operands_forget(const void *begin, const void *end) {
  gpm_lock_take(&values_lock);
  for (struct seen_operands *s = seen_operands; s; s = s->next)
    if ((const void *)s->record >= begin && (const void *)s->record < end) {
      make_unknown(s->record); /* it may be called once more, in a destructor that runs later */
      s->record->runtime_data = NULL;
      s->record = NULL;
    }
  gpm_lock_release(&values_lock);
}

void gpm_operands_forked(void) {
  atomic_store(&values_lock.held, 0);
  bool recorded = atomic_load(&gpm_process_state) == GPM_RECORDING; /* else objects may be gone */
  for (struct seen_operands *s = seen_operands; s && recorded; s = s->next)
    if (s->record) {
      make_unknown(s->record);
      s->record->runtime_data = NULL;
    }
  seen_operands = NULL;
  operands_entries = NULL; /* of the parent's capture */
  history_begins++;        /* so is what a thread has told */
  operands_table.count = 0;
  operands_table.last = NULL;
}
