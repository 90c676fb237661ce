/* line_changes.c - see line_changes.h. */
#include "advice/line_changes.h"

#include "advice/needed.h"
#include "advice/places.h"
#include "advice/used_span.h"
#include "rows/use_text.h"

#include <stdlib.h>
#include <string.h>

const struct gpm_advice_text gpm_advice_texts[GPM_ADVICE_RULES] = {
#define GPM_ADVICE(NAME, id, round, effort, action, text) {id, action, text, round, effort},
#include "advice/rules.def"
};

enum { MOST_GAP_CHANGES = 4096 };

struct finding {
  struct gpm_line_changes *c;
  struct gpm_places places;
  unsigned rules;
  uint32_t at;        /* where the peak is */
  size_t gap_changes; /* changes of gaps between uses */
  struct gpm_needed needed;
};

/* ---- stretches and their changes ---------------------------------------------------------------
 */

static uint32_t add_stretch(struct gpm_line_changes *c, uint64_t bytes, uint32_t from, uint32_t to,
                            unsigned round) {
  if (from >= to) return GPUMEMPROF_NONE;
  if (c->stretch_count == c->stretch_room) {
    c->stretch_room = c->stretch_room ? c->stretch_room * 2 : 256;
    c->stretch = gpm_memory_resize(c->stretch, c->stretch_room, sizeof *c->stretch);
  }
  c->stretch[c->stretch_count] =
      (struct gpm_stretch){.bytes = bytes, .from = from, .to = to, .round = (uint8_t)round};
  return (uint32_t)c->stretch_count++;
}

uint32_t gpm_line_changes_add(struct gpm_line_changes *c, const struct gpm_line_change *change) {
  if (c->count == c->room) {
    c->room = c->room ? c->room * 2 : 64;
    c->change = gpm_memory_resize(c->change, c->room, sizeof *c->change);
  }
  c->change[c->count] = *change;
  c->change[c->count].lines = gpm_line_changes_lines(c, change);
  c->change[c->count].first = GPUMEMPROF_NONE;
  c->change[c->count].earliest = c->change[c->count].latest = GPUMEMPROF_NONE;
  return (uint32_t)c->count++;
}

static void add_member(struct gpm_line_changes *c, struct gpm_line_change *change,
                       uint32_t stretch) {
  if (stretch == GPUMEMPROF_NONE) return;
  if (c->member_count == c->member_room) {
    c->member_room = c->member_room ? c->member_room * 2 : 256;
    c->member = gpm_memory_resize(c->member, c->member_room, sizeof *c->member);
  }
  struct gpm_stretch *s = &c->stretch[stretch];
  s->in_round[gpm_advice_texts[change->rule].round - 1]++;
  c->member[c->member_count] = (struct gpm_line_change_member){stretch, change->first};
  change->first = (uint32_t)c->member_count++;
  change->byte_positions += (double)(int64_t)s->bytes * (s->to - s->from);
  if (change->rule == GPM_ADVICE_IDLE_COPY) change->copied += 2 * s->bytes; /* out and in */
}

/* Completes a change of the block. Returns whether it can be given: its lines are known, and the
 * rule is asked for. */
static bool can_be_given(const struct finding *f, const struct gpm_use_block *b,
                         struct gpm_line_change *change) {
  const struct gpm_reader *r = f->c->uses->profile->reader;
  const uint32_t record[] = {change->to, change->back};
  for (unsigned i = 0; i < 2; i++)
    if (record[i] != GPUMEMPROF_NONE &&
        !gpm_line_changes_site_is_known(r, gpm_line_changes_site_of_use(f->c, record[i])))
      return false;
  change->node = b->node;
  change->free_node = b->free_node;
  change->kind = b->kind;
  return f->rules >> change->rule & 1;
}

void gpm_line_changes_add_stretch(struct gpm_line_changes *c, uint32_t change, int64_t bytes,
                                  uint32_t from, uint32_t to) {
  unsigned round = gpm_advice_texts[c->change[change].rule].round;
  add_member(c, &c->change[change], add_stretch(c, (uint64_t)bytes, from, to, round));
}

static void add_block(struct gpm_line_changes *c, struct gpm_line_change *to,
                      const struct gpm_use_block *b, const struct gpm_line_change *change) {
  gpm_line_changes_add_block(c, to, b);
  to->may_be_used |= change->may_be_used;
  to->unchanged |= change->unchanged;
  to->streams |= change->streams;
  to->threads |= change->threads;
  to->launched |= change->launched;
}

/* Adds the stretches of a block, the one that was made first before the others, to the change of
 * its lines, if it can be given. */
