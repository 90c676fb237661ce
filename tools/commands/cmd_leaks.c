/* cmd_leaks.c - `gpumemprof leaks`: what is still allocated, by line and call path; with --growth,
 * lines whose live memory grows from step to step. */
#include "analysis/leaks.h"
#include "analysis/nothing.h"
#include "analysis/small_variables.h"
#include "answers/answers.h"
#include "answers/reset_frees.h"
#include "input/command.h"
#include "model/suppressions.h"
#include "output/json.h"
#include "output/leaks_json.h"
#include "output/small_variables_print.h"
#include "output/summary.h"
#include "output/table.h"
#include "over_time/growth.h"
#include "print/fields_order.h"
#include "print/leaks_lines_print.h"
#include "print/selection.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_FAIL = 256, OPTION_SUPPRESSIONS, OPTION_GROWTH, OPTION_STEPS };

struct leaks {
  struct gpm_input input;
  struct gpm_fields fields; /* --columns */
  enum gpm_field_id by;     /* --sort */
  bool fail, growth;
  uint32_t from, to; /* --steps; 0: not given */
  struct gpm_suppressions suppressions;
};

const struct argp_option gpm_cmd_leaks_options[] = {
    {"fail", OPTION_FAIL, NULL, 0, "exit with status 1 if something leaked", 0},
    {"growth", OPTION_GROWTH, NULL, 0,
     "list the lines that hold more from step to step instead (needs history=all, and "
     "gpumemprof_step or step=)",
     0},
    {"steps", OPTION_STEPS, "A:B", 0,
     "with --growth: from the end of step A to the end of step B (default: the first and the last)",
     0},
    {"suppressions", OPTION_SUPPRESSIONS, "FILE", 0,
     "known leaks to hide, in LeakSanitizer's format: a line leak:NAME for each", 0},
    {0},
};

/* "3:10", "3:" or ":10" */
static void parse_steps(struct leaks *o, const char *arg, struct argp_state *state) {
  char *first = gpm_memory_text(arg), *second = strchr(first, ':');
  if (second) *second++ = 0;
  bool fine = second && (*first || *second) &&
              (!*first || (gpm_text_parse_count(first, UINT32_MAX, &o->from) && o->from)) &&
              (!*second || (gpm_text_parse_count(second, UINT32_MAX, &o->to) && o->to));
  free(first);
  if (!fine) argp_error(state, "--steps wants two numbers from 1 on, like 3:10, not `%s`", arg);
}

