/* cmd_oom.c - `gpumemprof oom`: allocations that were out of memory, and who held it then. */
#include "analysis/holding.h"
#include "analysis/oom.h"
#include "answers/answers.h"
#include "input/command.h"
#include "output/json.h"
#include "output/oom_json.h"
#include "output/summary.h"
#include "output/unaccounted_print.h"
#include "rows/devices.h"
#include "rows/locations.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct ooms {
  struct gpm_input input;
  struct gpm_window window; /* the window of the failures */
};

const struct argp_option gpm_cmd_oom_options[] = {
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct ooms *o = state->input;
  return gpm_input_parse(key, arg, state, &o->input);
}

static const struct gpumemprof_capture_cell *
cell_of(const struct gpm_reader *r, const struct gpumemprof_capture_oom_path *path) {
  return gpm_reader_record(&r->cells, path->cell);
}

/* ---- as text ------------------------------------------------------------------------------------
 */
struct page {
  const struct gpm_profile *profile;
  const struct gpumemprof_capture_oom *o;
  uint32_t limit; /* entries of each list, ... */
  uint64_t least; /* ... with so many bytes */
  unsigned style;
};

static void print_request(const struct page *page, uint64_t number) {
  const struct gpumemprof_capture_oom *o = page->o;
  const struct gpm_profile *p = page->profile;
  char bytes[GPM_TEXT_NUMBER], time[GPM_TEXT_NUMBER];
  char *where = gpm_locations_node_allocation(p, o->node), *path = gpm_locations_path(p, o->node);
  printf("  failure %" PRIu64 ": %s after the start, thread %" PRIu32 ", clock %" PRIu64 "\n",
         number + 1, gpm_text_duration(time, gpm_reader_time_ns(p->reader, o->ticks)), o->thread,
         o->clock);
  gpm_text_bytes(bytes, (int64_t)o->requested, page->style);
  if (o->requested && o->kind != GPUMEMPROF_OOM_UNKNOWN_KIND)
    gpm_wrapped_print(4, "  %s requested (%s) at %s", bytes, gpm_locations_kind(o->kind), where);
  else if (o->requested) gpm_wrapped_print(4, "  %s requested at %s", bytes, where);
  else gpm_wrapped_print(4, "  a call at %s", where);
  gpm_wrapped_print(8, "  path: %s", path);
  free(where);
  free(path);
}

static void print_device(const struct page *page, const struct gpm_oom *oom) {
  const struct gpumemprof_capture_oom *o = page->o;
  struct gpm_wrapped wrapped;
  FILE *to = gpm_wrapped_begin(&wrapped);
  char one[GPM_TEXT_NUMBER], other[GPM_TEXT_NUMBER];
  if (oom->memory_known) {
    fprintf(to, "  %s of %s was free; ", gpm_text_bytes(one, (int64_t)o->memory_free, page->style),
            gpm_text_bytes(other, (int64_t)o->memory_total, page->style));
    const struct gpm_reader *r = page->profile->reader;
    gpm_unaccounted_print_in_use(
        to,
        &(struct gpm_unaccounted_terms){.used = oom->used,
                                        .recorded = o->total,
                                        .pool_slack = oom->kept_by_pools,
                                        .rounding = (int64_t)oom->rounding,
                                        .unaccounted = oom->unaccounted,
                                        .managed = o->live[GPUMEMPROF_KIND_MANAGED].bytes,
                                        .rounding_known = o->rounding_known,
                                        .is_simulated = o->device != GPUMEMPROF_NONE &&
                                                        gpm_devices_is_simulated(r, o->device)},
        " in use", page->style);
    fprintf(to, "\n");
  } else fprintf(to, "  what was free is not known\n");
  fprintf(to, "  recorded: %s in %" PRIu64 " block%s",
          gpm_text_bytes(one, (int64_t)o->total, page->style), o->blocks,
          o->blocks == 1 ? "" : "s");
  const char *separator = " (";
  for (uint32_t k = 0; k < GPUMEMPROF_KINDS; k++)
    if (o->live[k].bytes) {
      fprintf(to, "%s%s %s", separator, gpm_locations_kind(k),
              gpm_text_bytes(one, (int64_t)o->live[k].bytes, page->style));
      separator = ", ";
    }
  fprintf(to, "%s%s\n", *separator == ',' ? ")" : "",
          oom->adds_up ? "" : "; THE LISTS BELOW DO NOT ADD UP TO THAT");
  gpm_wrapped_end(&wrapped, 2);
}

