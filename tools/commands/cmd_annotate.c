/* cmd_annotate.c - `gpumemprof annotate FILE[:FUNCTION]`: source text with figures in the margin.
 *
 * A line has a row for each function it is in (a template's instances), as in a report. The text is
 * read from the file. If that is gone or has changed, the text in the capture is used.
 */
#include "analysis/annotated.h"
#include "input/columns_asked.h"
#include "input/command.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/table.h"
#include "over_time/lifetimes.h"
#include "print/columns_print.h"
#include "rows/least.h"
#include "rows/locations.h"
#include "support/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct annotate {
  struct gpm_input input;
  const char *what; /* FILE[:FUNCTION] */
  uint32_t context;
  struct gpm_choice choice;
};

const struct argp_option gpm_cmd_annotate_options[] = {
    {"context", 'C', "N", 0, "lines to show around each line with memory (default 3)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct annotate *o = state->input;
  if (key == 'C') {
    if (!gpm_text_parse_count(arg, UINT32_MAX, &o->context))
      argp_error(state, "--context wants a number, not `%s`", arg);
  } else if (key == ARGP_KEY_ARG && !o->what) o->what = arg;
  else if (key == ARGP_KEY_END && !o->what && !gpm_asked_help(o->input.columns))
    argp_error(state, "name a source file: `gpumemprof annotate train.cu`");
  else return gpm_input_parse(key, arg, state, &o->input);
  return 0;
}

/* A table has figures, and the source beside them. JSON and CSV have the columns of a report, which
 * say what a row is only if they are among those that --columns names. */
static struct gpm_choice choose(const struct gpm_input *input) {
  const char *columns = input->columns;
  if (input->format != GPM_FORMAT_TABLE)
    return columns ? gpm_asked_columns(columns) : gpm_columns_all();
  struct gpm_choice choice =
      gpm_asked_columns(columns ? columns : "at_peak,own_peak_max,self_alloc,leaked,calls");
  for (unsigned i = 0; i < choice.count; i++)
    if (choice.column[i] >= GPM_FIGURE_COUNT) {
      gpm_say("`%s` is a text, which JSON and CSV have: a table has the source beside its figures",
              gpm_columns[choice.column[i]].key);
      exit(GPM_EXIT_USAGE);
    }
  choice.column[choice.count++] = GPM_TEXT_source_line;
  return choice;
}

/* ---- formats -----------------------------------------------------------------------------------
 */

/* The figures in the margin of a source line; to be freed. */
static char *line_text(const struct gpm_annotated *a, uint32_t line, const struct gpm_row *row) {
  if (!line) return gpm_memory_text("     ?  (unknown line)");
  bool changed = row && gpm_annotated_has_changed(a, row);
  const char *now = gpm_source_line(&a->source, line);
  if (now && !changed) return gpm_memory_format("%6u  %s", line, now);
  char *then = gpm_text_clean(row ? gpm_annotated_then(a, row) : "");
  char *text = gpm_memory_format("%6u%s %s", line, changed ? "!" : " ", then);
  free(then);
  return text;
}

/* Several calls may be on the line, or in a statement that begins there. To be freed. */
static char *with_calls(const struct gpm_row *row, const char *text) {
  int64_t others = row->value[GPM_FIGURE_others];
  if (!others) return gpm_memory_text(text);
  return gpm_memory_format("%s  (figures of %" PRId64 " calls)", text, others + 1);
}

static void print_head(const struct annotate *o, const struct gpm_annotated *a) {
  const struct gpm_reader *r = a->rows->profile->reader;
  gpm_summary_print(a->rows->profile, o->input.exact ? GPM_TEXT_EXACT : 0, o->input.verbose);
  gpm_summary_print_losses(r);
  gpm_summary_print_filter(a->rows->profile, o->input.exact ? GPM_TEXT_EXACT : 0);
  char *file = gpm_text_file(r->host, gpm_reader_string(r, a->file));
  if (!a->source.line)
    printf("%s cannot be read here: the lines are those that the capture holds\n", file);
  else if (a->changed)
    printf(
        "%s was changed after it was compiled: lines marked ! read otherwise now, and are shown as "
        "they were\n",
        file);
  free(file);
  gpm_table_print_unit(o->input.exact);
}

/* The lines with memory may read as they did, and still be others: the capture has no text of the
 * rest. The head of a table says it where one of them reads otherwise. */
static void warn_of_newer_source(const struct annotate *o, const struct gpm_annotated *a) {
  const struct gpm_reader *r = a->rows->profile->reader;
  bool newer = a->source.line && a->source.modified_ns > r->header.start_realtime_ns;
  if (!newer || (a->changed && o->input.format == GPM_FORMAT_TABLE)) return;
  char *file = gpm_text_file(r->host, gpm_reader_string(r, a->file));
  gpm_say("warning: %s was modified after the run began: its lines may not be those that were "
          "compiled",
          file);
  free(file);
}

static void add_rows(const struct annotate *o, const struct gpm_annotated *a,
                     struct libscols_table *table, uint32_t begin, uint32_t end, uint32_t line) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  char *plain = line_text(a, line, a->row[begin]), *text = with_calls(a->row[begin], plain);
  free(plain);
  if (end - begin == 1)
    gpm_table_add(table, NULL, &o->choice, a->rows, a->row[begin], text, NULL, style);
  else gpm_table_add_text(table, &o->choice, text);
  for (uint32_t i = begin; i < end && end - begin > 1; i++) {
    char *function = gpm_columns_text(a->rows, a->row[i], GPM_TEXT_function);
    char *which = gpm_memory_format("        in %s", function);
    gpm_table_add(table, NULL, &o->choice, a->rows, a->row[i], which, NULL, style);
    free(which);
    free(function);
  }
  free(text);
}

