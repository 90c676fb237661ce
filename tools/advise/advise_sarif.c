/* advise_sarif.c - what to change, as SARIF 2.1.0: a result for each finding, at the line that is
 * to be changed. See advise.h. */
#include "advise/advise.h"

#include "check/sarif.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>

static json_t *location_of(const struct gpm_profile *p, uint32_t site, const char *root) {
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, site);
  char *file = gpm_locations_text(p->reader, s->file),
       *function = gpm_locations_text(p->reader, s->function);
  json_t *location = gpm_sarif_location(file, s->line, function, root);
  free(file);
  free(function);
  return location;
}

/* It has no line numbers, so that a viewer recognizes a finding after edits. */
static json_t *fingerprint(const struct gpm_profile *p, const struct gpm_advice_finding *f) {
  const struct gpm_line_change *c = &f->changes->change[f->step[0]];
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[gpm_advise_from(c)]);
  char *function = gpm_locations_text(p->reader, s->function),
       *variable = gpm_advise_variable(p, c);
  char *text = gpm_memory_format("%s|%s|%s|%" PRIu32, gpm_advice_texts[c->rule].id, function,
                                 variable, f->count);
  json_t *json = json_pack("{s:s}", "gpumemprof/v1", text);
  free(function);
  free(variable);
  free(text);
  return json;
}

static void add_locations(json_t *result, const struct gpm_profile *p,
                          const struct gpm_advice_finding *f, const char *root) {
  json_t *locations = json_array(), *related = json_array();
  for (uint32_t i = 0; i < f->count; i++) {
    const struct gpm_line_change *c = &f->changes->change[f->step[i]];
    uint32_t to = gpm_advise_to(f->changes, c);
    json_array_append_new(i ? related : locations,
                          location_of(p, p->site[gpm_advise_from(c)], root));
    if (to != GPUMEMPROF_NONE) json_array_append_new(related, location_of(p, to, root));
  }
  json_object_set_new(result, "locations", locations);
  json_object_set_new(result, "relatedLocations", related);
}

static json_t *result_of(const struct gpm_advise *a, const struct gpm_advice_finding *f,
                         const char *root) {
  json_t *result = json_object();
  char *sentence = gpm_advise_of_listed(a, f), saved[GPM_TEXT_NUMBER],
       *rule = gpm_memory_format("gpumemprof/%s", gpm_advice_texts[gpm_advice_rule_of(f)].id);
  gpm_text_bytes(saved, (int64_t)gpm_advice_saving(f), a->style);
  char *text = gpm_memory_format("%s: saves %s", sentence, saved);
  bool large = gpm_advice_saving(f) >= f->before / 10;
  json_object_set_new(result, "ruleId", json_string(rule));
  json_object_set_new(result, "ruleIndex",
                      json_integer(gpm_advice_rule_with_id(gpm_advice_rule_of(f))));
  json_object_set_new(result, "level", json_string(large ? "warning" : "note"));
  json_object_set_new(result, "message", gpm_sarif_message(text));
  add_locations(result, a->profile, f, root);
  json_object_set_new(result, "partialFingerprints", fingerprint(a->profile, f));
  json_object_set_new(
      result, "properties",
      json_pack("{s:I,s:b}", "saving", (json_int_t)gpm_advice_saving(f), "sure", (int)f->sure));
  free(sentence);
  free(text);
  free(rule);
  return result;
}

/* ---- costs -------------------------------------------------------------------------------------
 */

static json_t *fingerprint_of_cost(const struct gpm_profile *p, const struct gpm_cost *c) {
  char *function = gpm_memory_text("");
  if (c->from != GPUMEMPROF_NONE) {
    free(function);
    function = gpm_locations_text(p->reader, gpm_reader_site(p->reader, c->from)->function);
  }
  char *text = gpm_memory_format("%s|%s", gpm_cost_texts[c->rule].id, function);
  json_t *json = json_pack("{s:s}", "gpumemprof/v1", text);
  free(function);
  free(text);
  return json;
}

/* A pool has no line, so its result has no location. */
static json_t *result_of_cost(const struct gpm_advise *a, const struct gpm_cost *c,
                              const char *root) {
  json_t *result = json_object(), *locations = json_array(), *related = json_array();
  char *rule = gpm_memory_format("gpumemprof/%s", gpm_cost_texts[c->rule].id),
       *text = gpm_advise_of_cost(a, c);
  if (c->from != GPUMEMPROF_NONE)
    json_array_append_new(locations, location_of(a->profile, c->from, root));
  if (c->to != GPUMEMPROF_NONE)
    json_array_append_new(related, location_of(a->profile, c->to, root));
  json_object_set_new(result, "ruleId", json_string(rule));
  json_object_set_new(result, "ruleIndex", json_integer((json_int_t)GPM_ADVICE_IDS + c->rule));
  json_object_set_new(result, "level", json_string("note"));
  json_object_set_new(result, "message", gpm_sarif_message(text));
  json_object_set_new(result, "locations", locations);
  json_object_set_new(result, "relatedLocations", related);
  json_object_set_new(result, "partialFingerprints", fingerprint_of_cost(a->profile, c));
  free(rule);
  free(text);
  return result;
}

static void add_costs(json_t *results, const struct gpm_advise *a, const char *root) {
  uint32_t left = a->shown_costs;
  for (uint32_t i = 0; a->costs && i < a->costs->count && left; i++) {
    if (!gpm_advise_shows_cost(a, &a->costs->cost[i])) continue;
    json_array_append_new(results, result_of_cost(a, &a->costs->cost[i], root));
    left--;
  }
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static void add_rule(json_t *rules, const char *name, const char *text) {
  char *id = gpm_memory_format("gpumemprof/%s", name);
  json_array_append_new(rules, gpm_sarif_rule(id, text, "note"));
  free(id);
}

void gpm_advise_print_sarif(const struct gpm_advise *a, const char *root) {
  json_t *rules = json_array(), *results = json_array();
  for (unsigned i = 0; i < GPM_ADVICE_IDS; i++)
    add_rule(rules, gpm_advice_texts[i].id, gpm_advice_texts[i].text);
  for (unsigned i = 0; a->costs && i < GPM_COSTS; i++)
    add_rule(rules, gpm_cost_texts[i].id, gpm_cost_texts[i].text);
  for (uint32_t i = 0; i < a->shown; i++)
    json_array_append_new(results, result_of(a, a->finding[i], root));
  add_costs(results, a, root);
  gpm_sarif_print(rules, results, root);
}
