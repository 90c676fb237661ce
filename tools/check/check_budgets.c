/* check_budgets.c - prints the budgets of the source (budgets.h) for `gpumemprof check`: as
 * sentences, as JSON, and as limits for the formats that CI systems read. */
#include "check/check.h"
#include "rows/locations.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* ---- sentences ---------------------------------------------------------------------------------
 */

/* Returns the calls that led to a scope, such as "main.c:40 main > main.c:12 step", or "". */
static char *callers_of(const struct gpm_profile *p, uint32_t scope) {
  uint32_t n = p->tree.node[scope].parent;
  while (n && gpm_profile_is_scope(p, n)) n = p->tree.node[n].parent;
  return n ? gpm_locations_path(p, n) : gpm_memory_text("");
}

static char *value_of(const struct gpm_budget *b, unsigned style) {
  char bytes[GPM_TEXT_NUMBER], limit[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER];
  gpm_text_bytes(bytes, (int64_t)b->bytes, style);
  switch (b->kind) {
  case GPUMEMPROF_BUDGET_BYTES:
    return gpm_memory_format(
        "%s needed on top of what was there, %s more than its %s, in %" PRIu64 " call%s", bytes,
        gpm_text_bytes(more, (int64_t)(b->bytes - b->limit), style),
        gpm_text_bytes(limit, (int64_t)b->limit, style), b->times, plural(b->times));
  case GPUMEMPROF_BUDGET_NO_ALLOC:
    if (!b->bytes) return gpm_memory_text("something was allocated before the figures were reset");
    return gpm_memory_format("%" PRIu64 " allocation%s of %s", b->times, plural(b->times), bytes);
  default:
    if (b->times == 1)
      return gpm_memory_format("1 call left memory behind: %s in %" PRIu64 " block%s", bytes,
                               b->blocks, plural(b->blocks));
    return gpm_memory_format("%" PRIu64 " calls left memory behind; the worst %s in %" PRIu64
                             " block%s",
                             b->times, bytes, b->blocks, plural(b->blocks));
  }
}

/* Returns the call path of the allocation that broke the budget, which passes through the scope, or
 * else the call path of the scope. Returns null if neither is known. */
static char *way_of(const struct gpm_profile *p, const struct gpm_budget *b) {
  bool known = b->where != GPUMEMPROF_NONE;
  char *path = known ? gpm_locations_path(p, b->where) : callers_of(p, b->node);
  char *what = known ? gpm_locations_allocation(p->reader, p->site[b->where]) : gpm_memory_text("");
  bool leak = b->kind == GPUMEMPROF_BUDGET_NO_LEAK;
  const char *title = !known ? "called from" : leak ? "the first time from" : "by";
  char *text = *path ? gpm_memory_format("%s %s%s%s", title, path, *what ? "  " : "", what) : NULL;
  free(path);
  free(what);
  return text;
}

char *gpm_check_budget_text(const struct gpm_profile *p, const struct gpm_budget *b,
                            unsigned style) {
  static const char *const names[] = {[GPUMEMPROF_BUDGET_BYTES] = "budget",
                                      [GPUMEMPROF_BUDGET_NO_ALLOC] = "NO_ALLOC",
                                      [GPUMEMPROF_BUDGET_NO_LEAK] = "NO_LEAK"};
  char *where = gpm_locations_node(p, b->node), *value = value_of(b, style), when[GPM_TEXT_NUMBER];
  char paths[32] = "", first[GPM_TEXT_NUMBER + 16] = "";
  if (b->paths > 1) snprintf(paths, sizeof paths, ", on %u paths", b->paths);
  if (b->ticks)
    snprintf(first, sizeof first, ", first after %s",
             gpm_text_duration(when, gpm_reader_time_ns(p->reader, b->ticks)));
  char *text =
      gpm_memory_format("%s: %s broken: %s%s%s", where, names[b->kind], value, paths, first);
  free(where);
  free(value);
  return text;
}

