/* check_formats.c - the limits of `gpumemprof check` as text, JSON, JUnit (one test case a limit)
 * and SARIF 2.1.0 (one result a finding), which CI systems read. */
#include "check.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text and JSON -----------------------------------------------------------------------------
 */

void gpm_check_print_limits(const struct gpm_limits *limits) {
  const char *why = NULL;
  for (uint32_t i = 0; i < limits->count; i++) {
    const struct gpm_limit *limit = &limits->limit[i];
    if (limit->verdict == GPM_VERDICT_UNDECIDED && !why) why = limit->why;
    for (uint32_t k = 0; k < limit->count; k++)
      printf("%s: %s\n", gpm_rule_texts[limit->rule].id, limit->finding[k].text);
  }
  if (!limits->count) return;
  printf("limits: %u broken, %u kept", limits->broken,
         limits->count - limits->broken - limits->undecided);
  if (limits->undecided) printf(", %u not decided: %s", limits->undecided, why);
  putchar('\n');
  if (limits->limit[0].rule == GPM_RULE_WHOLE_RUN)
    printf("--allow-incomplete takes for kept what was not broken so far\n");
}

static json_t *text_or_null(const char *text) {
  return *text ? json_string(text) : json_null();
}

json_t *gpm_check_limit_json(const struct gpm_limit *limit) {
  json_t *json = json_object(), *findings = json_array();
  json_object_set_new(json, "limit", json_string(gpm_rule_texts[limit->rule].id));
  json_object_set_new(json, "name", json_string(limit->name));
  json_object_set_new(json, "verdict", json_string(gpm_verdict_names[limit->verdict]));
  for (uint32_t i = 0; i < limit->count; i++) {
    const struct gpm_finding *f = &limit->finding[i];
    json_t *one = json_object();
    json_object_set_new(one, "message", json_string(f->text));
    json_object_set_new(one, "file", text_or_null(f->file));
    json_object_set_new(one, "line", json_integer(f->line));
    json_object_set_new(one, "function", text_or_null(f->function));
    json_object_set_new(one, "value", json_integer((json_int_t)f->value));
    json_object_set_new(one, "allowed", json_integer((json_int_t)f->allowed));
    json_array_append_new(findings, one);
  }
  json_object_set_new(json, "findings", findings);
  return json;
}

/* ---- JUnit -------------------------------------------------------------------------------------
 */

/* No attribute that Jenkins' schema, the strictest one, does not have: files stand in the
 * sentences. Texts are clean: valid UTF-8 without control characters. Of those only U+FFFE and
 * U+FFFF may not stand in XML. */
static void print_xml(const char *text) {
  static const char *const entities[] = {
      ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    const char *entity = c < sizeof entities / sizeof entities[0] ? entities[c] : NULL;
    if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3)) {
      putchar('?');
      text += 2;
    } else if (entity) fputs(entity, stdout);
    else putchar(c);
  }
}

static void print_attribute(const char *name, const char *value) {
  printf(" %s=\"", name);
  print_xml(value);
  putchar('"');
}

static void print_case(const struct gpm_limit *limit) {
  const struct gpm_rule_text *rule = &gpm_rule_texts[limit->rule];
  printf("    <testcase classname=\"gpumemprof.%s\"", rule->id);
  print_attribute("name", limit->name);
  printf(" time=\"0\"");
  if (limit->verdict == GPM_VERDICT_KEPT) {
    printf("/>\n");
    return;
  }
  printf(">\n      ");
  if (limit->verdict == GPM_VERDICT_UNDECIDED) {
    printf("<skipped");
    print_attribute("message", limit->why);
    printf("/>\n");
  } else {
    printf("<failure");
    print_attribute("message", limit->finding[0].text);
    print_attribute("type", rule->id);
    putchar('>');
    for (uint32_t i = 0; i < limit->count; i++) {
      if (i) putchar('\n');
      print_xml(limit->finding[i].text);
    }
    printf("</failure>\n");
  }
  printf("    </testcase>\n");
}