static void offer(struct finding *f, const struct gpm_use_block *b, struct gpm_line_change change,
                  const uint32_t *stretch, unsigned count) {
  struct gpm_line_changes *c = f->c;
  bool any = false;
  for (unsigned i = 0; i < count; i++) any |= stretch[i] != GPUMEMPROF_NONE;
  if (!any || !can_be_given(f, b, &change)) return;
  struct gpm_line_change *to = gpm_line_changes_one(c, &change, true);
  add_block(c, to, b, &change);
  for (unsigned i = 0; i < count; i++) add_member(c, to, stretch[i]);
}

/* ---- the rules ---------------------------------------------------------------------------------
 */

/* The number of changes of gaps is bounded, since a program may have one for any two lines: half of
 * them are for gaps at the peak. */
static bool has_room_for_gap(const struct finding *f, uint32_t from, uint32_t to) {
  bool at_peak = from <= f->at && f->at < to;
  return f->gap_changes < (at_peak ? MOST_GAP_CHANGES : MOST_GAP_CHANGES / 2);
}

static void offer_gap(struct finding *f, const struct gpm_use_block *b, uint32_t from, uint32_t to,
                      struct gpm_line_change change) {
  struct gpm_line_changes *c = f->c;
  if (!can_be_given(f, b, &change)) return;
  size_t before = c->count;
  struct gpm_line_change *of = gpm_line_changes_one(c, &change, has_room_for_gap(f, from, to));
  f->gap_changes += c->count - before;
  if (!of) return;
  of->cut |= change.cut;
  if (change.cut) return;
  add_block(c, of, b, &change);
  add_member(c, of, add_stretch(c, b->bytes, from, to, gpm_advice_texts[change.rule].round));
}

/* The last use is a copy to the host, which could be made right after the use before it. */
static void offer_out(struct finding *f, const struct gpm_use_block *b,
                      const struct gpm_used_span *s, uint32_t late) {
  struct gpm_line_changes *c = f->c;
  const struct gpm_use *use = &c->uses->use[b->first], *last = &use[b->count - 1];
  uint32_t from = gpm_places_after(&f->places, last[-1].at);
  offer(f, b,
        (struct gpm_line_change){.rule = GPM_ADVICE_IDLE_OUT,
                                 .streams = s->streams,
                                 .threads = s->threads,
                                 .frees = from,
                                 .to = last[-1].record,
                                 .back = last->record},
        (uint32_t[]){late, add_stretch(c, b->bytes, from, s->last + 1, 2)}, 2);
}

/* Whether a use of the block copies it to the host, and nothing uses it from there on. */
static bool is_out(const struct gpm_uses *u, const struct gpm_use_block *b, uint32_t number) {
  const struct gpm_use *use = &u->use[b->first + number];
  uint32_t record;
  return number + 1 == b->count && use->flags & GPM_USE_OUT &&
         gpm_uses_first_maybe(u, b, use->at, b->end, &record) == GPUMEMPROF_NONE;
}

/* Between two uses nothing may use it, and where something may use it between others of the same
 * lines, the change says too much. Gaps at which no total is above what is needed in any case
 * make no difference. Those before the first use that is no fill, `body`, are a part of what
 * EARLY_ALLOC_FILL removes, and nothing may be removed twice. */
static void offer_gaps(struct finding *f, const struct gpm_use_block *b,
                       const struct gpm_used_span *s, uint32_t body, uint32_t late) {
  struct gpm_line_changes *c = f->c;
  const struct gpm_use *use = &c->uses->use[b->first];
  uint32_t record;
  for (uint32_t i = 0; i + 1 < b->count; i++) {
    uint32_t from = gpm_places_after(&f->places, use[i].at),
             to = gpm_places_before(&f->places, use[i + 1].at);
    if (use[i].at < body || from >= to || use[i + 1].flags & GPM_USE_HELD) continue;
    bool unused = gpm_uses_first_maybe(c->uses, b, from, to, &record) == GPUMEMPROF_NONE,
         low = c->run[from] <= f->needed.at_once &&
               gpm_peaks_between(&c->peaks, from, to) <= f->needed.at_once;
    if (unused && low) continue;
    if (unused && is_out(c->uses, b, i + 1)) return offer_out(f, b, s, late);
    if (gpm_uses_first_by_stored_address(c->uses, b, to, &record) != GPUMEMPROF_NONE)
      unused = false;
    bool dead = use[i + 1].flags & GPM_USE_WHOLE && use[i + 1].access == GPM_ACCESS_WRITE;
    offer_gap(f, b, from, to,
              (struct gpm_line_change){.rule = dead ? GPM_ADVICE_IDLE : GPM_ADVICE_IDLE_COPY,
                                       .sure = dead,
                                       .cut = !unused,
                                       .streams = s->streams,
                                       .threads = s->threads,
                                       .frees = from,
                                       .allocates = to,
                                       .to = use[i].record,
                                       .back = use[i + 1].record});
  }
}

