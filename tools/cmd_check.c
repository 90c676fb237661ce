/* cmd_check.c - `gpumemprof check`: whether a run was as it should be; the exit status says it.
 *
 * So far it asks for the budgets of the source (budgets.h). What else can be asked for has its own
 * part here, and adds to the findings.
 */
#include "budgets.h"
#include "command.h"
#include "json.h"
#include "memory.h"
#include "places.h"
#include "summary.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct argp_option gpm_cmd_check_options[] = {
    {"bytes", 'b', NULL, 0, "exact bytes instead of MiB", 0},
    {"format", 'f', "FORMAT", 0, "table or json", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  return gpm_input_parse(key, arg, state, state->input);
}

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* ---- budgets of the source ---------------------------------------------------------------------
 */

/* The calls that led to a scope: "main.c:40 main > main.c:12 step", or "". */
static char *callers_of(const struct gpm_profile *p, uint32_t scope) {
  uint32_t n = p->tree.node[scope].parent;
  while (n && gpm_profile_is_scope(p, n)) n = p->tree.node[n].parent;
  return n ? gpm_places_path(p, n) : gpm_memory_text("");
}

static void print_value(const struct gpm_budget *b, unsigned style) {
  char bytes[GPM_TEXT_NUMBER], limit[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER];
  gpm_text_bytes(bytes, (int64_t)b->bytes, style);
  switch (b->kind) {
  case GPUMEMPROF_BUDGET_BYTES:
    printf("%s needed on top of what was there, %s more than its %s, in %" PRIu64 " call%s", bytes,
           gpm_text_bytes(more, (int64_t)(b->bytes - b->limit), style),
           gpm_text_bytes(limit, (int64_t)b->limit, style), b->times, plural(b->times));
    break;
  case GPUMEMPROF_BUDGET_NO_ALLOC:
    if (!b->bytes) printf("something was allocated before the figures began anew");
    else printf("%" PRIu64 " allocation%s of %s", b->times, plural(b->times), bytes);
    break;
  case GPUMEMPROF_BUDGET_NO_LEAK:
    printf("%s in %" PRIu64 " block%s left by ", bytes, b->blocks, plural(b->blocks));
    if (b->times == 1) printf("1 call");
    else printf("one of the %" PRIu64 " calls that left any", b->times);
    break;
  }
}

/* By which path: that of an allocation, which passes through the scope, or of the scope. */
static void print_way(const struct gpm_profile *p, const struct gpm_budget *b) {
  bool known = b->where != GPUMEMPROF_NONE;
  char *path = known ? gpm_places_path(p, b->where) : callers_of(p, b->node);
  char *what = known ? gpm_places_allocation(p->reader, p->site[b->where]) : gpm_memory_text("");
  bool leak = b->kind == GPUMEMPROF_BUDGET_NO_LEAK;
  const char *title = !known ? "called from" : leak ? "the first time from" : "by";
  if (*path) printf("    %s %s%s%s\n", title, path, *what ? "  " : "", what);
  free(path);
  free(what);
}

static void print_broken(const struct gpm_profile *p, const struct gpm_budget *b, unsigned style) {
  static const char *const names[] = {[GPUMEMPROF_BUDGET_BYTES] = "budget",
                                      [GPUMEMPROF_BUDGET_NO_ALLOC] = "NO_ALLOC",
                                      [GPUMEMPROF_BUDGET_NO_LEAK] = "NO_LEAK"};
  char *where = gpm_places_node(p, b->node), when[GPM_TEXT_NUMBER];
  printf("%s: %s broken: ", where, names[b->kind]);
  print_value(b, style);
  if (b->paths > 1) printf(", on %u paths", b->paths);
  if (b->ticks)
    printf(", first after %s", gpm_text_duration(when, gpm_reader_time_ns(p->reader, b->ticks)));
  putchar('\n');
  print_way(p, b);
  free(where);
}

static void print_table(const struct gpm_profile *p, const struct gpm_budgets *r, unsigned style) {
  gpm_summary_print(p, style);
  gpm_summary_print_losses(p->reader);
  putchar('\n');
  for (uint32_t i = 0; i < r->broken; i++) print_broken(p, &r->budget[i], style);
  if (!r->count)
    printf("no budget: in none of the scopes that have one did memory move (gpumemprof.h has "
           "GPUMEMPROF_BUDGET, GPUMEMPROF_NO_ALLOC and GPUMEMPROF_NO_LEAK)\n");
  else printf("budgets: %u broken, %u kept", r->broken, r->kept);
  if (r->undecided)
    printf(", %u not decided: the scope that should leave nothing is still open", r->undecided);
  if (r->count) putchar('\n');
}

static json_t *budget_json(const struct gpm_profile *p, const struct gpm_budget *b) {
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, b->site);
  bool bytes = b->kind == GPUMEMPROF_BUDGET_BYTES, leak = b->kind == GPUMEMPROF_BUDGET_NO_LEAK;
  json_t *one = json_object();
  json_object_set_new(one, "budget", json_string(gpm_budgets_kind(b->kind)));
  json_object_set_new(one, "verdict",
                      json_string(b->broken      ? "broken"
                                  : b->undecided ? "undecided"
                                                 : "kept"));
  json_object_set_new(one, "file", gpm_json_text(gpm_reader_string(p->reader, s->file)));
  json_object_set_new(one, "line", json_integer(s->line));
  json_object_set_new(one, "function", gpm_json_text(gpm_reader_string(p->reader, s->function)));
  json_object_set_new(one, "block",
                      s->name ? gpm_json_text(gpm_reader_string(p->reader, s->name)) : json_null());
  json_object_set_new(one, "limit", bytes ? json_integer((json_int_t)b->limit) : json_null());
  json_object_set_new(one, "bytes", b->broken ? json_integer((json_int_t)b->bytes) : json_null());
  json_object_set_new(one, "blocks",
                      b->broken && leak ? json_integer((json_int_t)b->blocks) : json_null());
  json_object_set_new(one, "times", json_integer((json_int_t)b->times));
  json_object_set_new(one, "paths", json_integer(b->paths));
  json_object_set_new(one, "first_ns",
                      b->ticks ? json_integer((json_int_t)gpm_reader_time_ns(p->reader, b->ticks))
                               : json_null());
  json_object_set_new(one, "path", b->broken ? gpm_json_path(p, b->node) : json_null());
  json_object_set_new(one, "allocated_at",
                      b->where == GPUMEMPROF_NONE ? json_null() : gpm_json_path(p, b->where));
  return one;
}

int gpm_cmd_check_run(const struct gpm_command *command, int argc, char **argv) {
  struct gpm_input input = {.no_csv = "check has no csv; use --format json"};
  gpm_command_parse(command, argc, argv, 0, parse, &input);
  struct gpm_reader *reader = gpm_input_open(&input);
  if (!reader) return GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_profile_new(reader, &input.filter);
  struct gpm_budgets budgets = gpm_budgets_judge(profile);
  gpm_progress(NULL);
  if (input.format == GPM_FORMAT_JSON) {
    gpm_json_begin(reader, "budgets");
    for (uint32_t i = 0; i < budgets.count; i++)
      gpm_json_item(budget_json(profile, &budgets.budget[i]), !i);
    gpm_json_end(profile);
  } else print_table(profile, &budgets, input.exact ? GPM_TEXT_EXACT : 0);
  bool found = budgets.broken;
  gpm_budgets_free(&budgets);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  return found ? GPM_EXIT_FINDING : GPM_EXIT_OK;
}