static void print_row(const struct page *page, const struct gpumemprof_capture_amount *a,
                      const char *text) {
  char bytes[GPM_TEXT_NUMBER];
  gpm_wrapped_print(27, "  %12s %8" PRIu64 "  %s",
                    gpm_text_bytes(bytes, (int64_t)a->bytes, page->style), a->blocks, text);
}

/* Whether the list has a row for entry i; else the entry counts in the rest. */
static bool has_row(const struct page *page, uint32_t i,
                    const struct gpumemprof_capture_amount *live,
                    struct gpumemprof_capture_amount *rest) {
  if (i < page->limit && live->bytes >= page->least) return true;
  rest->bytes += live->bytes;
  rest->blocks += live->blocks;
  return false;
}

static void print_rest(const struct page *page, struct gpumemprof_capture_amount rest,
                       const char *text) {
  if (rest.bytes || rest.blocks) print_row(page, &rest, text);
}

static void print_lines(const struct page *page) {
  const struct gpumemprof_capture_oom *o = page->o;
  struct gpumemprof_capture_amount rest = o->other_lines;
  if (!o->lines) return;
  printf("  %12s %8s  %s\n", "held", "blocks", "by line");
  for (uint32_t i = 0; i < o->lines; i++) {
    if (!has_row(page, i, &o->line[i].live, &rest)) continue;
    char *location = gpm_locations_node_allocation(page->profile, o->line[i].node),
         *more = gpm_locations_more(gpm_oom_calls(page->profile, o, o->line[i].node)),
         *text = gpm_memory_format("%s%s", location, more);
    print_row(page, &o->line[i].live, text);
    free(more);
    free(location);
    free(text);
  }
  print_rest(page, rest, "other lines");
}

static void print_paths(const struct page *page) {
  const struct gpumemprof_capture_oom *o = page->o;
  struct gpumemprof_capture_amount rest = o->other_paths;
  if (!o->paths) return;
  printf("  %12s %8s  %s\n", "held", "blocks", "by call path");
  for (uint32_t i = 0; i < o->paths; i++) {
    if (!has_row(page, i, &o->path[i].live, &rest)) continue;
    const struct gpumemprof_capture_cell *cell = cell_of(page->profile->reader, &o->path[i]);
    char *path = gpm_locations_path(page->profile, cell->node);
    char *label = gpm_locations_text(page->profile->reader, cell->label);
    char *text = gpm_memory_format("%s  (%s)%s%s", path, gpm_locations_kind(cell->kind),
                                   *label ? "  label " : "", label);
    print_row(page, &o->path[i].live, text);
    free(label);
    free(text);
    free(path);
  }
  print_rest(page, rest, "other call paths");
}

static void print_pools(const struct page *page) {
  const struct gpumemprof_capture_oom *o = page->o;
  const struct gpm_reader *r = page->profile->reader;
  char one[GPM_TEXT_NUMBER], other[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < o->pools; i++) {
    char *name = gpm_locations_pool(r, gpm_reader_record(&r->pools, o->pool[i].pool));
    printf("  pool: %s used of %s reserved: %s\n",
           gpm_text_bytes(one, (int64_t)o->pool[i].used, page->style),
           gpm_text_bytes(other, (int64_t)o->pool[i].reserved, page->style), name);
    free(name);
  }
  if (o->pools_left_out) printf("  ... and %" PRIu32 " more pools\n", o->pools_left_out);
  for (uint32_t i = 0; i < o->custom_pools; i++) {
    const struct gpumemprof_capture_oom_custom *c = &o->custom_pool[i];
    const struct gpumemprof_capture_custom_pool *p = gpm_reader_record(&r->custom_pools, c->pool);
    char *name = gpm_locations_text(r, p->name);
    printf("  allocator: %s free of %s, %s in the largest hole: %s\n",
           gpm_text_bytes(one, (int64_t)c->free, page->style),
           gpm_text_bytes(other, (int64_t)c->reserved, page->style),
           gpm_text_bytes(hole, (int64_t)c->hole, page->style), name);
    free(name);
  }
  if (o->custom_pools_left_out)
    printf("  ... and %" PRIu32 " more allocators\n", o->custom_pools_left_out);
}