static void add_plain(const struct annotate *o, const struct gpm_annotated *a,
                      struct libscols_table *table, uint32_t from, uint32_t to) {
  for (uint32_t line = from; line < to && line <= a->source.count; line++) {
    char *text = line_text(a, line, NULL);
    gpm_table_add_text(table, &o->choice, text);
    free(text);
  }
}

/* Whether a row that is shown has memory of several devices. */
static bool has_sum(const struct gpm_annotated *a) {
  bool any = false;
  for (uint32_t i = 0; i < a->count; i++) any |= gpm_row_is_sum(a->row[i]);
  return any;
}

static unsigned machine_of(const struct gpm_annotated *a) {
  unsigned seen = 0;
  for (uint32_t i = 0; i < a->count; i++) seen |= a->row[i]->machine;
  return seen;
}

static void print_table(const struct annotate *o, const struct gpm_annotated *a) {
  print_head(o, a);
  struct libscols_table *table = gpm_table_new(&o->choice, false);
  uint32_t next = 1; /* line not shown yet */
  for (uint32_t i = 0, end; i < a->count; i = end) {
    uint32_t line = gpm_annotated_line(a, i), shown = i ? line : a->first;
    for (end = i + 1; end < a->count && gpm_annotated_line(a, end) == line;) end++;
    uint32_t from = shown > o->context ? shown - o->context : 1;
    if (from < next) from = next;
    if (from > next && i && a->source.line) gpm_table_add_text(table, &o->choice, "   ...");
    add_plain(o, a, table, from, line);
    add_rows(o, a, table, i, end, line);
    uint32_t last = end < a->count ? gpm_annotated_line(a, end) : UINT32_MAX,
             to = line > UINT32_MAX - 1 - o->context ? UINT32_MAX : line + 1 + o->context;
    if (line) add_plain(o, a, table, line + 1, to < last ? to : last);
    next = to < last ? to : last;
  }
  gpm_table_print(table);
  if (has_sum(a)) gpm_columns_say_sum(o->choice.column, o->choice.count);
  gpm_columns_say_machine(o->choice.column, o->choice.count, machine_of(a));
}

/* --min: lines with less have no figures. */
static void hide_small(const struct annotate *o, struct gpm_annotated *a) {
  enum gpm_figure of = gpm_least_of(o->choice.column[0], GPM_FIGURE_at_peak);
  uint32_t left = 0;
  for (uint32_t i = 0; i < a->count; i++)
    if (!gpm_least_hides(o->input.least, of, gpm_row_knows(a->row[i], of), a->row[i]->value[of]))
      a->row[left++] = a->row[i];
  a->count = left;
}

static void print_json(const struct annotate *o, const struct gpm_annotated *a) {
  gpm_json_choose("annotated_line", &o->choice);
  gpm_json_begin(a->rows->profile, annotate, lines);
  for (uint32_t i = 0; i < a->count; i++) {
    json_t *one = gpm_json_row(a->rows, a->row[i], &o->choice);
    const char *now = gpm_source_line(&a->source, gpm_annotated_line(a, i));
    gpm_json_put(one, annotated_line, source_now, now ? gpm_json_text(now) : json_null());
    gpm_json_put(one, annotated_line, changed,
                 json_boolean(gpm_annotated_has_changed(a, a->row[i])));
    gpm_json_item(one, !i);
  }
  gpm_json_end(a->rows->profile);
}

/* Recognises a capture by its content, or by its name if the file cannot be read or is damaged. */
static bool is_capture(const char *path) {
  static const char suffix[] = ".gmprof";
  char magic[sizeof GPUMEMPROF_CAPTURE_MAGIC - 1];
  size_t length = strlen(path), end = sizeof suffix - 1;
  if (length > end && !strcmp(path + length - end, suffix)) return true;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  bool same = fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
              !memcmp(magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof magic);
  if (fd >= 0) close(fd);
  return same;
}

/* The two names may come in any order. One of them is a capture; FILE may exist in the current
 * folder, too. */
static void sort_out(struct annotate *o) {
  const char *second = o->input.path;
  if (!second || !o->what || is_capture(second) || !is_capture(o->what)) return;
  o->input.path = o->what;
  o->what = second;
}

int gpm_cmd_annotate_run(const struct gpm_command *command, int argc, char **argv) {
  struct annotate o = {.context = 3};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (gpm_asked_print_help(&o.input)) return GPM_EXIT_OK;
  sort_out(&o);
  o.choice = choose(&o.input);
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, GPM_BY_LINE);
  if (gpm_columns_have_lifetimes(&o.choice)) gpm_lifetimes_add(&rows, o.input.reader);
  gpm_progress(NULL);
  struct gpm_annotated a;
  gpm_say_refuse(gpm_annotated_make(&a, &rows, o.what));
  hide_small(&o, &a);
  warn_of_newer_source(&o, &a);
  if (o.input.format == GPM_FORMAT_TABLE) print_table(&o, &a);
  else print_json(&o, &a);
  gpm_annotated_free(&a);
  gpm_rows_free(&rows);
  return gpm_input_close(&o.input, profile);
}
