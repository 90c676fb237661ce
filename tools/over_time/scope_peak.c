/* scope_peak.c - see scope_peak.h. Two passes over the events: the first finds the moment, the
 * second stops there. */
#include "over_time/scope_peak.h"

#include "events/replay_state.h"

#include <stdlib.h>

static const struct gpm_replay_thread *thread_of(struct gpm_replay *p, uint32_t number) {
  return &p->threads[*gpm_map_at(&p->thread_of, number, 0)]; /* it has just made an event */
}

static void look_at(struct gpm_replay *p, const struct gpm_event *e, const uint8_t *wanted,
                    struct gpm_scope_peak *peak) {
  const struct gpm_replay_thread *t = thread_of(p, e->thread);
  for (size_t i = 0; i < t->depth; i++) {
    const struct gpm_replay_scope *s = &t->open[i];
    if (!wanted[s->node] || s->peak <= 0) continue;
    if (peak->node != GPUMEMPROF_NONE && (uint64_t)s->peak <= peak->own_peak) continue;
    *peak = (struct gpm_scope_peak){.node = s->node,
                                    .own_peak = (uint64_t)s->peak,
                                    .clock = e->clock,
                                    .ticks = e->ticks,
                                    .since = s->since,
                                    .thread = e->thread,
                                    .event = t->latest_node};
  }
}

static const char *needs_all_events(const struct gpm_reader *r) {
  if (r->header.counters[GPUMEMPROF_COUNTER_events_overwritten])
    return "it holds the latest events only (history=ring)";
  if (r->header.resets) return "its figures were begun anew (gpumemprof_reset)";
  if (gpm_reader_has_part_of_history(r)) return "it holds the events of a part of the run";
  return NULL;
}

char *gpm_scope_peak_find(struct gpm_reader *reader, const struct gpm_profile *profile,
                          const uint8_t *wanted, struct gpm_scope_peak *peak) {
  *peak = (struct gpm_scope_peak){.node = GPUMEMPROF_NONE};
  char error[512] = "";
  struct gpm_history *history = gpm_history_open(reader, error, sizeof error);
  if (!history) return gpm_memory_text(error);
  const char *part = needs_all_events(reader);
  struct gpm_replay *replay = gpm_replay_new(profile);
  struct gpm_event e;
  while (!part && gpm_history_next(history, &e, error, sizeof error)) {
    gpm_replay_event(replay, &e);
    bool rises = e.kind == GPM_EVENT_ALLOCATED || e.kind == GPM_EVENT_TAKEN_BACK;
    if (rises && !replay->delegated) look_at(replay, &e, wanted, peak);
  }
  if (replay->delegated) part = "its threads worked for each other's scopes";
  gpm_replay_free(replay);
  gpm_history_close(history);
  if (part)
    return gpm_memory_format("%s: %s, so what was live at a scope's peak is not known; record it "
                             "with history=all from its start",
                             reader->path, part);
  return *error ? gpm_memory_text(error) : NULL;
}

char *gpm_scope_peak_hold(struct gpm_reader *reader, const struct gpm_profile *profile,
                          const struct gpm_scope_peak *peak, struct gpm_holding *holding) {
  char error[512] = "";
  struct gpm_history *history = gpm_history_open(reader, error, sizeof error);
  if (!history) return gpm_memory_text(error);
  struct gpm_replay *replay = gpm_replay_new(profile);
  struct gpm_event e;
  while (gpm_history_next(history, &e, error, sizeof error) && e.clock <= peak->clock)
    gpm_replay_event(replay, &e);
  gpm_holding_begin(holding, profile);
  for (size_t i = 0; i < replay->life_count; i++) {
    const struct gpm_life *life = &replay->lives[i];
    if (!life->live || !profile->cell_shown[life->cell]) continue;
    bool inside = life->thread == peak->thread && life->clock >= peak->since;
    gpm_holding_add(holding, profile->cell_node[life->cell], life->bytes, 1,
                    inside ? life->bytes : 0);
  }
  gpm_holding_sort(holding);
  gpm_replay_free(replay);
  gpm_history_close(history);
  return *error ? gpm_memory_text(error) : NULL;
}