static void print_scopes(const struct page *page) {
  const struct gpumemprof_capture_oom *o = page->o;
  char net[GPM_TEXT_NUMBER];
  uint32_t count = page->limit < o->scopes ? page->limit : o->scopes;
  for (uint32_t i = 0; i < count; i++) {
    char *where = gpm_locations_node(page->profile, o->scope[i].node);
    char *above = gpm_locations_callers(page->profile, o->scope[i].node);
    gpm_wrapped_print(4, "  thread %" PRIu32 ": in %s, net %s%s%s", o->scope[i].thread, where,
                      gpm_text_bytes(net, o->scope[i].net, page->style | GPM_TEXT_SIGN),
                      *above ? ", called from " : "", above);
    free(where);
    free(above);
  }
  uint64_t more = (uint64_t)o->scopes - count + o->scopes_left_out;
  if (more) printf("  ... and %" PRIu64 " more threads with open scopes\n", more);
}

static void print_one(const struct page *page, uint64_t number) {
  struct gpm_oom oom = gpm_oom_of(page->o);
  gpm_answers_print_oom(page->profile, page->o, page->style);
  size_t count;
  char **advice = gpm_oom_advice(page->profile, &oom, page->style, &count);
  for (size_t i = 0; i < count; i++) {
    gpm_wrapped_print(4, "  * %s", advice[i]);
    free(advice[i]);
  }
  free(advice);
  print_request(page, number);
  print_device(page, &oom);
  print_lines(page);
  print_paths(page);
  print_pools(page);
  print_scopes(page);
}

static bool is_wanted(const struct ooms *o, const struct gpm_reader *r,
                      const struct gpumemprof_capture_oom *one) {
  const struct gpm_filter *filter = &o->input.filter;
  uint64_t time = gpm_reader_time_ns(r, one->ticks);
  return (filter->device == GPM_ALL_DEVICES || filter->device == one->device) &&
         (filter->kind == GPM_ALL_KINDS || filter->kind == one->kind) &&
         !gpm_window_is_before(&o->window, one->clock, time) &&
         !gpm_window_is_behind(&o->window, one->clock, time);
}

static bool is_selection(const struct ooms *o) {
  return o->input.filter.device != GPM_ALL_DEVICES || o->input.filter.kind != GPM_ALL_KINDS ||
         gpm_window_is_given(&o->window);
}

/* How many of those that are described are printed. */
static uint64_t count_wanted(const struct ooms *o, const struct gpm_reader *r) {
  uint64_t count = 0;
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *one; (one = gpm_cursor_next(&at));)
    count += is_wanted(o, r, one);
  return count;
}

/* The counts are of the whole run; a selection has a count of its own. */
static void print_counts(const struct ooms *o, const struct gpm_reader *r) {
  uint64_t all = gpm_oom_count(r), described = r->ooms.count;
  if (!all && !described) {
    printf("no allocation was out of memory\n");
    return;
  }
  if (all == 1 && described == 1 && !is_selection(o)) return;
  printf("%" PRIu64 " failure%s out of memory; %" PRIu64 " described%s\n", all,
         all == 1 ? " was" : "s were", described,
         described < all ? " (GPUMEMPROF_OPTIONS=oom_max=N describes more)" : "");
  if (!is_selection(o)) return;
  uint64_t wanted = count_wanted(o, r);
  if (wanted) printf("%" PRIu64 " of these described", wanted);
  else printf("none of these described");
  printf(" %s what --device, --kind, --from and --to select\n", wanted > 1 ? "are" : "is");
}