/* A graph has the addresses since its nodes were made, and which it has is not recorded, so memory
 * cannot be allocated right before its launch. */
static bool is_of_a_graph(const struct gpm_reader *r, uint32_t record) {
  return gpm_use_text_record(r, record)->what == GPUMEMPROF_USE_ANY;
}

static void offer_of_used(struct finding *f, const struct gpm_use_block *b,
                          const struct gpm_used_span *s) {
  struct gpm_line_changes *c = f->c;
  bool freed = b->free_node != GPUMEMPROF_NONE;
  uint32_t body = s->body == GPUMEMPROF_NONE ? s->last : s->body;
  uint32_t early = add_stretch(c, b->bytes, b->begin, s->first, 1),
           fill = add_stretch(c, b->bytes, s->first, body, 2),
           late = add_stretch(c, b->bytes, s->last + 1, b->end, 1), none = GPUMEMPROF_NONE;
  const struct gpm_reader *r = c->uses->profile->reader;
  if (s->written_only) {
    uint32_t middle = add_stretch(c, b->bytes, body, s->last + 1, 2);
    offer(f, b,
          (struct gpm_line_change){.rule = GPM_ADVICE_WRITE_ONLY,
                                   .sure = true,
                                   .launched = s->launched,
                                   .to = s->to_last,
                                   .back = none},
          (uint32_t[]){early, fill, late, middle}, 4);
  }
  if (!freed || gpm_line_changes_site_is_known(r, c->uses->profile->site[b->free_node]))
    offer(f, b,
          (struct gpm_line_change){.rule = freed ? GPM_ADVICE_LATE_FREE : GPM_ADVICE_NEVER_FREED,
                                   .sure = true,
                                   .may_be_used = s->last_may,
                                   .streams = s->streams,
                                   .threads = s->threads,
                                   .frees = s->last + 1,
                                   .to = s->to_last,
                                   .back = none},
          &late, 1);
  if (!is_of_a_graph(r, s->to_first))
    offer(f, b,
          (struct gpm_line_change){.rule = GPM_ADVICE_EARLY_ALLOC,
                                   .sure = true,
                                   .streams = s->streams,
                                   .threads = s->threads,
                                   .may_be_used = s->first_may,
                                   .allocates = s->first,
                                   .to = s->to_first,
                                   .back = none},
          &early, 1);
  if (fill != none && s->body != none && !s->fills_changed && !is_of_a_graph(r, s->to_body))
    offer(f, b,
          (struct gpm_line_change){.rule = GPM_ADVICE_EARLY_ALLOC_FILL,
                                   .sure = s->fills_are_known,
                                   .unchanged = s->fills_are_known && s->fills_unchanged,
                                   .streams = s->streams,
                                   .threads = s->threads,
                                   .may_be_used = s->body_may,
                                   .allocates = body,
                                   .to = s->to_body,
                                   .back = none},
          (uint32_t[]){early, fill}, 2);
  if (!s->written_only) offer_gaps(f, b, s, body, late);
}

/* Widens a span to places between lines, where memory can be allocated and freed. */
static struct gpm_used_span between_lines(const struct gpm_places *p, const struct gpm_use_block *b,
                                          struct gpm_used_span s) {
  uint32_t first = gpm_places_before(p, s.first), end = gpm_places_after(p, s.last);
  s.first = first > b->begin ? first : b->begin;
  s.last = (end < b->end ? end : b->end) - 1;
  if (s.body == GPUMEMPROF_NONE) return s;
  uint32_t body = gpm_places_before(p, s.body);
  s.body = body > s.first ? body : s.first;
  return s;
}

static void offer_of(struct finding *f, const struct gpm_use_block *b) {
  struct gpm_used_span s = gpm_used_span_of(f->c->uses, b);
  if (s.used) {
    gpm_needed_not(&f->needed, b, b->begin, s.first);
    gpm_needed_not(&f->needed, b, s.last + 1, b->end);
    s = between_lines(&f->places, b, s);
    return offer_of_used(f, b, &s);
  }
  gpm_needed_not(&f->needed, b, b->begin, b->end);
  uint32_t all = add_stretch(f->c, b->bytes, b->begin, b->end, 1);
  offer(
      f, b,
      (struct gpm_line_change){
          .rule = GPM_ADVICE_UNUSED, .sure = true, .to = GPUMEMPROF_NONE, .back = GPUMEMPROF_NONE},
      &all, 1);
}

