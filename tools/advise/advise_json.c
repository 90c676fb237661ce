/* advise_json.c - what to change, as JSON. See advise.h. */
#include "advise/advise.h"

#include "output/json.h"

#include <stdlib.h>

static json_t *text_or_null(const char *text) {
  return *text ? gpm_json_text(text) : json_null();
}

json_t *gpm_advise_json_line(const struct gpm_reader *r, uint32_t site) {
  if (site == GPUMEMPROF_NONE) return json_null();
  json_t *line = json_object();
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, site);
  gpm_json_put(line, advice_line, file, gpm_json_text(gpm_reader_string(r, s->file)));
  gpm_json_put(line, advice_line, line, json_integer(s->line));
  gpm_json_put(line, advice_line, function, text_or_null(gpm_reader_string(r, s->function)));
  return line;
}

static json_t *json_step(const struct gpm_profile *p, const struct gpm_line_changes *all,
                         const struct gpm_line_change *c) {
  json_t *step = json_object();
  char *variable = gpm_advise_variable(p, c);
  gpm_json_put(step, advice_step, action, json_string(gpm_advice_texts[c->rule].action));
  gpm_json_put(step, advice_step, from,
               gpm_advise_json_line(p->reader, p->site[gpm_advise_from(c)]));
  gpm_json_put(step, advice_step, to, gpm_advise_json_line(p->reader, gpm_advise_to(all, c)));
  gpm_json_put(step, advice_step, variable, text_or_null(variable));
  gpm_json_put(step, advice_step, blocks, json_integer((json_int_t)c->blocks));
  gpm_json_put(step, advice_step, bytes, json_integer((json_int_t)c->bytes));
  gpm_json_put(step, advice_step, call_paths, json_integer(c->paths));
  free(variable);
  return step;
}

json_t *gpm_advise_json_finding(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  const struct gpm_profile *p = a->profile;
  json_t *one = json_object(), *steps = json_array(), *instead = json_array();
  for (uint32_t i = 0; i < f->count; i++)
    json_array_append_new(steps, json_step(p, f->changes, &f->changes->change[f->step[i]]));
  char *reason = gpm_advise_of_finding(a, f);
  gpm_json_put(one, advice, rule, json_string(gpm_advice_texts[gpm_advice_rule_of(f)].id));
  gpm_json_put(one, advice, sure, json_boolean(f->sure));
  gpm_json_put(one, advice, device, gpm_json_device_id(p->reader, f->changes->device));
  gpm_json_put(one, advice, steps, steps);
  gpm_json_put(one, advice, peak_before, json_integer((json_int_t)f->before));
  gpm_json_put(one, advice, peak_after, json_integer((json_int_t)gpm_advice_after(f)));
  gpm_json_put(one, advice, saving, json_integer((json_int_t)gpm_advice_saving(f)));
  gpm_json_put(one, advice, reason, gpm_json_text(reason));
  for (uint32_t i = 0; (i = gpm_advise_next_instead(a, f, i)) < a->count; i++)
    json_array_append_new(instead, json_integer((json_int_t)i + 1));
  uint32_t whole = gpm_advise_part_of(a, f);
  gpm_json_put(one, advice, part_of, whole ? json_integer((json_int_t)whole) : json_null());
  gpm_json_put(one, advice, instead_of, instead);
  free(reason);
  return one;
}

static void print_unjudged(const struct gpm_advise *a) {
  bool first = true;
  for (uint32_t i = 0; i < a->advice->unjudged_count; i++) {
    const struct gpm_advice_unjudged *u = &a->advice->unjudged[i];
    if (!gpm_advise_shows(a, u->device)) continue;
    json_t *one = json_object();
    gpm_json_put(one, unjudged, device, gpm_json_device_id(a->profile->reader, u->device));
    gpm_json_put(one, unjudged, blocks, json_integer((json_int_t)u->blocks));
    gpm_json_put(one, unjudged, bytes, json_integer((json_int_t)u->bytes));
    gpm_json_put(one, unjudged, reason, gpm_json_text(u->reason));
    gpm_json_item(one, first);
    first = false;
  }
}

static void print_ideal(const struct gpm_advise *a) {
  const struct gpm_reader *r = a->profile->reader;
  bool first = true;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (!gpm_advise_shows(a, device)) continue;
    json_t *one = json_object();
    gpm_json_put(one, ideal_peak, device, gpm_json_device_id(r, device));
    gpm_json_put(one, ideal_peak, bytes,
                 json_integer((json_int_t)a->advice->changes[device].ideal));
    gpm_json_item(one, first);
    first = false;
  }
}

void gpm_advise_print_json(const struct gpm_advise *a) {
  gpm_json_version();
  gpm_json_list(advise, findings);
  for (uint32_t i = 0; i < a->shown; i++)
    gpm_json_item(gpm_advise_json_finding(a, a->finding[i]), !i);
  gpm_json_next(advise, not_judged);
  print_unjudged(a);
  gpm_json_next(advise, ideal_peak);
  print_ideal(a);
  if (a->costs) {
    gpm_json_next(advise, costs);
    gpm_advise_print_costs_json(a);
  }
  if (a->bounds) {
    gpm_json_next(advise, bounds);
    gpm_advise_print_bounds_json(a);
  }
  gpm_json_list_end();
  gpm_json_close();
}
