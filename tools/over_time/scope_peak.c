/* scope_peak.c - see scope_peak.h. Each time a scope needs more than ever before, the replay marks
 * the moment, so that at the end it is known what was live at the last such moment. */
#include "over_time/scope_peak.h"

#include "events/listeners.h"
#include "events/replay_state.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>

struct finding {
  const struct gpm_profile *profile;
  const uint8_t *wanted; /* by node */
  const char *part;      /* why the events do not show the peak, or null */
  struct gpm_replay *replay;
  struct gpm_scope_peak *peak;
};

static const struct gpm_replay_thread *thread_of(struct gpm_replay *p, uint32_t number) {
  return &p->threads[*gpm_map_at(&p->thread_of, number, 0)]; /* it has just made an event */
}

/* Returns true if one of the wanted scopes now needs more than any did before. */
static bool is_higher(const struct finding *f, const struct gpm_event *e) {
  const struct gpm_replay_thread *t = thread_of(f->replay, e->thread);
  struct gpm_scope_peak *peak = f->peak;
  bool higher = false;
  for (size_t i = 0; i < t->depth; i++) {
    const struct gpm_replay_scope *s = &t->open[i];
    if (!f->wanted[s->node] || s->peak <= 0) continue;
    if (peak->node != GPUMEMPROF_NONE && (uint64_t)s->peak <= peak->own_peak) continue;
    higher = true;
    peak->node = s->node;
    peak->own_peak = (uint64_t)s->peak;
    peak->clock = e->clock;
    peak->ticks = e->ticks;
    peak->since = s->since;
    peak->thread = e->thread;
    peak->event = t->latest_node;
  }
  return higher;
}

static const char *needs_all_events(const struct gpm_reader *r) {
  if (r->header.counters[GPUMEMPROF_COUNTER_events_overwritten])
    return "it holds the latest events only (history=ring)";
  if (r->header.resets) return "its figures were reset (gpumemprof_reset)";
  if (gpm_reader_has_part_of_history(r)) return "it holds the events of a part of the run";
  return NULL;
}

static void count_before(const struct finding *f, const struct gpm_event *e) {
  if (e->kind == GPM_EVENT_ALLOCATED && f->profile->cell_shown[e->id])
    gpm_latest_add(&f->peak->before, e);
}

static bool add_event(void *self, const struct gpm_event *e) {
  struct finding *f = self;
  if (f->part) return false;
  gpm_replay_event(f->replay, e);
  count_before(f, e);
  bool rises = e->kind == GPM_EVENT_ALLOCATED || e->kind == GPM_EVENT_TAKEN_BACK;
  if (rises && !f->replay->delegated && is_higher(f, e)) {
    gpm_replay_mark(f->replay);
    gpm_latest_mark(&f->peak->before);
  }
  return !f->replay->delegated;
}

/* Adds up what was live at the moment that was marked last. */
static void hold(const struct finding *f) {
  struct gpm_holding *holding = &f->peak->holding;
  const struct gpm_profile *p = f->profile;
  for (size_t i = 0; i < f->replay->then_count; i++) {
    struct gpm_replay_then then = gpm_replay_then(f->replay, i);
    if (!then.live || !p->cell_shown[then.cell]) continue;
    bool inside = then.thread == f->peak->thread && then.clock >= f->peak->since;
    gpm_holding_add(holding, p->cell_node[then.cell], then.bytes, 1, inside ? then.bytes : 0);
  }
  gpm_holding_sort(holding);
}

char *gpm_scope_peak_find(struct gpm_reader *reader, const struct gpm_profile *profile,
                          const uint8_t *wanted, uint32_t last, struct gpm_scope_peak *peak) {
  char error[512];
  struct finding f = {.profile = profile,
                      .wanted = wanted,
                      .part = needs_all_events(reader),
                      .replay = gpm_replay_new(profile),
                      .peak = peak};
  *peak = (struct gpm_scope_peak){.node = GPUMEMPROF_NONE};
  gpm_latest_begin(&peak->before, last);
  gpm_holding_begin(&peak->holding, profile);
  struct gpm_listener listener = {.self = &f, .event = add_event};
  bool received = gpm_listeners_read(reader, &listener, 1, error, sizeof error);
  bool delegated = f.replay->delegated;
  if (delegated) f.part = "its threads worked for each other's scopes";
  if (received) hold(&f);
  gpm_replay_free(f.replay);
  if (!received || f.part)
    peak->fault = f.part || !reader->event_chunks ? GPM_SCOPE_EVENTS : GPM_SCOPE_DAMAGED;
  if (f.part && (received || delegated))
    return gpm_memory_format("%s: %s, so what was live at a scope's peak is not known; record it "
                             "with history=all from its start",
                             reader->path, f.part);
  return received ? NULL : gpm_memory_text(error);
}

/* ---- by name -----------------------------------------------------------------------------------
 */

/* Marks, by node, the scopes with this name. Returns null, or that there is none. */
static char *find_scopes(const struct gpm_profile *p, const char *called, uint8_t *wanted) {
  const char **names = gpm_memory_array((size_t)p->node_count * 2 + 1, sizeof *names);
  size_t count = 0;
  bool any = false;
  for (uint32_t n = 0; n < p->node_count; n++) {
    if (!gpm_profile_is_scope(p, n)) continue;
    const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[n]);
    const char *name =
        gpm_reader_string(p->reader, p->kind[n] == GPUMEMPROF_SITE_BLOCK ? s->name : s->function);
    wanted[n] = gpm_locations_is_called(name, called);
    any = any || wanted[n];
    names[count++] = name;
  }
  const char *nearest = any || !count ? NULL : gpm_text_nearest(called, names);
  free(names);
  if (any) return NULL;
  return gpm_memory_format("no memory was moved in a scope `%s`%s%s%s", called,
                           nearest ? "; there is `"
                                   : "; `gpumemprof report --by function` lists them",
                           nearest ? nearest : "", nearest ? "`" : "");
}

/* Of a function that was inlined wherever it was called, in code that was not rebuilt. */
static bool are_all_inlined(const struct gpm_profile *p, const uint8_t *wanted) {
  for (uint32_t n = 0; n < p->node_count; n++)
    if (wanted[n] && !gpm_reader_is_inlined(p->reader, n)) return false;
  return true;
}

char *gpm_scope_peak_named(struct gpm_reader *reader, const struct gpm_profile *profile,
                           const char *name, uint32_t last, struct gpm_scope_peak *peak) {
  uint8_t *wanted = gpm_memory_array(profile->node_count, 1);
  *peak = (struct gpm_scope_peak){.node = GPUMEMPROF_NONE, .fault = GPM_SCOPE_NAME};
  char *wrong = find_scopes(profile, name, wanted);
  if (!wrong && are_all_inlined(profile, wanted))
    wrong =
        gpm_memory_format("`%s` was inlined in code that was not rebuilt, so its calls were not "
                          "seen; --scope takes the function that it was inlined into",
                          name);
  if (!wrong) wrong = gpm_scope_peak_find(reader, profile, wanted, last, peak);
  free(wanted);
  if (wrong || peak->node != GPUMEMPROF_NONE) return wrong;
  peak->fault = GPM_SCOPE_NAME;
  return gpm_memory_format("no call of `%s` needed memory on top of what was there", name);
}

void gpm_scope_peak_free(struct gpm_scope_peak *peak) {
  gpm_latest_free(&peak->before);
  gpm_holding_free(&peak->holding);
}