/* Pinned memory that no device uses need not be pinned. The host may use it, pinned or not. What
 * follows addresses may use any, so nothing of that kind may run while it lives. */
static void offer_of_pinned(struct finding *f, const struct gpm_use_block *b) {
  const struct gpm_uses *u = f->c->uses;
  bool is_known = gpm_line_changes_site_is_known(u->profile->reader, u->profile->site[b->node]),
       ended = b->free_node != GPUMEMPROF_NONE || u->ended;
  uint32_t record, none = GPUMEMPROF_NONE;
  if (!is_known || !ended || b->replaced || b->count ||
      gpm_uses_first_maybe(u, b, b->begin, b->end, &record) != none)
    return;
  gpm_needed_not(&f->needed, b, b->begin, b->end);
  uint32_t all = add_stretch(f->c, b->bytes, b->begin, b->end, 1);
  offer(f, b,
        (struct gpm_line_change){
            .rule = GPM_ADVICE_PINNED_UNUSED, .sure = true, .to = none, .back = none},
        &all, 1);
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

/* Takes the stretches from changes that must not be made wherever their lines follow each other:
 * but for a single gap, which a number names, they could not be said. */
static void leave_out_cut(struct gpm_line_changes *c) {
  for (size_t i = 0; i < c->count; i++) {
    struct gpm_line_change *change = &c->change[i];
    uint32_t first = change->first;
    if (!change->cut || first == GPUMEMPROF_NONE || c->member[first].next == GPUMEMPROF_NONE)
      continue;
    unsigned round = gpm_advice_texts[change->rule].round - 1;
    for (uint32_t m = first; m != GPUMEMPROF_NONE; m = c->member[m].next)
      c->stretch[c->member[m].stretch].in_round[round]--;
    change->first = GPUMEMPROF_NONE;
  }
}

/* Puts the members of each change side by side, in order. */
static void arrange_members(struct gpm_line_changes *c) {
  struct gpm_line_change_member *sorted = gpm_memory_array(c->member_count, sizeof *sorted);
  uint32_t end = 0;
  for (size_t i = 0; i < c->count; i++) {
    struct gpm_line_change *change = &c->change[i];
    uint32_t at = end, next = GPUMEMPROF_NONE;
    for (uint32_t m = change->first; m != GPUMEMPROF_NONE; m = c->member[m].next) end++;
    for (uint32_t m = change->first, to = end; m != GPUMEMPROF_NONE; m = c->member[m].next) {
      sorted[--to] = (struct gpm_line_change_member){c->member[m].stretch, next};
      next = to;
    }
    if (at < end) change->first = at;
  }
  free(c->member);
  c->member = sorted;
  c->member_room = c->member_count;
}

/* Sums up the totals of the run. */
static void find_run(struct gpm_line_changes *c) {
  const struct gpm_uses *u = c->uses;
  uint32_t positions = u->device[c->device].positions;
  c->run = gpm_memory_array((size_t)positions + 1, sizeof *c->run);
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (b->device != c->device) continue;
    c->run[b->begin] += (int64_t)b->bytes;
    c->run[b->end] -= (int64_t)b->bytes;
  }
  for (uint32_t i = 1; i < positions; i++) c->run[i] += c->run[i - 1];
}

void gpm_line_changes_find(struct gpm_line_changes *c, const struct gpm_uses *u, uint32_t device,
                           unsigned rules) {
  *c = (struct gpm_line_changes){.uses = u, .device = device};
  struct finding f = {.c = c, .rules = rules};
  gpm_peaks_make(&c->peaks, u->device[device].positions);
  find_run(c);
  gpm_line_changes_set(c, 0);
  f.at = gpm_peaks_at(&c->peaks);
  gpm_needed_find(&f.needed, u, device);
  gpm_places_make(&f.places, u, device);
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (b->device != device) continue;
    if (b->kind == GPUMEMPROF_KIND_PINNED) offer_of_pinned(&f, b);
    else if (!gpm_line_changes_not_judged(u, b)) offer_of(&f, b);
  }
  leave_out_cut(c);
  arrange_members(c);
  c->ideal = gpm_needed_end(&f.needed, c->run, u->device[device].positions);
  gpm_places_free(&f.places);
}

void gpm_line_changes_free(struct gpm_line_changes *c) {
  gpm_peaks_free(&c->peaks);
  gpm_map_free(&c->by_key);
  gpm_map_free(&c->paths);
  free(c->recent);
  free(c->run);
  free(c->stretch);
  free(c->member);
  free(c->change);
}
