/* used_span.c - see used_span.h. */
#include "advice/used_span.h"

#include "rows/use_text.h"

/* The operations that may use the block without being given its address. What stored the address
 * where they may find it is one of them: the block has to be there by then. If that is not recorded
 * it may have been right after the allocation. */
static void add_maybe(const struct gpm_uses *u, const struct gpm_use_block *b,
                      struct gpm_used_span *s) {
  uint32_t record, at = gpm_uses_first_maybe(u, b, b->begin, b->end, &record);
  if (at == GPUMEMPROF_NONE) return;
  if (b->exposed < at) {
    at = b->exposed;
    record = b->exposed_by;
  }
  uint32_t by;
  if (gpm_uses_first_by_stored_address(u, b, b->begin, &by) != GPUMEMPROF_NONE) {
    at = b->begin;
    record = by;
  }
  s->any_may = true;
  s->written_only = false;
  s->streams |= u->several_streams; /* that of each is not looked at, nor the thread */
  s->threads |= u->several_threads || u->thread != b->thread;
  if (!s->used || at < s->first) {
    s->first = at;
    s->to_first = record;
    s->first_may = true;
  }
  if (s->body == GPUMEMPROF_NONE || at < s->body) {
    s->body = at;
    s->to_body = record;
    s->body_may = true;
  }
  at = gpm_uses_last_maybe(u, b, b->begin, b->end, &record);
  if (!s->used || at > s->last) {
    s->last = at;
    s->to_last = record;
    s->last_may = true;
  }
  s->used = true;
}

/* Adds the next use of the block. */
static void add_use(struct gpm_used_span *s, const struct gpm_uses *u, const struct gpm_use *use) {
  const struct gpumemprof_capture_use *record =
      gpm_use_text_record(u->profile->reader, use->record);
  bool may = use->flags & GPM_USE_MAYBE;
  if (!s->used) {
    s->first = use->at;
    s->to_first = use->record;
    s->first_may = may;
    s->used = true;
  } else s->streams |= !gpm_uses_same_handle(u, use - 1, use);
  if (s->body == GPUMEMPROF_NONE && use->flags & GPM_USE_FILL) {
    bool value = record->what == GPUMEMPROF_USE_FILL || record->what == GPUMEMPROF_USE_FILL_ROWS;
    s->fills_are_known &= value || use->flags & GPM_USE_UNCHANGED;
    s->fills_unchanged |= use->flags & GPM_USE_UNCHANGED;
    s->fills_changed |= use->flags & GPM_USE_CHANGED;
  } else if (s->body == GPUMEMPROF_NONE) {
    s->body = use->at;
    s->to_body = use->record;
    s->body_may = may;
  }
  s->launched |= record->what == GPUMEMPROF_USE_LAUNCH;
  s->last = use->at;
  s->to_last = use->record;
  s->last_may = may;
  s->any_may |= may;
  s->written_only &= !may && use->access == GPM_ACCESS_WRITE;
}

struct gpm_used_span gpm_used_span_of(const struct gpm_uses *u, const struct gpm_use_block *b) {
  struct gpm_used_span s = {.body = GPUMEMPROF_NONE,
                            .fills_are_known = true,
                            .written_only = b->count != 0,
                            .threads = b->threads};
  for (uint32_t i = 0; i < b->count; i++) add_use(&s, u, &u->use[b->first + i]);
  add_maybe(u, b, &s);
  return s;
}

bool gpm_used_certainly(const struct gpm_uses *u, const struct gpm_use_block *b, uint32_t *from,
                        uint32_t *end) {
  *from = GPUMEMPROF_NONE;
  *end = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use *use = &u->use[b->first + i];
    if (use->flags & GPM_USE_MAYBE) continue;
    if (*from == GPUMEMPROF_NONE) *from = use->at;
    *end = use->at + 1;
  }
  return *end != 0;
}
