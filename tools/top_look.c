/* top_look.c - see top_look.h.
 *
 * Lines of one capture have numbers of its own, which may change when it is read again; so a line
 * is found by what it says: file, line and function.
 */
#include "top_look.h"

#include "memory.h"
#include "names.h"
#include "places.h"
#include "symbols.h"
#include "text.h"

#include <stdlib.h>
#include <time.h>

static uint64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void forget_look(struct gpm_top *t) {
  if (!t->reader) return;
  for (uint32_t i = 0; i < t->count; i++) free(t->place[i]);
  free(t->place);
  free(t->row);
  gpm_rows_free(&t->rows);
  gpm_profile_free(t->profile);
  gpm_reader_close(t->reader);
  t->reader = NULL;
  t->count = 0;
}

void gpm_top_free(struct gpm_top *t) {
  forget_look(t);
  gpm_top_model_free(&t->model);
  gpm_words_free(&t->lines);
  free(t->allocates);
  free(t->problem);
  free(t->path);
}

/* ---- a look ------------------------------------------------------------------------------------
 */

/* Kinds that totals hold; pieces of the program's own allocators lie in that memory. */
static void add_cell(struct gpm_top_sums *sums, const struct gpumemprof_capture_cell *c) {
  sums->allocated += c->allocated.bytes;
  sums->allocated_blocks += c->allocated.blocks;
  sums->freed += c->freed.bytes;
  sums->freed_blocks += c->freed.blocks;
  sums->live += c->allocated.bytes - c->freed.bytes;
  sums->blocks += c->allocated.blocks - c->freed.blocks;
}

/* Sums by row, and of all. */
static struct gpm_top_sums *sum_rows(const struct gpm_top *t, struct gpm_top_sums *all) {
  struct gpm_top_sums *sums = gpm_memory_array(t->rows.count, sizeof *sums);
  struct gpm_cursor at = {.records = &t->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!t->profile->cell_shown[at.number]) continue;
    add_cell(&sums[t->rows.grouping.direct[c->node]], c);
    add_cell(all, c);
  }
  return sums;
}

static uint32_t number_of(struct gpm_top *t, uint32_t row) {
  const struct gpm_key *key = &t->rows.grouping.keys.key[t->rows.row[row].key];
  char *text = gpm_memory_format("%s:%u %s", gpm_reader_string(t->reader, key->file), key->line,
                                 gpm_reader_string(t->reader, key->function));
  uint32_t number = gpm_words_exact(&t->lines, text);
  free(text);
  return number;
}

/* Gives the rows their numbers. A line stays, though a reset took its figures. */
static struct gpm_top_sums *number_lines(struct gpm_top *t, const struct gpm_top_sums *sums) {
  uint32_t *number = gpm_memory_array(t->rows.count, sizeof *number), before = t->lines.count;
  for (uint32_t i = 0; i < t->rows.count; i++) number[i] = number_of(t, i);
  t->count = t->lines.count;
  t->row = gpm_memory_array(t->count, sizeof *t->row);
  t->place = gpm_memory_array(t->count, sizeof *t->place);
  t->allocates = gpm_memory_resize(t->allocates, t->count, sizeof *t->allocates);
  struct gpm_top_sums *lines = gpm_memory_array(t->count, sizeof *lines);
  for (uint32_t i = 0; i < t->count; i++) t->row[i] = GPUMEMPROF_NONE;
  for (uint32_t i = before; i < t->count; i++) t->allocates[i] = false;
  for (uint32_t i = 0; i < t->rows.count; i++) {
    t->row[number[i]] = i;
    lines[number[i]] = sums[i];
    t->allocates[number[i]] |= sums[i].allocated_blocks != 0;
  }
  free(number);
  return lines;
}

static void take(struct gpm_top *t, struct gpm_reader *r, uint64_t time_ns) {
  const struct gpm_filter filter = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS};
  if (t->names_libraries && r->native_modules.count) gpm_symbols_name(r);
  if (t->short_names) gpm_names_shorten(r);
  forget_look(t);
  t->reader = r;
  t->profile = gpm_profile_new(r, &filter);
  gpm_rows_make(&t->rows, t->profile, GPM_BY_LINE);
  struct gpm_top_sample sample = {.time_ns = time_ns, .resets = r->header.resets};
  struct gpm_top_sums *sums = sum_rows(t, &sample.all), *lines = number_lines(t, sums);
  for (uint32_t i = 0; i < r->device_count; i++)
    if (r->devices[i].ordinal >= 0) sample.live += r->devices[i].total;
  sample.line = lines;
  sample.count = t->count;
  gpm_top_model_add(&t->model, &sample);
  free(lines);
  free(sums);
}

static bool same_program(const struct gpumemprof_capture_header *a,
                         const struct gpumemprof_capture_header *b) {
  return a->pid == b->pid && a->pid_start == b->pid_start &&
         a->start_realtime_ns == b->start_realtime_ns;
}

bool gpm_top_look(struct gpm_top *t) {
  char error[8192];
  uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  struct gpm_reader *r = gpm_reader_open(t->path, error, sizeof error);
  free(t->problem);
  t->problem = r ? NULL : gpm_memory_text(error);
  if (r && t->reader && !same_program(&t->reader->header, &r->header)) {
    gpm_reader_close(r);
    r = NULL;
    t->problem = gpm_memory_format("%s is another program's by now", t->path);
    t->over = true;
  }
  if (!r) {
    t->over |= t->reader && gpm_state_now(&t->reader->header) == GPM_STATE_ENDED;
    return false;
  }
  take(t, r, begin);
  t->took_ns = clock_ns(CLOCK_MONOTONIC) - begin;
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
                         : gpm_places_row(&t->rows, gpm_top_row(t, line));
  return t->place[line];
}

void gpm_top_rename(struct gpm_top *t, bool folders) {
  gpm_text_leave_folders_out(!folders);
  for (uint32_t i = 0; i < t->count; i++) {
    free(t->place[i]);
    t->place[i] = NULL;
  }
}

uint64_t gpm_top_share(const struct gpm_top *t, uint64_t at_peak) {
  if (!t->rows.peaks) return 0;
  double share = (double)at_peak * 10000 / (double)t->rows.peaks + 0.5;
  return share < 0x1p62 ? (uint64_t)share : INT64_MAX;
}

uint64_t gpm_top_age_ns(const struct gpm_top *t) {
  const struct gpumemprof_capture_header *h = &t->reader->header;
  uint64_t now = clock_ns(CLOCK_REALTIME);
  if (gpm_top_runs(t) && now > h->start_realtime_ns) return now - h->start_realtime_ns;
  return gpm_reader_time_ns(t->reader, h->last_ticks);
}