void gpm_check_print_budgets(const struct gpm_profile *p, const struct gpm_budgets *r,
                             bool other_limits, const struct gpm_shown *shown, unsigned style) {
  uint32_t count = gpm_shown_of(shown, GPM_FORMAT_TABLE, GPM_CHECK_LIMIT, r->broken);
  for (uint32_t i = 0; i < count; i++) {
    char *text = gpm_check_budget_text(p, &r->budget[i], style), *way = way_of(p, &r->budget[i]);
    gpm_wrapped_print(2, "%s", text);
    if (way) gpm_wrapped_print(6, "    %s", way);
    free(text);
    free(way);
  }
  gpm_check_print_more(r->broken - count, "the broken budgets");
  if (!r->count && !other_limits)
    gpm_wrapped_print(2,
                      "nothing to check: no limit was given (--max-peak, --max-leaks, --max-waste, "
                      "--against), and no memory "
                      "moved in a scope with a budget (GPUMEMPROF_BUDGET, GPUMEMPROF_NO_ALLOC and "
                      "GPUMEMPROF_NO_LEAK of gpumemprof.h)");
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

json_t *gpm_check_budget_json(const struct gpm_profile *p, const struct gpm_budget *b) {
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, b->site);
  bool bytes = b->kind == GPUMEMPROF_BUDGET_BYTES, leak = b->kind == GPUMEMPROF_BUDGET_NO_LEAK;
  json_t *one = json_object();
  gpm_json_put(one, budget, budget, json_string(gpm_budgets_kind(b->kind)));
  gpm_json_put(one, budget, verdict,
               json_string(b->broken      ? "broken"
                           : b->undecided ? "undecided"
                                          : "kept"));
  gpm_json_put(one, budget, file, gpm_json_text(gpm_reader_string(p->reader, s->file)));
  gpm_json_put(one, budget, line, json_integer(s->line));
  gpm_json_put(one, budget, function, gpm_json_text(gpm_reader_string(p->reader, s->function)));
  gpm_json_put(one, budget, block,
               s->name ? gpm_json_text(gpm_reader_string(p->reader, s->name)) : json_null());
  gpm_json_put(one, budget, limit, bytes ? json_integer((json_int_t)b->limit) : json_null());
  gpm_json_put(one, budget, bytes, b->broken ? json_integer((json_int_t)b->bytes) : json_null());
  gpm_json_put(one, budget, blocks,
               b->broken && leak ? json_integer((json_int_t)b->blocks) : json_null());
  gpm_json_put(one, budget, times, json_integer((json_int_t)b->times));
  gpm_json_put(one, budget, paths, json_integer(b->paths));
  gpm_json_put(one, budget, first_ns,
               b->ticks ? json_integer((json_int_t)gpm_reader_time_ns(p->reader, b->ticks))
                        : json_null());
  gpm_json_put(one, budget, path, b->broken ? gpm_json_path(p, b->node) : json_null());
  gpm_json_put(one, budget, allocated_at,
               b->where == GPUMEMPROF_NONE ? json_null() : gpm_json_path(p, b->where));
  return one;
}

/* ---- limits ------------------------------------------------------------------------------------
 */

static void add_limit(struct gpm_limits *limits, const struct gpm_profile *p,
                      const struct gpm_budget *b, unsigned style) {
  static const enum gpm_rule rules[] = {[GPUMEMPROF_BUDGET_BYTES] = GPM_RULE_BUDGET,
                                        [GPUMEMPROF_BUDGET_NO_ALLOC] = GPM_RULE_NO_ALLOC,
                                        [GPUMEMPROF_BUDGET_NO_LEAK] = GPM_RULE_NO_LEAK};
  char *where = gpm_locations_node(p, b->node);
  struct gpm_limit *limit = gpm_limits_add(limits, rules[b->kind], where);
  if (b->undecided) {
    limit->verdict = GPM_VERDICT_UNDECIDED;
    limit->why = "the scope that should leave nothing is still open";
  }
  if (!b->broken) return;
  char *text = gpm_check_budget_text(p, b, style), *way = way_of(p, b);
  if (way) {
    char *longer = gpm_memory_format("%s; %s", text, way);
    free(text);
    text = longer;
  }
  gpm_limits_find_node(limit, p, b->node, text);
  free(way);
}

void gpm_limits_add_budgets(struct gpm_limits *limits, const struct gpm_profile *p,
                            const struct gpm_budgets *r, unsigned style) {
  for (uint32_t i = 0; i < r->count; i++) add_limit(limits, p, &r->budget[i], style);
}
