/* top_refresh.c - see top_refresh.h.
 *
 * The numbers of lines in a capture may change from one refresh to the next. So a line is
 * identified by its text: file, line and function.
 */
#include "top/top_refresh.h"

#include "input/command.h"
#include "model/names.h"
#include "rows/locations.h"
#include "rows/rows.h"
#include "support/memory.h"
#include "support/text.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include <time.h>

static uint64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void forget_sample(struct gpm_top *t) {
  if (!t->reader) return;
  for (uint32_t i = 0; i < t->count; i++) free(t->place[i]);
  free(t->place);
  free(t->row);
  free(t->figures);
  free(t->number);
  free(t->line_of);
  gpm_rows_free(&t->rows);
  gpm_profile_free(t->profile);
  gpm_reader_close(t->reader);
  t->reader = NULL;
  t->count = 0;
}

void gpm_top_free(struct gpm_top *t) {
  forget_sample(t);
  gpm_top_model_free(&t->model);
  gpm_words_free(&t->lines);
  free(t->allocates);
  free(t->problem);
  free(t->path);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static uint32_t number_of(struct gpm_top *t, uint32_t row) {
  const struct gpm_key *key = &t->rows.grouping.keys.key[t->rows.row[row].key];
  char *text = gpm_memory_format("%s:%u %s", gpm_reader_string(t->reader, key->file), key->line,
                                 gpm_reader_string(t->reader, key->function));
  uint32_t number = gpm_words_exact(&t->lines, text);
  free(text);
  return number;
}

/* Finds the records of lines, which have the live peaks. All unknown locations share one record, so
 * its peak is not used. */
static void find_records_of_lines(struct gpm_top *t) {
  t->line_of = gpm_memory_array(t->reader->lines.count, sizeof *t->line_of);
  struct gpm_cursor at = {.records = &t->reader->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&at));) {
    t->line_of[at.number] = GPUMEMPROF_NONE;
    if (!l->file && !l->line && !l->function) continue;
    struct gpm_key location = {.file = l->file, .line = l->line, .function = l->function};
    uint32_t row = gpm_keys_get(&t->rows.grouping.keys, location);
    /* A line with memory of wrappers has no live peak. */
    if (row < t->rows.count && gpm_row_knows(&t->rows.row[row], GPM_FIGURE_live_peak))
      t->line_of[at.number] = t->number[row];
  }
}

/* Gives the rows the numbers of their lines. A line keeps its number even if a reset cleared its
 * figures. */
static void number_lines(struct gpm_top *t) {
  uint32_t before = t->lines.count;
  t->number = gpm_memory_array(t->rows.count, sizeof *t->number);
  for (uint32_t i = 0; i < t->rows.count; i++) t->number[i] = number_of(t, i);
  t->count = t->lines.count;
  t->row = gpm_memory_array(t->count, sizeof *t->row);
  t->place = gpm_memory_array(t->count, sizeof *t->place);
  t->figures = gpm_memory_array(t->count, sizeof *t->figures);
  t->allocates = gpm_memory_resize(t->allocates, t->count, sizeof *t->allocates);
  for (uint32_t i = before; i < t->count; i++) t->allocates[i] = false;
  for (uint32_t i = 0; i < t->count; i++) t->row[i] = GPUMEMPROF_NONE;
  for (uint32_t i = 0; i < t->rows.count; i++) t->row[t->number[i]] = i;
  find_records_of_lines(t);
}

/* ---- figures -----------------------------------------------------------------------------------
 */

static void add_cell(struct gpm_top_sums *sums, const struct gpumemprof_capture_cell *c) {
  sums->allocated += c->allocated.bytes;
  sums->allocated_blocks += c->allocated.blocks;
  sums->freed += c->freed.bytes;
  sums->freed_blocks += c->freed.blocks;
  sums->live += c->allocated.bytes - c->freed.bytes;
  sums->blocks += c->allocated.blocks - c->freed.blocks;
}

/* Only kinds that totals include: custom pieces lie in memory that is counted already. */
static struct gpm_top_sums *add_cells(struct gpm_top *t, struct gpm_top_sums *all) {
  struct gpm_top_sums *lines = gpm_memory_array(t->count, sizeof *lines);
  uint8_t *used = gpm_memory_array(t->reader->device_count, 1);
  for (uint32_t i = 0; i < t->count; i++) t->figures[i] = (struct gpm_top_figures){0};
  struct gpm_cursor at = {.records = &t->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!t->profile->cell_shown[at.number]) continue;
    uint32_t line = t->number[t->rows.grouping.direct[c->node]];
    add_cell(&lines[line], c);
    add_cell(all, c);
    t->figures[line].at_peak += gpm_profile_at_peak(t->reader, c);
    t->allocates[line] |= c->allocated.blocks != 0;
    used[c->device] = 1;
  }
  t->peaks = 0;
  for (uint32_t i = 0; i < t->reader->device_count; i++)
    if (used[i]) t->peaks += t->reader->devices[i].peak;
  free(used);
  return lines;
}

