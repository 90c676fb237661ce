/* check_sarif.c - prints the limits of `gpumemprof check` as SARIF 2.1.0, with one result for each
 * finding, which code hosts show beside the source lines. Called by cmd_check.c. */
#include "check/check.h"
#include "check/sarif.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>

/* The fingerprint contains no line numbers, so that a viewer recognizes a finding after edits. */
static json_t *fingerprint(const struct gpm_limit *limit, const struct gpm_finding *f) {
  char *text =
      gpm_memory_format("%s|%s|%s", gpm_rule_texts[limit->rule].id, f->function, f->location);
  json_t *json = json_pack("{s:s}", "gpumemprof/v1", text);
  free(text);
  return json;
}

static json_t *result_of(const struct gpm_limit *limit, const struct gpm_finding *f,
                         const char *root) {
  json_t *result = json_object(), *locations = json_array();
  json_object_set_new(result, "ruleId", json_string(gpm_rule_texts[limit->rule].id));
  json_object_set_new(result, "ruleIndex", json_integer(limit->rule));
  json_object_set_new(result, "kind", json_string(f ? "fail" : "open"));
  json_object_set_new(result, "level", json_string(f ? "error" : "none"));
  if (f) {
    json_object_set_new(result, "message", gpm_sarif_message(f->text));
    if (*f->file || *f->function)
      json_array_append_new(locations, gpm_sarif_location(f->file, f->line, f->function, root));
    json_object_set_new(result, "partialFingerprints", fingerprint(limit, f));
  } else {
    char *text = gpm_memory_format("%s: not decided: %s", limit->name, limit->why);
    json_object_set_new(result, "message", gpm_sarif_message(text));
    free(text);
  }
  json_object_set_new(result, "locations", locations);
  return result;
}

void gpm_check_print_sarif(const struct gpm_limits *limits, const char *root) {
  json_t *rules = json_array(), *results = json_array();
  for (unsigned i = 0; i < GPM_RULES; i++)
    json_array_append_new(rules,
                          gpm_sarif_rule(gpm_rule_texts[i].id, gpm_rule_texts[i].text, "error"));
  for (uint32_t i = 0; i < limits->count; i++) {
    const struct gpm_limit *limit = &limits->limit[i];
    for (uint32_t k = 0; k < limit->count; k++)
      json_array_append_new(results, result_of(limit, &limit->finding[k], root));
    if (limit->verdict == GPM_VERDICT_UNDECIDED)
      json_array_append_new(results, result_of(limit, NULL, root));
  }
  gpm_sarif_print(rules, results, root);
}
