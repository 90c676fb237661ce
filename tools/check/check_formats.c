/* check_formats.c - prints the limits of `gpumemprof check` as text, as JSON, and as JUnit for CI
 * systems, with one test case for each limit. check_sarif.c prints SARIF. */
#include "check/check.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text and JSON -----------------------------------------------------------------------------
 */

void gpm_check_print_more(uint32_t count, const char *of) {
  if (count) printf("... and %" PRIu32 " more of %s (--limit 0 shows all)\n", count, of);
}

/* "1 of 2 limits", "the 1 budget", or null where there is none. To be freed. */
static char *part_of(uint32_t part, uint32_t all, const char *what) {
  if (!all) return NULL;
  return gpm_memory_format("%" PRIu32 " of %" PRIu32 " %s%s", part, all, what, gpm_text_s(all));
}

static void print_parts(const char *verdict, char *budgets, char *limits, const char *end) {
  printf("%s: %s%s%s%s", verdict, budgets ? budgets : "", budgets && limits ? " and " : "",
         limits ? limits : "", end);
  free(budgets);
  free(limits);
}

/* Why the first of the limits that are not decided is not. */
static const char *first_why(const struct gpm_limits *l) {
  for (uint32_t i = 0; i < l->count; i++)
    if (l->limit[i].verdict == GPM_VERDICT_UNDECIDED && l->limit[i].why) return l->limit[i].why;
  return "a limit could not be judged";
}

/* Says of one or the other how many could not be decided, and why. */
static void print_undecided(uint32_t undecided, uint32_t all, const char *what, const char *why) {
  if (!undecided) return;
  char *part = part_of(undecided, all, what);
  gpm_wrapped_print(2, "not decided: %s: %s", part, why);
  free(part);
}

void gpm_check_print_verdict(const struct gpm_budgets *b, const struct gpm_limits *l,
                             bool allow_incomplete) {
  bool undecided = b->undecided || l->undecided;
  if (b->broken || l->broken)
    print_parts("failed", b->broken ? part_of(b->broken, b->count, "budget") : NULL,
                l->broken ? part_of(l->broken, l->count, "limit") : NULL, " broken\n");
  else if ((allow_incomplete || !undecided) && (b->count || l->count))
    print_parts("passed", part_of(b->count - b->undecided, b->count, "budget"),
                part_of(l->count - l->undecided, l->count, "limit"), " met\n");
  print_undecided(l->undecided, l->count, "limit", first_why(l));
  print_undecided(b->undecided, b->count, "budget",
                  "the scope that should leave nothing is still open");
}

void gpm_check_print_limits(const struct gpm_limits *limits, const struct gpm_shown *shown) {
  for (uint32_t i = 0; i < limits->count; i++) {
    const struct gpm_limit *limit = &limits->limit[i];
    uint32_t count = gpm_shown_of(shown, GPM_FORMAT_TABLE, GPM_CHECK_LIMIT, limit->count);
    for (uint32_t k = 0; k < count; k++)
      gpm_wrapped_print(2, "%s: %s", gpm_rule_texts[limit->rule].id, limit->finding[k].text);
    gpm_check_print_more(limit->count - count, gpm_rule_texts[limit->rule].id);
  }
  if (limits->count && limits->limit[0].rule == GPM_RULE_WHOLE_RUN)
    printf("(--allow-incomplete counts what was not broken so far as met)\n");
}

static json_t *text_or_null(const char *text) {
  return *text ? json_string(text) : json_null();
}

json_t *gpm_check_limit_json(const struct gpm_limit *limit) {
  json_t *json = json_object(), *findings = json_array();
  gpm_json_put(json, limit, limit, json_string(gpm_rule_texts[limit->rule].id));
  gpm_json_put(json, limit, name, json_string(limit->name));
  gpm_json_put(json, limit, verdict, json_string(gpm_verdict_names[limit->verdict]));
  for (uint32_t i = 0; i < limit->count; i++) {
    const struct gpm_finding *f = &limit->finding[i];
    json_t *one = json_object();
    gpm_json_put(one, finding, message, json_string(f->text));
    gpm_json_put(one, finding, file, text_or_null(f->file));
    gpm_json_put(one, finding, line, json_integer(f->line));
    gpm_json_put(one, finding, function, text_or_null(f->function));
    gpm_json_put(one, finding, value, json_integer((json_int_t)f->value));
    gpm_json_put(one, finding, allowed, json_integer((json_int_t)f->allowed));
    json_array_append_new(findings, one);
  }
  gpm_json_put(json, limit, findings, findings);
  gpm_json_put(json, limit, why,
               limit->verdict == GPM_VERDICT_UNDECIDED && limit->why ? gpm_json_text(limit->why)
                                                                     : json_null());
  return json;
}

/* ---- JUnit -------------------------------------------------------------------------------------
 */

/* The XML has only the attributes that Jenkins' schema, the strictest one, allows, so file names
 * are part of the sentences. Texts are clean, that is valid UTF-8 without control characters, and
 * of such characters XML forbids only U+FFFE and U+FFFF. */
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
