/* unjudged.c - the memory at the peak about which nothing can be said, and why (advice.h).
 *
 * A block is listed if it stays at the peak, with all changes made, only because something may use
 * it, or because changes of such blocks are not judged at all.
 */
#include "advice/advice.h"
#include "advice/used_span.h"

#include <stdlib.h>
#include <string.h>

struct listing {
  struct gpm_advice *advice;
  const struct gpm_uses *uses;
  struct gpm_map by_reason; /* the reason or the record of USES, and the device */
};

/* Adds a block to the entry of its reason; null: an operation may use it, that of the record. */
static void list(struct listing *l, const struct gpm_use_block *b, const char *reason,
                 uint32_t record) {
  struct gpm_advice *a = l->advice;
  uint64_t what = reason ? (uint64_t)(uintptr_t)reason : ((uint64_t)1 << 63 | record);
  uint64_t number = *gpm_map_at(&l->by_reason, gpm_map_mix(what) + b->device, a->unjudged_count);
  if (number == a->unjudged_count) {
    a->unjudged = gpm_memory_resize(a->unjudged, number + 1, sizeof *a->unjudged);
    a->unjudged[a->unjudged_count++] = (struct gpm_advice_unjudged){
        .device = b->device,
        .reason = reason ? gpm_memory_text(reason) : gpm_uses_why_open(l->uses, record)};
  }
  a->unjudged[number].blocks++;
  a->unjudged[number].bytes += b->bytes;
}

/* Whether the total between two positions is the peak that is left. */
static bool is_at_peak(const struct listing *l, const struct gpm_use_block *b, uint32_t from,
                       uint32_t to) {
  const struct gpm_peaks *p = &l->advice->changes[b->device].peaks;
  return from < to && gpm_peaks_between(p, from, to) == gpm_peaks_now(p);
}

/* Lists a block that is at the peak before its first use that is certain, or after the last one. */
static void judge(struct listing *l, const struct gpm_use_block *b) {
  const struct gpm_uses *u = l->uses;
  const char *reason = gpm_line_changes_not_judged(u, b);
  if (reason) {
    if (b->kind != GPUMEMPROF_KIND_STATIC && is_at_peak(l, b, b->begin, b->end))
      list(l, b, reason, 0);
    return;
  }
  struct gpm_used_span s = gpm_used_span_of(u, b);
  if (!s.any_may) return;
  uint32_t first, last; /* of the uses that are certain */
  if (!gpm_used_certainly(u, b, &first, &last)) {
    first = s.last + 1;
    last = s.first;
  }
  if (is_at_peak(l, b, last, s.last + 1)) list(l, b, NULL, s.to_last);
  else if (is_at_peak(l, b, s.first, first)) {
    uint32_t record = s.to_first; /* it may be what stored the address, and not what uses it */
    if (s.first == b->exposed) gpm_uses_first_maybe(u, b, b->begin, b->end, &record);
    list(l, b, NULL, record);
  }
}

static int largest_first(const void *a, const void *b) {
  const struct gpm_advice_unjudged *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return strcmp(x->reason, y->reason);
}

/* Makes all changes up to a round. */
static void make_all(struct gpm_advice *a, const struct gpm_reader *r, unsigned rounds) {
  for (uint32_t i = 0; i < a->devices; i++)
    if (gpm_advice_is_gpu(r, i)) gpm_line_changes_set(&a->changes[i], rounds);
}

void gpm_advice_find_unjudged(struct gpm_advice *a, const struct gpm_uses *u) {
  struct listing l = {.advice = a, .uses = u};
  const struct gpm_reader *r = u->profile->reader;
  make_all(a, r, 2); /* those that cost no time */
  for (size_t i = 0; i < u->count; i++)
    if (gpm_advice_is_gpu(r, u->block[i].device)) judge(&l, &u->block[i]);
  make_all(a, r, 0);
  if (a->unjudged_count) qsort(a->unjudged, a->unjudged_count, sizeof *a->unjudged, largest_first);
  gpm_map_free(&l.by_reason);
}