/* Which lines grow does not depend on how large they are. */
static void refuse_rows_of_growth(const struct leaks *o, struct argp_state *state) {
  const char *given = o->input.limit.given ? "limit"
                      : o->input.sort      ? "sort"
                      : o->input.columns   ? "columns"
                      : o->input.least     ? "min"
                                           : NULL;
  if (o->growth && given) argp_error(state, "--%s is not for --growth", given);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct leaks *o = state->input;
  switch (key) {
  case OPTION_FAIL:
    o->fail = true;
    return 0;
  case OPTION_GROWTH:
    o->growth = true;
    return 0;
  case OPTION_STEPS:
    parse_steps(o, arg, state);
    return 0;
  case OPTION_SUPPRESSIONS:
    gpm_suppressions_free(&o->suppressions);
    gpm_say_refuse(gpm_suppressions_read(&o->suppressions, arg));
    return 0;
  case ARGP_KEY_END:
    refuse_rows_of_growth(o, state);
    if (!o->growth && (o->from || o->to)) argp_error(state, "--steps is for --growth");
    if (o->suppressions.count && o->input.wrappers == GPM_WRAPPERS_BY_FORMAT &&
        !o->input.named.names)
      o->input.wrappers = GPM_WRAPPERS_SHOW; /* one may name a wrapper */
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

static void print_suppressed(const struct leaks *o) {
  char number[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < o->suppressions.count; i++) {
    const struct gpm_suppression *s = &o->suppressions.one[i];
    if (s->lines)
      printf("suppressed: %s more in %llu line%s by leak:%s\n",
             gpm_text_bytes(number, (int64_t)s->bytes, o->input.exact ? GPM_TEXT_EXACT : 0),
             (unsigned long long)s->lines, s->lines == 1 ? "" : "s", s->pattern);
    if (s->blocks)
      printf("suppressed: %s in %llu block%s by leak:%s\n",
             gpm_text_bytes(number, (int64_t)s->bytes, o->input.exact ? GPM_TEXT_EXACT : 0),
             (unsigned long long)s->blocks, s->blocks == 1 ? "" : "s", s->pattern);
  }
}

/* Hides the variables that fill no page, unless there are few or the user wants all. */
static struct gpm_small_rows small_rows_of(const struct leaks *o, const struct gpm_profile *p,
                                           const struct gpm_leaks *found) {
  struct gpm_small_rows t = {.rows = 0};
  for (uint32_t i = 0; i < found->reachable_count; i++) {
    const struct gpm_reachable *one = &found->reachable[i];
    if (gpm_small_variables_is_one(p->reader, p->site[one->node], one->bytes))
      gpm_small_rows_add(&t, one->blocks, one->bytes);
  }
  return gpm_input_shows_all(&o->input) || !gpm_small_rows_are_many(&t)
             ? (struct gpm_small_rows){.rows = 0}
             : t;
}

static void print_reachable(const struct leaks *o, const struct gpm_profile *p,
                            const struct gpm_leaks *found) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  char number[GPM_TEXT_NUMBER];
  uint64_t bytes = 0, blocks = 0;
  for (uint32_t i = 0; i < found->reachable_count; i++) {
    bytes += found->reachable[i].bytes;
    blocks += found->reachable[i].blocks;
  }
  if (!blocks) return;
  printf("reachable at %s: %s in %llu variable%s, which %s\n",
         gpm_reader_is_midway(p->reader) ? "any time" : "exit",
         gpm_text_bytes(number, (int64_t)bytes, style), (unsigned long long)blocks,
         blocks == 1 ? "" : "s", blocks == 1 ? "is not a leak" : "are not leaks");
  struct gpm_small_rows small_rows = small_rows_of(o, p, found);
  uint32_t listed = found->reachable_count - small_rows.rows, printed = 0;
  uint32_t shown = gpm_input_shown(&o->input, listed);
  for (uint32_t i = 0; printed < shown; i++) {
    const struct gpm_reachable *one = &found->reachable[i];
    if (small_rows.rows && gpm_small_variables_is_one(p->reader, p->site[one->node], one->bytes))
      continue;
    printed++;
    char *where = gpm_locations_node_allocation(p, one->node);
    printf("    %s: %s\n", gpm_text_bytes(number, (int64_t)one->bytes, style), where);
    free(where);
  }
  if (shown < listed) printf("    ... and %u more (--limit 0 shows all)\n", listed - shown);
  gpm_small_rows_print(&small_rows, style);
}

/* ---- formats -----------------------------------------------------------------------------------
 */

struct printing {
  const struct gpm_rows *rows;
  uint32_t *row; /* rows that are large enough, in order */
  uint32_t count;
  unsigned style;
};

static char *cell(void *data, uint32_t number, enum gpm_field_id field) {
  const struct printing *p = data;
  const struct gpm_row *row = &p->rows->row[p->row[number]];
  char text[GPM_TEXT_NUMBER];
  switch (field) {
  case GPM_FIELD_leaks_bytes:
    return gpm_memory_text(gpm_text_bytes(text, row->value[GPM_FIGURE_leaked], p->style));
  case GPM_FIELD_leaks_blocks:
    return gpm_memory_format("%lld", (long long)row->value[GPM_FIGURE_leaked_blocks]);
  case GPM_FIELD_leaks_path:
    return gpm_locations_callers(p->rows->profile, row->key);
  default: {
    char *part = gpm_fields_location(p->rows->profile, row->key, field);
    return part ? part : gpm_leaks_headline(p->rows, row);
  }
  }
}

/* --columns: one row for each call path, as in JSON and CSV. */
static void print_paths(const struct leaks *o, const struct gpm_leaks *found) {
  struct printing p = {.rows = &found->rows,
                       .row = gpm_memory_array(found->count, sizeof *p.row),
                       .style = o->input.exact ? GPM_TEXT_EXACT : 0};
  for (uint32_t i = 0; i < found->count; i++)
    if ((uint64_t)p.rows->row[i].value[GPM_FIGURE_leaked] >= o->input.least) p.row[p.count++] = i;
  uint32_t shown = gpm_input_shown(&o->input, p.count);
  gpm_fields_print(&o->fields, shown, cell, &p);
  gpm_table_print_more(p.count, shown, "call path");
  gpm_selection_print_hidden(&o->input, found->count - p.count, "leaked");
  free(p.row);
}

/* Prints the call paths of a line below its sum. */
static void print_lines(const struct leaks *o, struct gpm_leaks_lines *lines,
                        const struct gpm_rows *rows) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  char number[GPM_TEXT_NUMBER];
  if (o->by == GPM_FIELD_leaks_blocks) gpm_leaks_lines_sort_by_blocks(lines);
  if (gpm_fields_is_text(o->by)) gpm_leaks_lines_sort_as_rows(lines);
  uint32_t hidden = gpm_leaks_lines_hide(lines, o->input.least);
  uint32_t shown = gpm_input_shown(&o->input, lines->count), more = lines->count - shown;
  bool all = gpm_input_shows_all(&o->input);
  uint64_t others = gpm_leaks_lines_print(lines, rows, shown, all, style);
  if (more)
    printf("... and %u more line%s with %s (--limit 0 shows all)\n", more, gpm_text_s(more),
           gpm_text_bytes(number, (int64_t)others, style));
  gpm_selection_print_hidden(&o->input, hidden, "leaked");
}

