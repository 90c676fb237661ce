/* picture.c - the section `advice` of the page: see advice_picture.h. */
#include "advice_picture/advice_picture.h"

#include "output/json.h"
#include "rows/locations.h"

#include <stdlib.h>

struct picture {
  const struct gpm_advise_made *made;
  const uint32_t *place;
  struct gpm_advice_picture_blocks *blocks; /* by device */
};

static void put(json_t *json, const char *key, uint64_t value) {
  json_object_set_new(json, key, json_integer((json_int_t)value));
}

/* ---- devices -----------------------------------------------------------------------------------
 */

static json_t *device_json(const struct picture *d, uint32_t device) {
  const struct gpm_line_changes *c = &d->made->advice.changes[device];
  json_t *one = json_object();
  put(one, "place", d->place[device]);
  put(one, "peak", (uint64_t)gpm_peaks_now(&c->peaks));
  put(one, "ideal", (uint64_t)c->ideal);
  put(one, "positions", c->uses->device[device].positions);
  put(one, "peak_at", gpm_peaks_at(&c->peaks));
  json_object_set_new(one, "curve", gpm_advice_picture_curve(c));
  json_object_set_new(one, "blocks", gpm_advice_picture_blocks_json(&d->blocks[device]));
  put(one, "blocks_left_out", d->blocks[device].left_out);
  return one;
}

/* Whether a device can be drawn: the changes of its memory were tried. */
static bool is_drawn(const struct gpm_advise_made *made, uint32_t device) {
  return made->advice.changes[device].uses && made->uses.device[device].positions;
}

/* Memory of the host is drawn only where a finding is of it. */
static bool is_of_interest(const struct gpm_advise *a, uint32_t device) {
  if (gpm_advice_is_gpu(a->profile->reader, device)) return true;
  for (uint32_t i = 0; i < a->count; i++)
    if (a->finding[i]->changes->device == device) return true;
  return false;
}

static json_t *devices_json(const struct picture *d) {
  const struct gpm_reader *r = d->made->uses.profile->reader;
  json_t *list = json_array();
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (is_drawn(d->made, device) && is_of_interest(&d->made->advise, device))
      json_array_append_new(list, device_json(d, device));
  }
  return list;
}

/* ---- findings ----------------------------------------------------------------------------------
 */

static void add_step(const struct picture *d, const struct gpm_advice_finding *f, uint32_t i,
                     json_t *step) {
  const struct gpm_line_changes *c = f->changes;
  const struct gpm_line_change *change = &c->change[f->step[i]];
  const struct gpm_advise *a = &d->made->advise;
  char *place = gpm_locations_node(a->profile, gpm_advise_from(change)),
       *action = gpm_advise_action(a, c, change), *why = gpm_advise_why(a, f, change),
       *says = gpm_memory_format("%s (%s)", action, why);
  json_object_set_new(step, "place", gpm_json_text(place));
  json_object_set_new(step, "says", gpm_json_text(says));
  put(step, "peak", f->peak[i]);
  json_object_set_new(step, "curve", gpm_advice_picture_curve(c));
  json_object_set_new(step, "removed", gpm_advice_picture_removed(&d->blocks[c->device], change));
  free(place);
  free(action);
  free(why);
  free(says);
}

/* Adds the rules of all steps, how many bytes they copy to the host and back, and whether one has a
 * condition that the run cannot check: `sure` alone does not tell it from the cost of the copies.
 */
static void add_what_it_takes(const struct gpm_advice_finding *f, json_t *one) {
  json_t *rules = json_array();
  uint64_t copied = 0;
  bool condition = false;
  unsigned seen = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    const struct gpm_line_change *change = &f->changes->change[f->step[i]];
    enum gpm_advice_rule rule = gpm_advice_rule_with_id(change->rule);
    if (!(seen >> rule & 1)) json_array_append_new(rules, json_string(gpm_advice_texts[rule].id));
    seen |= 1U << rule;
    copied += change->copied;
    condition |= !change->sure && change->rule != GPM_ADVICE_IDLE_COPY;
  }
  json_object_set_new(one, "rules", rules);
  put(one, "copied", copied);
  json_object_set_new(one, "condition", json_boolean(condition));
}

/* Makes the changes of a finding one by one, adds to each step of its JSON what is drawn of it, and
 * unmakes them. The page has as many steps as sentences have. */
static void add_steps(const struct picture *d, const struct gpm_advice_finding *f, json_t *one) {
  struct gpm_line_changes *c = f->changes;
  json_t *steps = json_object_get(one, "steps");
  put(one, "steps_in_all", f->count);
  while (json_array_size(steps) > GPM_ADVISE_STEPS)
    json_array_remove(steps, json_array_size(steps) - 1);
  for (uint32_t i = 0; i < f->count; i++) {
    gpm_line_changes_make(c, f->step[i]);
    if (i < GPM_ADVISE_STEPS) add_step(d, f, i, json_array_get(steps, i));
  }
  json_object_set_new(one, "curve", gpm_advice_picture_curve(c));
  if (f->count > GPM_ADVISE_STEPS) gpm_line_changes_set(c, 0);
  else
    for (uint32_t i = 0; i < f->count; i++) gpm_line_changes_unmake(c, f->step[i]);
}

static json_t *findings_json(const struct picture *d, uint32_t *more) {
  const struct gpm_advise *a = &d->made->advise;
  json_t *list = json_array();
  uint32_t singles = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    const struct gpm_advice_finding *f = a->finding[i];
    if (f->count == 1 && singles++ >= GPM_ADVICE_PICTURE_FINDINGS) {
      ++*more;
      continue;
    }
    json_t *one = gpm_advise_json_finding(a, f);
    put(one, "number", i + (uint64_t)1);
    put(one, "place", d->place[f->changes->device]);
    add_what_it_takes(f, one);
    add_steps(d, f, one);
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *unjudged_json(const struct picture *d) {
  const struct gpm_advice *a = &d->made->advice;
  json_t *list = json_array();
  for (uint32_t i = 0; i < a->unjudged_count; i++) {
    json_t *one = json_object();
    put(one, "place", d->place[a->unjudged[i].device]);
    put(one, "blocks", a->unjudged[i].blocks);
    put(one, "bytes", a->unjudged[i].bytes);
    json_object_set_new(one, "reason", gpm_json_text(a->unjudged[i].reason));
    json_array_append_new(list, one);
  }
  return list;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

json_t *gpm_advice_picture_json(const struct gpm_advise_made *made, const uint32_t *place) {
  const struct gpm_reader *r = made->uses.profile->reader;
  struct picture d = {
      .made = made, .place = place, .blocks = gpm_memory_array(r->device_count, sizeof *d.blocks)};
  for (uint32_t i = 0; i < r->device_count; i++)
    if (is_drawn(made, i))
      gpm_advice_picture_blocks_choose(&d.blocks[i], &made->advise, &made->advice.changes[i]);
  uint32_t more = 0;
  json_t *all = json_object(), *findings = findings_json(&d, &more);
  json_object_set_new(all, "devices", devices_json(&d));
  json_object_set_new(all, "findings", findings);
  put(all, "more", more);
  put(all, "small", made->advise.small);
  json_object_set_new(all, "not_judged", unjudged_json(&d));
  uint64_t left_out = 0;
  json_object_set_new(
      all, "strips", gpm_advice_picture_strips(made->uses.profile, &made->pages, place, &left_out));
  put(all, "strips_left_out", left_out);
  for (uint32_t i = 0; i < r->device_count; i++) gpm_advice_picture_blocks_free(&d.blocks[i]);
  free(d.blocks);
  return all;
}
