/* page_tracks.c - see page_tracks.h.
 *
 * The number of events is not known in advance, so parts begin with one tick each. When there are
 * too many parts, they are joined two by two.
 */
#include "page/page_tracks.h"

#include <stdlib.h>

/* ---- a part ------------------------------------------------------------------------------------
 */

static void join(struct gpm_page_part *to, const struct gpm_page_part *first,
                 const struct gpm_page_part *second) {
  const struct gpm_page_part *higher = second->most > first->most ? second : first;
  uint64_t least = second->least < first->least ? second->least : first->least;
  *to = (struct gpm_page_part){higher->most, least, higher->moment};
}

/* The live bytes are unchanged up to the tick before. */
static void reach(const struct gpm_page_tracks *t, struct gpm_page_track *track, uint64_t clock) {
  for (; track->begun * t->width < clock; track->begun++)
    track->part[track->begun] =
        (struct gpm_page_part){track->live, track->live, track->begun * t->width};
}

/* The clock is past the last part, so all parts have ended. */
static void widen(struct gpm_page_tracks *t) {
  for (uint32_t k = 0; k < t->count; k++) reach(t, &t->track[k], t->most * t->width);
  if (t->widening) t->widening(t->data);
  for (uint32_t k = 0; k < t->count; k++) {
    struct gpm_page_track *track = &t->track[k];
    for (uint64_t i = 0; i < track->begun; i += 2)
      join(&track->part[i / 2], &track->part[i], &track->part[i + 1 < track->begun ? i + 1 : i]);
    track->begun = (track->begun + 1) / 2;
  }
  for (uint32_t i = 0; i < t->most; i++) {
    struct gpm_page_moment later = t->time[i];
    t->time[i] = (struct gpm_page_moment){0, 0};
    if (later.clock && (i % 2 == 0 || !t->time[i / 2].clock)) t->time[i / 2] = later;
  }
  t->width *= 2;
}

static void change(const struct gpm_page_tracks *t, struct gpm_page_track *track, uint64_t clock,
                   uint64_t bytes) {
  reach(t, track, clock);
  track->live += bytes; /* modulo 2^64, so that a free can be added */
  struct gpm_page_part *part = &track->part[clock / t->width];
  if (track->begun == clock / t->width) {
    *part = (struct gpm_page_part){track->live, track->live, clock};
    track->begun++;
  }
  if (track->live < part->least) part->least = track->live;
  if (track->live > part->most) {
    part->most = track->live;
    part->moment = clock;
  }
  if (track->live <= track->peak) return;
  track->peak = track->live;
  track->peak_clock = clock;
}

/* ---- the run -----------------------------------------------------------------------------------
 */

static bool add_step(void *self, const struct gpm_step *s) {
  struct gpm_page_tracks *t = self;
  if (!s->block) return true;
  uint64_t clock = s->event.clock, bytes = s->block->bytes;
  while (clock / t->width >= t->most) widen(t);
  uint64_t time = s->time_ns > t->end.time_ns ? s->time_ns : t->end.time_ns;
  t->end = (struct gpm_page_moment){clock, time};
  if (!t->time[clock / t->width].clock) t->time[clock / t->width] = t->end;
  if (s->event.kind == GPM_EVENT_FREED) bytes = 0 - bytes;
  for (uint32_t k = t->all[s->block->device]; k < t->count; k++) {
    struct gpm_page_track *track = &t->track[k];
    if (track->device != s->block->device) break;
    if (track->kind == GPM_ALL_KINDS || track->kind == s->kind) change(t, track, clock, bytes);
  }
  return true;
}

static void end(void *self, uint64_t clock) {
  struct gpm_page_tracks *t = self;
  t->last = clock;
  while (t->last / t->width >= t->most) widen(t);
  t->parts = (uint32_t)(t->last / t->width + 1);
  for (uint32_t k = 0; k < t->count; k++) reach(t, &t->track[k], t->last + 1);
  t->complete = true;
}

static void add_track(struct gpm_page_tracks *t, uint32_t device, uint32_t kind) {
  t->track = gpm_memory_resize(t->track, t->count + 1, sizeof *t->track);
  t->track[t->count++] =
      (struct gpm_page_track){.device = device,
                              .kind = kind,
                              .part = gpm_memory_array(t->most, sizeof(struct gpm_page_part))};
}

/* Makes one track for each device that has memory, followed by one for each of its kinds if it has
 * several. */
static void find_tracks(struct gpm_page_tracks *t) {
  const struct gpm_reader *r = t->page->reader;
  const struct gpm_profile *left = gpm_page_left_out(t->page);
  uint64_t *kinds = gpm_memory_array(r->device_count, sizeof *kinds);
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (!left || left->cell_shown[at.number]) kinds[c->device] |= (uint64_t)1 << c->kind;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    t->all[device] = kinds[device] ? t->count : GPUMEMPROF_NONE;
    if (kinds[device]) add_track(t, device, GPM_ALL_KINDS);
    for (uint32_t kind = 0; kind < GPUMEMPROF_KINDS; kind++)
      if (kinds[device] & (kinds[device] - 1) && kinds[device] >> kind & 1)
        add_track(t, device, kind);
  }
  free(kinds);
}

struct gpm_listener gpm_page_tracks_listen(struct gpm_page_tracks *t, const struct gpm_page *page,
                                           uint32_t most) {
  *t = (struct gpm_page_tracks){.page = page, .width = 1, .most = most, .parts = most};
  t->all = gpm_memory_array(page->reader->device_count, sizeof *t->all);
  t->time = gpm_memory_array(most, sizeof *t->time);
  find_tracks(t);
  return (struct gpm_listener){
      .self = t, .profile = gpm_page_left_out(page), .stops = true, .step = add_step, .end = end};
}

void gpm_page_tracks_free(struct gpm_page_tracks *t) {
  for (uint32_t k = 0; k < t->count; k++) free(t->track[k].part);
  free(t->track);
  free(t->all);
  free(t->time);
}

uint32_t gpm_page_tracks_from(const struct gpm_page_tracks *t, uint32_t device, uint64_t clock) {
  struct gpm_page_track *track = &t->track[t->all[device]];
  uint64_t i = clock / t->width;
  if (i >= t->parts) return t->parts;
  if (!t->complete) reach(t, track, (i + 1) * t->width);
  return (uint32_t)(track->part[i].moment < clock ? i + 1 : i);
}
