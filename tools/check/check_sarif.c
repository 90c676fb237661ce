/* check_sarif.c - prints the limits of `gpumemprof check` as SARIF 2.1.0, with one result for each
 * finding, which code hosts show beside the source lines. Called by cmd_check.c. */
#include "capture/source_root.h"
#include "check/check.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_ROOT "%SRCROOT%" /* named in SARIF 2.1.0, section 3.14.14 */

/* Returns the path as a URI. The caller frees it. */
static char *uri_of(const char *path, const char *end) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  char *text = gpm_memory_array(strlen(path) * 3 + strlen(end) + 8, 1), *at = text;
  if (*path == '/') at += sprintf(at, "file://");
  for (const char *c = path; *c; c++) {
    if (strchr(plain, *c)) *at++ = *c;
    else at += sprintf(at, "%%%02X", (unsigned char)*c);
  }
  strcpy(at, end);
  return text;
}

/* A file below the root of the sources gets a relative URI, so that it is found wherever the
 * repository is checked out. */
static json_t *artifact_of(const char *file, const char *root) {
  char *below = gpm_source_root_below(root, file), *uri = uri_of(below ? below : file, "");
  json_t *artifact = json_pack("{s:s}", "uri", uri);
  if (below) json_object_set_new(artifact, "uriBaseId", json_string(SOURCE_ROOT));
  free(below);
  free(uri);
  return artifact;
}

static json_t *message(const char *text) {
  return json_pack("{s:s}", "text", text);
}

static json_t *location_of(const struct gpm_finding *f, const char *root) {
  json_t *location = json_object();
  if (*f->file) {
    json_t *physical = json_pack("{s:o}", "artifactLocation", artifact_of(f->file, root));
    if (f->line)
      json_object_set_new(physical, "region", json_pack("{s:I}", "startLine", (json_int_t)f->line));
    json_object_set_new(location, "physicalLocation", physical);
  }
  if (*f->function)
    json_object_set_new(
        location, "logicalLocations",
        json_pack("[{s:s,s:s}]", "fullyQualifiedName", f->function, "kind", "function"));
  return location;
}

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
    json_object_set_new(result, "message", message(f->text));
    if (*f->file || *f->function) json_array_append_new(locations, location_of(f, root));
    json_object_set_new(result, "partialFingerprints", fingerprint(limit, f));
  } else {
    char *text = gpm_memory_format("%s: not decided: %s", limit->name, limit->why);
    json_object_set_new(result, "message", message(text));
    free(text);
  }
  json_object_set_new(result, "locations", locations);
  return result;
}

void gpm_check_print_sarif(const struct gpm_limits *limits, const char *root) {
  json_t *rules = json_array(), *results = json_array();
  for (unsigned i = 0; i < GPM_RULES; i++)
    json_array_append_new(rules, json_pack("{s:s,s:{s:s},s:{s:s}}", "id", gpm_rule_texts[i].id,
                                           "shortDescription", "text", gpm_rule_texts[i].text,
                                           "defaultConfiguration", "level", "error"));
  for (uint32_t i = 0; i < limits->count; i++) {
    const struct gpm_limit *limit = &limits->limit[i];
    for (uint32_t k = 0; k < limit->count; k++)
      json_array_append_new(results, result_of(limit, &limit->finding[k], root));
    if (limit->verdict == GPM_VERDICT_UNDECIDED)
      json_array_append_new(results, result_of(limit, NULL, root));
  }
  char *base = uri_of(root, strcmp(root, "/") ? "/" : "");
  json_t *sarif =
      json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:s,s:o}},s:[{s:b}],s:{s:{s:s}},s:s,s:o}]}", "$schema",
                "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
                "driver", "name", "gpumemprof", "version", GPM_VERSION, "rules", rules,
                "invocations", "executionSuccessful", 1, "originalUriBaseIds", SOURCE_ROOT, "uri",
                base, "columnKind", "unicodeCodePoints", "results", results);
  free(base);
  json_dumpf(sarif, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(sarif);
}
