/* timeline.c - see timeline.h. Events are read twice: where the axis ends, then what changed.
 * Memory is that of the columns, and of the addresses a program ever used. */
#include "timeline.h"

#include "command.h"
#include "memory.h"
#include "samples.h"
#include "text.h"
#include "walk.h"

#include <stdlib.h>

/* ---- the axis ----------------------------------------------------------------------------------
 */

uint64_t gpm_timeline_at(const struct gpm_timeline *t, uint64_t clock, uint64_t ticks) {
  return t->by_clock ? clock : gpm_reader_time_ns(t->profile->reader, ticks);
}

uint32_t gpm_timeline_column(const struct gpm_timeline *t, uint64_t at) {
  uint64_t column = (uint64_t)((unsigned __int128)at * t->width / t->length);
  return column < t->width ? (uint32_t)column : t->width - 1;
}

uint64_t gpm_timeline_begin(const struct gpm_timeline *t, uint32_t column) {
  return (uint64_t)(((unsigned __int128)column * t->length + t->width - 1) / t->width);
}

static void reach(struct gpm_timeline *t, uint64_t at) {
  if (at >= t->length) t->length = at + 1;
}

/* ---- columns -----------------------------------------------------------------------------------
 */

/* What was live goes on to that column. */
static void go_on(struct gpm_timeline_device *d, uint32_t column) {
  while (d->at < column)
    d->column[++d->at] = (struct gpm_timeline_column){d->live, d->live, d->live};
}

static void set(const struct gpm_timeline *t, struct gpm_timeline_device *d, uint64_t at,
                uint64_t live) {
  go_on(d, gpm_timeline_column(t, at));
  struct gpm_timeline_column *c = &d->column[d->at];
  d->live = c->last = live;
  if (live < c->min) c->min = live;
  if (live > c->max) c->max = live;
  if (live <= d->max) return;
  d->max = live;
  d->max_at = at;
}

static struct gpm_timeline_device *device_of(struct gpm_timeline *t, uint32_t device) {
  for (uint32_t i = 0; i < t->count; i++)
    if (t->device[i].device == device) return &t->device[i];
  return NULL;
}

static void find_devices(struct gpm_timeline *t) {
  const struct gpm_reader *r = t->profile->reader;
  uint8_t *shown = gpm_memory_array(r->device_count, 1);
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    shown[c->device] |= t->profile->cell_shown[at.number];
  t->device = gpm_memory_array(r->device_count, sizeof *t->device);
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (!shown[device]) continue;
    t->device[t->count++] = (struct gpm_timeline_device){
        .device = device, .column = gpm_memory_array(t->width, sizeof *t->device->column)};
  }
  free(shown);
}

/* ---- events ------------------------------------------------------------------------------------
 */

/* The moment of an event that is no earlier than the one before it: stamps of several threads are
 * not in the order of the clock to the last digit. */
static uint64_t moment(const struct gpm_timeline *t, const struct gpm_step *s, uint64_t latest) {
  uint64_t at = t->by_clock ? s->event.clock : s->time_ns;
  return at > latest ? at : latest;
}

static bool read_events(struct gpm_timeline *t, struct gpm_reader *r) {
  struct gpm_step s;
  for (unsigned pass = 0; pass < 2; pass++) {
    struct gpm_walk *walk = gpm_walk_open(r, t->profile);
    if (!walk) return false;
    uint64_t at = 0;
    while (gpm_walk_next(walk, &s)) {
      at = moment(t, &s, at);
      if (!pass) reach(t, at);
      struct gpm_timeline_device *d = pass && s.block ? device_of(t, s.block->device) : NULL;
      if (!d) continue;
      bool freed = s.event.kind == GPM_EVENT_FREED;
      set(t, d, at, freed ? d->live - s.block->bytes : d->live + s.block->bytes);
    }
    if (!gpm_walk_close(walk)) return false;
  }
  return true;
}

/* ---- samples -----------------------------------------------------------------------------------
 */

static void add_peak(const struct gpm_timeline *t, struct gpm_timeline_device *d, uint64_t before) {
  const struct gpumemprof_capture_device *record = &t->profile->reader->devices[d->device];
  uint64_t at = gpm_timeline_at(t, record->peak_clock, record->peak_ticks);
  if (!record->peak || d->max >= record->peak || at > before) return;
  uint64_t live = d->live;
  set(t, d, at, record->peak);
  set(t, d, at, live); /* nobody knows what came next */
}

static void read_samples(struct gpm_timeline *t) {
  const struct gpm_reader *r = t->profile->reader;
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));)
    reach(t, gpm_timeline_at(t, s->clock, s->ticks));
  for (uint32_t i = 0; i < t->count; i++) {
    const struct gpumemprof_capture_device *d = &r->devices[t->device[i].device];
    reach(t, gpm_timeline_at(t, d->peak_clock, d->peak_ticks));
  }
  at = (struct gpm_cursor){.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
    struct gpm_timeline_device *d = s->pool == GPUMEMPROF_NONE ? device_of(t, s->device) : NULL;
    if (!d) continue;
    uint64_t place = gpm_timeline_at(t, s->clock, s->ticks);
    add_peak(t, d, place);
    set(t, d, place, s->ledger);
    d->samples++;
  }
  for (uint32_t i = 0; i < t->count; i++) {
    struct gpm_timeline_device *d = &t->device[i];
    add_peak(t, d, UINT64_MAX);
    set(t, d, t->length - 1, r->devices[d->device].total);
  }
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

/* They are of all kinds of memory. */
static bool can_use_samples(const struct gpm_timeline *t, const struct gpm_reader *r) {
  bool any = gpm_samples_of_monitor(r) != 0;
  if (any && !t->of_kind) return true;
  char *path = gpm_text_clean(r->path);
  gpm_say("%s has %s%s: record it with GPUMEMPROF_OPTIONS=history=all%s", path,
          r->event_chunks ? "a part of the events" : "no events",
          any ? ", and samples do not tell kinds of memory"
              : " and no samples, so there is no timeline",
          any ? "" : ", or monitor=100ms");
  free(path);
  return false;
}

bool gpm_timeline_make(struct gpm_timeline *t, struct gpm_reader *r) {
  t->by_samples = !r->event_chunks || !gpm_walk_is_whole(r);
  if (t->by_samples && !can_use_samples(t, r)) return false;
  t->length = 1;
  if (!t->by_clock) reach(t, gpm_reader_time_ns(r, r->header.last_ticks));
  gpm_progress("reading the events");
  find_devices(t);
  if (t->by_samples) read_samples(t);
  else if (!read_events(t, r)) return false;
  for (uint32_t i = 0; i < t->count; i++) go_on(&t->device[i], t->width - 1);
  return true;
}

void gpm_timeline_free(struct gpm_timeline *t) {
  for (uint32_t i = 0; i < t->count; i++) free(t->device[i].column);
  free(t->device);
}