static void add_live_peaks(struct gpm_top *t) {
  struct gpm_cursor at = {.records = &t->reader->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&at));) {
    if (t->line_of[at.number] == GPUMEMPROF_NONE) continue;
    struct gpm_top_figures *f = &t->figures[t->line_of[at.number]];
    if (!f->has_most || l->live_peak > f->most) f->most = l->live_peak;
    f->has_most = true;
  }
}

static void measure(struct gpm_top *t, uint64_t time_ns) {
  const struct gpm_reader *r = t->reader;
  struct gpm_top_sample sample = {.time_ns = time_ns, .resets = r->header.resets};
  struct gpm_top_sums *lines = add_cells(t, &sample.all);
  add_live_peaks(t);
  for (uint32_t i = 0; i < r->device_count; i++)
    if (r->devices[i].ordinal >= 0) sample.live += r->devices[i].total;
  sample.line = lines;
  sample.count = t->count;
  gpm_top_model_add(&t->model, &sample);
  free(lines);
}

/* ---- a refresh
 * ------------------------------------------------------------------------------------
 */

/* On the screen only where functions are scopes, which are addresses otherwise, and without
 * remarks.
 */
static void name_addresses(const struct gpm_top *t, struct gpm_reader *r) {
  if (!r->native_modules.count || (!t->whole && !r->has_machine_scopes)) return;
  struct gpm_host *host = r->host;
  if (!t->whole) r->host = NULL;
  gpm_symbols_name(r);
  r->host = host;
}

static void take(struct gpm_top *t, struct gpm_reader *r) {
  const struct gpm_filter filter = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS};
  name_addresses(t, r);
  if (t->short_names) gpm_names_shorten(r);
  gpm_wrappers_settle(r, &t->wrappers);
  forget_sample(t);
  t->reader = r;
  t->profile = gpm_profile_new(r, &filter);
  gpm_rows_make(&t->rows, t->profile, GPM_BY_LINE);
  number_lines(t);
}

static bool same_program(const struct gpumemprof_capture_header *a,
                         const struct gpumemprof_capture_header *b) {
  return a->pid == b->pid && a->pid_start == b->pid_start &&
         a->start_realtime_ns == b->start_realtime_ns;
}

/* Opens the capture. */
static bool read_from_start(struct gpm_top *t) {
  char error[8192];
  struct gpm_reader *r = gpm_reader_open(t->path, gpm_say_host(), error, sizeof error);
  free(t->problem);
  t->problem = r ? NULL : gpm_memory_text(error);
  if (r && t->reader && !same_program(&t->reader->header, &r->header)) {
    gpm_reader_close(r);
    r = NULL;
    t->problem = gpm_memory_format("%s is another program's by now", t->path);
    t->over = true;
  }
  if (r) take(t, r);
  else t->over |= t->reader && gpm_state_is_cut(gpm_state_now(&t->reader->header));
  return r != NULL;
}

/* The cells of wrappers must be as recorded meanwhile. */
static bool refresh_figures(struct gpm_top *t) {
  gpm_wrappers_before_refresh(t->reader);
  bool ok = gpm_reader_refresh(t->reader);
  gpm_wrappers_after_refresh(t->reader);
  return ok;
}

bool gpm_top_refresh(struct gpm_top *t) {
  uint64_t begin = clock_ns(CLOCK_MONOTONIC), used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  bool refreshable = t->reader && !t->problem && !t->whole && !t->short_names;
  t->is_new = !refreshable || !refresh_figures(t);
  if (t->is_new && !read_from_start(t)) return false;
  measure(t, begin);
  t->took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - used;
  return true;
}

/* ---- what it shows -----------------------------------------------------------------------------
 */

bool gpm_top_runs(const struct gpm_top *t) {
  if (!t->reader || t->over) return false;
  return t->reader->state == GPM_STATE_RUNNING || t->reader->state == GPM_STATE_ELSEWHERE;
}

const char *gpm_top_place(struct gpm_top *t, uint32_t line) {
  if (!t->place[line])
    t->place[line] = t->row[line] == GPUMEMPROF_NONE
                         ? gpm_text_clean(t->lines.text[line])
                         : gpm_locations_row(&t->rows, gpm_top_row(t, line));
  return t->place[line];
}

void gpm_top_rename(struct gpm_top *t, bool folders) {
  gpm_say_host()->bare_files = !folders;
  for (uint32_t i = 0; i < t->count; i++) {
    free(t->place[i]);
    t->place[i] = NULL;
  }
}

uint64_t gpm_top_share(const struct gpm_top *t, uint64_t at_peak) {
  return gpm_row_hundredths(at_peak, t->peaks);
}

uint64_t gpm_top_age_ns(const struct gpm_top *t) {
  const struct gpumemprof_capture_header *h = &t->reader->header;
  uint64_t now = clock_ns(CLOCK_REALTIME);
  if (gpm_top_runs(t) && now > h->start_realtime_ns) return now - h->start_realtime_ns;
  return gpm_reader_time_ns(t->reader, h->last_ticks);
}