static void print_table(const struct ooms *o, const struct gpm_profile *p) {
  struct page page = {.profile = p,
                      .limit = gpm_input_shown(&o->input, UINT32_MAX),
                      .least = o->input.least,
                      .style = o->input.exact ? GPM_TEXT_EXACT : 0};
  gpm_summary_print_before_answer(p, page.style, o->input.verbose);
  print_counts(o, p->reader);
  struct gpm_cursor at = {.records = &p->reader->ooms};
  const struct gpumemprof_capture_oom *first = NULL;
  while ((page.o = gpm_cursor_next(&at))) {
    if (!is_wanted(o, p->reader, page.o)) continue;
    if (first || o->input.verbose || count_wanted(o, p->reader) > 1) putchar('\n');
    if (!first) first = page.o;
    print_one(&page, at.number);
  }
  if (!first || !p->reader->event_chunks) return;
  char *path = gpm_text_clean(p->reader->path);
  printf("\nwhat led there: gpumemprof events %s --to %" PRIu64 " --last 20\n", path, first->clock);
  free(path);
}

/* The entries that the options leave out count in `other_...`, as in a table. Lists are sorted. */
static void shorten(const struct ooms *o, struct gpumemprof_capture_oom *cut) {
  uint32_t most = gpm_input_shown(&o->input, UINT32_MAX);
  while (cut->lines &&
         (cut->lines > most || cut->line[cut->lines - 1].live.bytes < o->input.least)) {
    const struct gpumemprof_capture_amount *live = &cut->line[--cut->lines].live;
    cut->other_lines.bytes += live->bytes;
    cut->other_lines.blocks += live->blocks;
  }
  while (cut->paths &&
         (cut->paths > most || cut->path[cut->paths - 1].live.bytes < o->input.least)) {
    const struct gpumemprof_capture_amount *live = &cut->path[--cut->paths].live;
    cut->other_paths.bytes += live->bytes;
    cut->other_paths.blocks += live->blocks;
  }
  for (; cut->scopes > most; cut->scopes--) cut->scopes_left_out++;
}

/* The advice is about all entries. */
static json_t *item_of(const struct ooms *o, const struct gpm_profile *p,
                       const struct gpumemprof_capture_oom *one) {
  static const char *const lists[] = {"lines",       "other_lines", "paths",
                                      "other_paths", "scopes",      "scopes_left_out"};
  json_t *item = gpm_oom_json(p, one);
  if (!o->input.limit.given && !o->input.least) return item;
  struct gpumemprof_capture_oom cut = *one;
  shorten(o, &cut);
  json_t *less = gpm_oom_json(p, &cut);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    json_object_set(item, lists[i], json_object_get(less, lists[i]));
  json_decref(less);
  return item;
}

static void print_json(const struct ooms *o, const struct gpm_profile *p) {
  gpm_json_begin(p, oom, out_of_memory);
  struct gpm_cursor at = {.records = &p->reader->ooms};
  bool first = true;
  for (const struct gpumemprof_capture_oom *one; (one = gpm_cursor_next(&at));) {
    if (!is_wanted(o, p->reader, one)) continue;
    gpm_json_item(item_of(o, p, one), first);
    first = false;
  }
  gpm_json_end(p);
}

int gpm_cmd_oom_run(const struct gpm_command *command, int argc, char **argv) {
  struct ooms o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  o.window = o.input.split.window;
  if (!gpm_window_find(&o.window, reader)) {
    gpm_reader_close(reader);
    return GPM_EXIT_USAGE;
  }
  struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
  gpm_progress(NULL);
  if (o.input.format != GPM_FORMAT_TABLE) print_json(&o, profile);
  else print_table(&o, profile);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  return GPM_EXIT_OK;
}