/* Nothing that is selected is live. Without a selection that is said of the whole capture. */
static void print_no_leaks(const struct leaks *o, const struct gpm_profile *p,
                           const struct gpm_reset_frees *resets) {
  bool part = gpm_split_is_part(p->reader), midway = gpm_reader_is_midway(p->reader) && !part;
  char *selected = gpm_selection_text(&o->input);
  const char *of = selected ? " of " : "", *what = selected ? selected : "";
  const char *in = part ? " in it" : "";
  struct gpm_left left = gpm_patterns_left(p);
  if (selected && !left.allocated.blocks && !left.older.blocks)
    printf("nothing was allocated there: %s matches nothing\n", selected);
  else if (midway)
    printf("nothing%s%s is allocated at %s moment\n", of, what,
           gpm_reader_state(p->reader) == GPM_STATE_COPY ? "that" : "this");
  else if (resets->from.count) {
    char *before = gpm_memory_format("no leaks%s%s at the end%s; ", of, what,
                                     o->suppressions.count ? " but those that are suppressed" : "");
    gpm_reset_frees_print(resets, &o->input, before);
    free(before);
  } else if (o->suppressions.count)
    printf("no leaks%s%s but those that are suppressed\n", of, what);
  else
    printf("no leaks%s%s: everything that was allocated%s%s was freed%s\n", of, what, in,
           selected ? " there" : "", in);
  free(selected);
}

static void print_table(const struct leaks *o, const struct gpm_leaks *found) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  const struct gpm_profile *p = found->rows.profile;
  gpm_summary_print_before_answer(p, style, o->input.verbose);
  gpm_summary_print_filter(p, style);
  const struct gpm_rows *rows = &found->rows; /* all, in order */
  struct gpm_leaks_lines lines = {.count = 0};
  struct gpm_reset_frees resets;
  gpm_leaks_lines_make(&lines, rows, found->count);
  gpm_reset_frees_find(&resets, p, &o->suppressions);
  if (found->count) {
    gpm_answers_print_leaks(found, &lines, style);
    putchar('\n');
  } else print_no_leaks(o, p, &resets);
  if (o->fields.count) print_paths(o, found);
  else print_lines(o, &lines, rows);
  const char *nothing = found->count ? NULL : gpm_nothing_why(p);
  gpm_leaks_lines_free(&lines);
  if (nothing) printf("%s\n", nothing);
  print_suppressed(o);
  if (found->count) gpm_reset_frees_print(&resets, &o->input, "");
  gpm_reset_frees_free(&resets);
  print_reachable(o, p, found);
}

static void print_json(const struct leaks *o, const struct gpm_leaks *found) {
  const struct gpm_profile *p = found->rows.profile;
  if (o->input.format == GPM_FORMAT_CSV) gpm_fields_as_csv(&o->fields, "leak");
  gpm_json_begin(p, leaks, leaks);
  for (uint32_t i = 0; i < found->count; i++)
    gpm_json_item(gpm_fields_take(&o->fields, gpm_leaks_json(&found->rows, i, SIZE_MAX)), !i);
  bool list = o->input.format == GPM_FORMAT_JSON; /* CSV has only one list */
  if (list) gpm_json_next(leaks, reachable);
  for (uint32_t i = 0; list && i < found->reachable_count; i++)
    gpm_json_item(gpm_leaks_reachable_json(p, &found->reachable[i]), !i);
  gpm_json_end(p);
}

