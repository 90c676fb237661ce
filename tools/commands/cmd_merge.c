/* cmd_merge.c - `gpumemprof merge`: captures of the processes of a job, or of several runs, as one
 * report. merge_table.c and merge_print.c show it.
 *
 * Captures are opened one after the other. A capture that cannot be read is reported and left out:
 * one truncated file must not hide the other processes of a job of a thousand.
 */
#include "input/columns_asked.h"
#include "output/summary.h"
#include "print/merge.h"
#include "rows/least.h"
#include "rows/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct argp_option gpm_cmd_merge_options[] = {
    {"by", 'B', "ROWS", 0,
     "line (default), function, file, path, kind, device, label, variable or type", 0},
    {"imbalance", 'i', NULL, 0, "sort rows by the highest figure minus the mean", 0},
    {"run", 'r', "CAPTURE", 0,
     "all captures that the same `gpumemprof run` wrote into the folder of CAPTURE", 0},
    {0},
};

struct parsing {
  struct gpm_merge *merge;
  bool any, bad; /* a capture was named; one cannot be meant */
};

static enum gpm_by parse_by(const char *word) {
  static const char *const by[] = {"line",   "function", "file",     "path", "kind",
                                   "device", "label",    "variable", "type", NULL};
  for (enum gpm_by of_one = 0; of_one < GPM_BY_COUNT; of_one++)
    if (!gpm_by_merges(of_one) && !strcmp(word, gpm_rows_by(of_one))) {
      gpm_say("rows by %s are those of one process: `gpumemprof report --by %s CAPTURE`", word,
              word);
      exit(GPM_EXIT_USAGE);
    }
  return (enum gpm_by)gpm_say_choice("kind of rows", word, by);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct parsing *p = state->input;
  struct gpm_merge_asked *o = &p->merge->asked;
  switch (key) {
  case 'B':
    o->by = parse_by(arg);
    return 0;
  case 'i':
    o->by_difference = true;
    return 0;
  case 'r':
    p->any = true;
    p->bad |= gpm_say_is_wrong(gpm_processes_add_run(&p->merge->processes, arg));
    return 0;
  case ARGP_KEY_ARG:
    p->any = true;
    p->bad |= gpm_say_is_wrong(gpm_processes_add(&p->merge->processes, arg));
    return 0;
  case ARGP_KEY_END:
    if (p->any || gpm_asked_help(o->input.columns)) return 0;
    argp_error(state, "which captures? `gpumemprof merge run.*.gmprof`, or their folder");
    return EINVAL;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* The index of a figure. If it is not among the figures, it is added as the last one, which is not
 * shown. */
static unsigned number_of(struct gpm_merge_asked *o, enum gpm_figure figure) {
  for (unsigned i = 0; i < o->figures; i++)
    if (o->figure[i] == figure) return i;
  o->figure[o->figures] = figure;
  return o->figures++;
}

#define USUAL "at_peak,own_peak_max,self_alloc,leaked"

/* All figures in formats for programs; the one that rows are sorted by is among them. */
static void choose_figures(struct gpm_merge_asked *o) {
  o->choice = gpm_asked_columns_of_several(o->input.columns ? o->input.columns : USUAL, o->by);
  o->figures = gpm_columns_figures(&o->choice, o->figure);
  gpm_columns_name_rows(&o->choice);
  o->sort = o->figures ? o->figure[0] : GPM_FIGURE_at_peak;
  unsigned by = o->input.sort ? gpm_asked_column_of_several(o->input.sort, o->by) : o->sort;
  if (by < GPM_FIGURE_COUNT) o->sort = (enum gpm_figure)by;
  else o->by_text = by;
  if (!o->input.columns && o->input.format != GPM_FORMAT_TABLE)
    for (o->figures = 0; o->figures < GPM_FIGURE_LIFETIMES; o->figures++)
      o->figure[o->figures] = (enum gpm_figure)o->figures;
  o->shown = o->figures;
  o->sort_number = number_of(o, o->sort);
  o->least_number = o->input.least ? number_of(o, gpm_least_of(o->sort, GPM_FIGURE_at_peak)) : 0;
}

/* ---- captures ----------------------------------------------------------------------------------
 */

static void add_left(struct gpm_merge *m, const struct gpm_profile *p) {
  if (!p->patterns) return;
  struct gpm_conservation left = gpm_summary_left(p);
  m->left_is_unknown |= !gpm_patterns_are_decided(p->patterns, p->reader);
  m->left.allocated += left.allocated;
  m->left.freed += left.freed;
  m->left.live += left.live;
  m->left.allocated_blocks += left.allocated_blocks;
  m->left.freed_blocks += left.freed_blocks;
  m->left.live_blocks += left.live_blocks;
}

static void add_capture(struct gpm_merge *m, struct gpm_process *process, uint32_t number,
                        struct gpm_reader *reader) {
  struct gpm_side side;
  gpm_job_add(&m->job, process, number, reader);
  gpm_side_make(&side, reader, m->asked.input.filter, m->asked.by);
  uint32_t *path_of_node = gpm_paths_add(&m->paths, side.profile);
  gpm_imbalance_add(&m->imbalance, &m->paths, side.profile, path_of_node);
  gpm_merged_add(&m->merged, &side.rows, number, path_of_node);
  struct gpm_totals totals = gpm_compare_totals(&side);
  for (unsigned t = 0; t < GPM_TOTALS; t++) m->totals.value[t] += totals.value[t];
  free(path_of_node);
  add_left(m, side.profile);
  gpm_side_free(&side);
}

static void read_all(struct gpm_merge *m) {
  struct gpm_input *input = &m->asked.input;
  uint32_t number = 0;
  for (uint32_t i = 0; i < m->processes.count; i++) {
    struct gpm_process *process = &m->processes.process[i];
    char *reading = gpm_memory_format("reading capture %u of %u", i + 1, m->processes.count);
    input->path = process->path;
    input->may_lack_wrapper = input->whole_files = true;
    input->reading = reading;
    struct gpm_reader *reader = gpm_input_open_part(input);
    input->reading = NULL;
    free(reading);
    process->unread = !reader;
    if (!reader) continue;
    m->has_device |= input->filter.device != GPM_NO_DEVICE;
    add_capture(m, process, number++, reader);
  }
  gpm_processes_part(&m->processes);
}

/* ---- rows --------------------------------------------------------------------------------------
 */

static double order_of(const struct gpm_merge *m, uint32_t row) {
  unsigned number = m->asked.sort_number;
  const struct gpm_merged_figure *v = gpm_merged_value(&m->merged, row, number);
  double max = (double)v->max;
  if (!v->known) return -0x1p64; /* after all others */
  if (!m->asked.by_difference) return max;
  return max - gpm_merged_mean(&m->merged, row, number, m->processes.read);
}

static bool is_word(unsigned column) {
  return column && column != GPM_TEXT_location && column != GPM_TEXT_file &&
         column != GPM_TEXT_line;
}

/* Rows of one file and line, and rows of labels, kinds of memory and so on. */
static int compare_names(const struct gpm_merge *m, uint32_t x, uint32_t y) {
  const struct gpm_merged *rows = &m->merged;
  if (gpm_by_is_text(rows->by)) return gpm_order_texts(rows->keys.text[x], rows->keys.text[y]);
  return strverscmp(rows->words.text[rows->row[x].location],
                    rows->words.text[rows->row[y].location]);
}

static int compare_locations(const struct gpm_merge *m, uint32_t x, uint32_t y) {
  const struct gpm_merged_row *one = &m->merged.row[x], *other = &m->merged.row[y];
  int by =
      gpm_order_texts(m->merged.words.text[one->text[0]], m->merged.words.text[other->text[0]]);
  if (!by && one->line != other->line) by = one->line < other->line ? -1 : 1;
  return by ? by : compare_names(m, x, y);
}

/* The highest first; equal ones by location, so that equal captures give equal reports. */
static int compare(const void *a, const void *b, void *data) {
  const struct gpm_merge *m = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  unsigned text = m->asked.by_text;
  int by =
      is_word(text) ? gpm_order_texts(gpm_merge_word(m, x, text), gpm_merge_word(m, y, text)) : 0;
  if (text && !by) by = compare_locations(m, x, y);
  if (by) return by;
  double first = order_of(m, x), second = order_of(m, y);
  if (first < second || first > second) return first > second ? -1 : 1;
  by = compare_locations(m, x, y);
  return by ? by : x < y ? -1 : x > y;
}

/* As `report` does. */
static void leave_out_small_rows(struct gpm_merge *m) {
  if (gpm_input_shows_all(&m->asked.input)) return;
  struct gpm_small_variables *of_row = gpm_memory_array(m->merged.count, sizeof *of_row);
  for (uint32_t i = 0; i < m->merged.count; i++)
    if (!m->merged.row[i].matters) of_row[i] = m->merged.row[i].small;
  m->row_count = gpm_small_rows_leave_out(&m->small_rows, of_row, m->row, m->row_count);
  free(of_row);
}

/* --min: whether the row's highest figure in the sort column is less. */
static bool is_small(const struct gpm_merge *m, uint32_t row) {
  unsigned number = m->asked.least_number;
  const struct gpm_merged_figure *v = gpm_merged_value(&m->merged, row, number);
  return gpm_least_hides(m->asked.input.least, m->asked.figure[number], v->known, v->max);
}

static void order(struct gpm_merge *m) {
  uint32_t count = m->merged.count;
  m->row = gpm_memory_array(count, sizeof *m->row);
  for (uint32_t i = 0; i < count; i++)
    if (!is_small(m, i)) m->row[m->row_count++] = i;
  m->hidden = count - m->row_count;
  if (m->row_count) qsort_r(m->row, m->row_count, sizeof *m->row, compare, m);
  leave_out_small_rows(m);
  m->shown = gpm_input_shown(&m->asked.input, m->row_count);
}

/* ---- the command -------------------------------------------------------------------------------
 */

static void compute(struct gpm_merge *m) {
  gpm_merged_end(&m->merged, m->processes.read);
  m->sums = gpm_merged_totals(&m->merged);
  m->adds_up = !memcmp(&m->sums, &m->totals, sizeof m->sums);
  m->peaks = gpm_job_peaks(&m->processes);
  gpm_progress("finding the line of the highest peak");
  gpm_imbalance_find(&m->imbalance, &m->paths, &m->processes, &m->peaks, m->asked.input.short_names,
                     &m->asked.input.named, gpm_say_host());
  order(m);
  gpm_progress(NULL);
}

static int status_of(const struct gpm_merge *m) {
  bool all = m->processes.read == m->processes.count;
  return all && m->adds_up && !m->job.faults ? GPM_EXIT_OK : GPM_EXIT_FINDING;
}

static int merge(struct gpm_merge *m) {
  gpm_processes_order(&m->processes);
  read_all(m);
  gpm_progress(NULL);
  if (!m->processes.read) return GPM_EXIT_USAGE; /* a message about each was printed */
  if (!m->has_device) {
    gpm_say("no capture has a device `%s`; `gpumemprof info CAPTURE` lists those of one",
            m->asked.input.device);
    return GPM_EXIT_USAGE;
  }
  compute(m);
  gpm_merge_print(m);
  return status_of(m);
}

int gpm_cmd_merge_run(const struct gpm_command *command, int argc, char **argv) {
  struct gpm_merge m = {.asked = {.by = GPM_BY_LINE, .input = {.may_lack_device = true}}};
  struct parsing parsing = {.merge = &m};
  gpm_command_parse(command, argc, argv, 0, parse, &parsing);
  int status = GPM_EXIT_USAGE;
  if (gpm_asked_print_help(&m.asked.input)) status = GPM_EXIT_OK;
  else if (!parsing.bad) {
    choose_figures(&m.asked);
    if (m.asked.by_difference && m.asked.by_text) {
      gpm_say("--imbalance orders rows by a figure: --sort %s is not for it", m.asked.input.sort);
      exit(GPM_EXIT_USAGE);
    }
    m.merged =
        (struct gpm_merged){.by = m.asked.by, .figure = m.asked.figure, .figures = m.asked.figures};
    status = merge(&m);
  }
  free(m.row);
  gpm_merged_free(&m.merged);
  gpm_imbalance_free(&m.imbalance);
  gpm_paths_free(&m.paths);
  gpm_job_free(&m.job);
  gpm_processes_free(&m.processes);
  gpm_patterns_free(&m.asked.input.patterns);
  return status;
}
