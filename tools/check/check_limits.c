/* check_limits.c - see check_limits.h. Keeps the list of limits, and finds the location of each
 * finding. */
#include "check/check_limits.h"

#include "rows/locations.h"

#include <stdlib.h>

const struct gpm_rule_text gpm_rule_texts[GPM_RULES] = {
#define GPM_RULE(NAME, id, text) {id, text},
#include "check/rules.def"
};

const char *const gpm_verdict_names[] = {"kept", "broken", "undecided"};

const char gpm_limits_midway[] = "its figures are of a moment while the program ran";

struct gpm_limit *gpm_limits_add(struct gpm_limits *limits, enum gpm_rule rule, char *name) {
  if (limits->count == limits->room) {
    limits->room = limits->room ? limits->room * 2 : 16;
    limits->limit = gpm_memory_resize(limits->limit, limits->room, sizeof *limits->limit);
  }
  struct gpm_limit *limit = &limits->limit[limits->count++];
  *limit = (struct gpm_limit){.rule = rule, .name = name};
  return limit;
}

static struct gpm_finding *add_finding(struct gpm_limit *limit, char *text) {
  if (limit->count == limit->room) {
    limit->room = limit->room ? limit->room * 2 : 4;
    limit->finding = gpm_memory_resize(limit->finding, limit->room, sizeof *limit->finding);
  }
  limit->verdict = GPM_VERDICT_BROKEN;
  struct gpm_finding *f = &limit->finding[limit->count++];
  *f = (struct gpm_finding){.text = text};
  return f;
}

/* The location of a call node is the call itself; the location of a scope is where the scope
 * begins. */
struct gpm_finding *gpm_limits_find_node(struct gpm_limit *limit, const struct gpm_profile *p,
                                         uint32_t node, char *text) {
  struct gpm_finding *f = add_finding(limit, text);
  uint32_t site = GPUMEMPROF_NONE;
  if (node != GPUMEMPROF_NONE && node < p->node_count) {
    site = p->site[node];
    if (site == GPUMEMPROF_NONE && p->scope[node] != GPUMEMPROF_NONE)
      site = p->site[p->scope[node]];
  }
  const struct gpumemprof_capture_site none = {0};
  const struct gpumemprof_capture_site *s =
      site == GPUMEMPROF_NONE ? &none : gpm_reader_site(p->reader, site);
  f->file = gpm_locations_text(p->reader, s->file);
  f->line = s->line;
  f->function = gpm_locations_text(p->reader, s->function);
  f->location = gpm_locations_allocation(p->reader, site);
  return f;
}

struct gpm_finding *gpm_limits_find_row(struct gpm_limit *limit, const struct gpm_rows *rows,
                                        const struct gpm_row *row, char *text) {
  struct gpm_finding *f = add_finding(limit, text);
  struct gpm_key key = row ? gpm_locations_key(rows, row) : (struct gpm_key){0};
  f->file = gpm_locations_text(rows->profile->reader, key.file);
  f->line = key.line;
  f->function = gpm_locations_text(rows->profile->reader, key.function);
  f->location = gpm_locations_allocation(rows->profile->reader, row ? row->site : GPUMEMPROF_NONE);
  return f;
}

void gpm_limits_count(struct gpm_limits *limits) {
  limits->broken = limits->undecided = 0;
  for (uint32_t i = 0; i < limits->count; i++) {
    limits->broken += limits->limit[i].verdict == GPM_VERDICT_BROKEN;
    limits->undecided += limits->limit[i].verdict == GPM_VERDICT_UNDECIDED;
  }
}

void gpm_limits_free(struct gpm_limits *limits) {
  for (uint32_t i = 0; i < limits->count; i++) {
    struct gpm_limit *limit = &limits->limit[i];
    for (uint32_t k = 0; k < limit->count; k++) {
      char *texts[] = {limit->finding[k].text, limit->finding[k].file, limit->finding[k].function,
                       limit->finding[k].location};
      for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) free(texts[t]);
    }
    free(limit->finding);
    free(limit->made_why);
    free(limit->name);
  }
  free(limits->limit);
}