/* ---- growth ------------------------------------------------------------------------------------
 */

static int show_growth(struct leaks *o, const struct gpm_profile *profile) {
  struct gpm_reader *reader = o->input.reader;
  bool table = o->input.format == GPM_FORMAT_TABLE;
  struct gpm_growth g = {.profile = profile, .series = !table, .from = o->from, .to = o->to};
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  if (reader->split) {
    gpm_say("--growth is of the whole run: --steps A:B is its --from and --to, and --filter size= "
            "is not for it");
    return GPM_EXIT_USAGE;
  }
  bool fine = gpm_growth_find(&g, reader);
  if (fine) gpm_growth_suppress(&g, &o->suppressions);
  gpm_progress(NULL);
  if (fine && !table) gpm_growth_print_json(&g);
  else if (fine) {
    gpm_summary_print_before_answer(profile, style, o->input.verbose);
    gpm_summary_print_filter(profile, style);
    gpm_growth_print(&g, style);
    print_suppressed(o);
  }
  bool growing = g.count != 0;
  gpm_growth_free(&g);
  return !fine ? GPM_EXIT_USAGE : o->fail && growing ? GPM_EXIT_FINDING : GPM_EXIT_OK;
}

/* The location of the allocation, or of the call to it. */
static uint32_t node_of(void *data, uint32_t number, enum gpm_field_id field) {
  const struct printing *p = data;
  uint32_t node = p->rows->row[number].key;
  if (field != GPM_FIELD_leaks_path) return node;
  uint32_t caller = gpm_locations_caller(p->rows->profile, node);
  return caller ? caller : GPUMEMPROF_NONE;
}

static char *text_of(void *data, uint32_t number, enum gpm_field_id field) {
  struct printing one = *(const struct printing *)data;
  one.row = &number;
  return cell(&one, 0, field);
}

/* All call paths were found. */
static void sort_by_text(const struct leaks *o, struct gpm_leaks *found) {
  if (!found->count) return;
  struct printing printing = {.rows = &found->rows};
  struct gpm_fields_rows rows = {found->rows.profile, text_of, node_of, &printing};
  uint32_t *order = gpm_fields_order(&rows, found->count, o->by);
  struct gpm_row *sorted = gpm_memory_array(found->count, sizeof *sorted);
  for (uint32_t i = 0; i < found->count; i++) sorted[i] = found->rows.row[order[i]];
  memcpy(found->rows.row, sorted, found->count * sizeof *sorted);
  free(sorted);
  free(order);
}

static int show_leaks(struct leaks *o, const struct gpm_profile *profile) {
  const struct gpm_reader *reader = o->input.reader;
  struct gpm_leaks found;
  bool table = o->input.format == GPM_FORMAT_TABLE; /* which has lines, of all their call paths */
  bool text = gpm_fields_is_text(o->by);
  uint32_t shown = table ? 0 : gpm_input_shown(&o->input, UINT32_MAX), most = text ? 0 : shown;
  gpm_leaks_find(&found, profile,
                 &(struct gpm_leaks_request){.most = most,
                                             .least = table ? 0 : o->input.least,
                                             .by_blocks = o->by == GPM_FIELD_leaks_blocks,
                                             .suppressions = &o->suppressions});
  if (text) sort_by_text(o, &found);
  if (shown && shown < found.count) found.count = shown;
  gpm_progress(NULL);
  if (table) print_table(o, &found);
  else print_json(o, &found);
  bool leaking = found.all && (!gpm_reader_is_midway(reader) || gpm_split_is_part(reader));
  gpm_leaks_free(&found);
  return o->fail && leaking ? GPM_EXIT_FINDING : GPM_EXIT_OK;
}

int gpm_cmd_leaks_run(const struct gpm_command *command, int argc, char **argv) {
  struct leaks o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!gpm_fields_choose(&o.fields, &o.input)) return GPM_EXIT_OK;
  o.by = gpm_fields_sort(&o.input);
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  int status = o.growth ? show_growth(&o, profile) : show_leaks(&o, profile);
  int closed = gpm_input_close(&o.input, profile);
  gpm_suppressions_free(&o.suppressions);
  return closed ? closed : status;
}