void gpm_check_print_junit(const struct gpm_limits *limits, const struct gpm_reader *reader) {
  char *program = gpm_text_clean(reader->header.command_line);
  printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
  print_attribute("name", "gpumemprof");
  printf(" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"0\">\n", limits->count,
         limits->broken, limits->undecided);
  printf("    <properties><property name=\"program\"");
  print_attribute("value", program);
  printf("/></properties>\n");
  for (uint32_t i = 0; i < limits->count; i++) print_case(&limits->limit[i]);
  printf("  </testsuite>\n</testsuites>\n");
  free(program);
}

/* ---- SARIF -------------------------------------------------------------------------------------
 */

/* A path as a URI: relative to the folder where check runs, if that is shorter. To be freed. */
static char *uri_of(const char *file) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  char *path = gpm_text_file(file), *text = gpm_memory_array(strlen(path) * 3 + 8, 1), *at = text;
  if (*path == '/') at += sprintf(at, "file://");
  for (const char *c = path; *c; c++) {
    if (strchr(plain, *c)) *at++ = *c;
    else at += sprintf(at, "%%%02X", (unsigned char)*c);
  }
  free(path);
  return text;
}

static json_t *message(const char *text) {
  return json_pack("{s:s}", "text", text);
}

static json_t *location_of(const struct gpm_finding *f) {
  json_t *location = json_object();
  if (*f->file) {
    char *uri = uri_of(f->file);
    json_t *physical = json_pack("{s:{s:s}}", "artifactLocation", "uri", uri);
    if (f->line)
      json_object_set_new(physical, "region", json_pack("{s:I}", "startLine", (json_int_t)f->line));
    json_object_set_new(location, "physicalLocation", physical);
    free(uri);
  }
  if (*f->function)
    json_object_set_new(
        location, "logicalLocations",
        json_pack("[{s:s,s:s}]", "fullyQualifiedName", f->function, "kind", "function"));
  return location;
}

/* What it is about, without line numbers, so that a viewer knows a finding again. */
static json_t *fingerprint(const struct gpm_limit *limit, const struct gpm_finding *f) {
  char *text = gpm_memory_format("%s|%s|%s", gpm_rule_texts[limit->rule].id, f->function, f->place);
  json_t *json = json_pack("{s:s}", "gpumemprof/v1", text);
  free(text);
  return json;
}

static json_t *result_of(const struct gpm_limit *limit, const struct gpm_finding *f) {
  json_t *result = json_object(), *locations = json_array();
  json_object_set_new(result, "ruleId", json_string(gpm_rule_texts[limit->rule].id));
  json_object_set_new(result, "ruleIndex", json_integer(limit->rule));
  json_object_set_new(result, "kind", json_string(f ? "fail" : "open"));
  json_object_set_new(result, "level", json_string(f ? "error" : "none"));
  if (f) {
    json_object_set_new(result, "message", message(f->text));
    if (*f->file || *f->function) json_array_append_new(locations, location_of(f));
    json_object_set_new(result, "partialFingerprints", fingerprint(limit, f));
  } else {
    char *text = gpm_memory_format("%s: not decided: %s", limit->name, limit->why);
    json_object_set_new(result, "message", message(text));
    free(text);
  }
  json_object_set_new(result, "locations", locations);
  return result;
}

void gpm_check_print_sarif(const struct gpm_limits *limits) {
  json_t *rules = json_array(), *results = json_array();
  for (unsigned i = 0; i < GPM_RULES; i++)
    json_array_append_new(rules, json_pack("{s:s,s:{s:s},s:{s:s}}", "id", gpm_rule_texts[i].id,
                                           "shortDescription", "text", gpm_rule_texts[i].text,
                                           "defaultConfiguration", "level", "error"));
  for (uint32_t i = 0; i < limits->count; i++) {
    const struct gpm_limit *limit = &limits->limit[i];
    for (uint32_t k = 0; k < limit->count; k++)
      json_array_append_new(results, result_of(limit, &limit->finding[k]));
    if (limit->verdict == GPM_VERDICT_UNDECIDED)
      json_array_append_new(results, result_of(limit, NULL));
  }
  json_t *sarif = json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:s,s:o}},s:[{s:b}],s:s,s:o}]}", "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                            "runs", "tool", "driver", "name", "gpumemprof", "version", GPM_VERSION,
                            "rules", rules, "invocations", "executionSuccessful", 1, "columnKind",
                            "unicodeCodePoints", "results", results);
  json_dumpf(sarif, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(sarif);
}
