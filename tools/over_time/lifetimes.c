/* lifetimes.c - see lifetimes.h.
 *
 *   sums of cells and pairs --> freed, mean age, temporaries
 *   lifetimes of blocks     --> youngest, oldest, short-lived, kept: only of complete cells
 *
 * A cell is complete if no event of it is missing. Which allocation of a device was its last is
 * known only at the end. So each cell keeps what was freed since the latest allocation, with the
 * number of that allocation (`since`), and begins again at 0 with a later one.
 */
#include "over_time/lifetimes.h"

#include "events/split.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

struct ages {
  uint64_t youngest, oldest;
};

struct cell {
  struct gpumemprof_capture_amount allocated, freed, kept;
  struct ages clock, ns;
  uint64_t aged, shorts; /* freed blocks whose free was recorded; the short-lived ones of these */
  uint64_t since;        /* the number of allocations on its device, when `kept` began */
};

struct gpm_lifetimes {
  const struct gpm_reader *reader;
  struct cell *cells;
  uint64_t *allocations; /* by device: number of allocations so far */
};

/* ---- events ------------------------------------------------------------------------------------
 */

static void widen(struct ages *ages, uint64_t age, bool first) {
  if (first || age < ages->youngest) ages->youngest = age;
  if (age > ages->oldest) ages->oldest = age;
}

static void add(struct gpumemprof_capture_amount *to, uint64_t bytes) {
  to->bytes += bytes;
  to->blocks++;
}

static void add_lifetime(void *data, const struct gpm_lifetime *life) {
  struct gpm_lifetimes *l = data;
  const struct gpumemprof_capture_cell *cell = gpm_reader_record(&l->reader->cells, life->cell);
  struct cell *c = &l->cells[life->cell];
  l->allocations[cell->device] += !life->older;
  add(&c->allocated, life->bytes);
  if (life->before > c->since) {
    c->since = life->before;
    c->kept = (struct gpumemprof_capture_amount){0, 0};
  }
  if (life->before == c->since && !life->older) add(&c->kept, life->bytes);
  if (life->pair == GPUMEMPROF_NONE) return;
  add(&c->freed, life->bytes);
  if (!life->seen) return;
  widen(&c->clock, life->age, !c->aged);
  widen(&c->ns, life->age_ns, !c->aged);
  c->aged++;
  c->shorts += life->age <= GPM_LIFETIMES_SHORT;
}

/* ---- rows --------------------------------------------------------------------------------------
 */

static bool are_all(const struct cell *source, const struct gpumemprof_capture_cell *c) {
  return !memcmp(&source->allocated, &c->allocated, sizeof c->allocated) &&
         !memcmp(&source->freed, &c->freed, sizeof c->freed);
}

static void add_ages(struct gpm_row *row, const struct ages *ages, enum gpm_figure youngest,
                     enum gpm_figure oldest) {
  if (!gpm_row_knows(row, youngest) || (uint64_t)row->value[youngest] > ages->youngest)
    gpm_row_set(row, youngest, ages->youngest);
  gpm_row_raise(row, oldest, ages->oldest);
}

/* allocations: the number of all allocations on its device. */
static void add_known(struct gpm_row *row, const struct cell *c, uint64_t allocations) {
  bool kept = c->since == allocations;
  gpm_row_add(row, GPM_FIGURE_short_blocks, c->shorts);
  gpm_row_add(row, GPM_FIGURE_kept_blocks, kept ? c->kept.blocks : 0);
  gpm_row_add(row, GPM_FIGURE_kept_bytes, kept ? c->kept.bytes : 0);
  if (!c->aged) return;
  add_ages(row, &c->clock, GPM_FIGURE_youngest_clock, GPM_FIGURE_oldest_clock);
  add_ages(row, &c->ns, GPM_FIGURE_youngest_ns, GPM_FIGURE_oldest_ns);
}

static const uint64_t by_events =
    (uint64_t)1 << GPM_FIGURE_youngest_clock | (uint64_t)1 << GPM_FIGURE_oldest_clock |
    (uint64_t)1 << GPM_FIGURE_youngest_ns | (uint64_t)1 << GPM_FIGURE_oldest_ns |
    (uint64_t)1 << GPM_FIGURE_short_blocks | (uint64_t)1 << GPM_FIGURE_kept_blocks |
    (uint64_t)1 << GPM_FIGURE_kept_bytes;

struct sums {
  uint64_t aged, clock; /* freed blocks whose free was recorded, and the sum of their ages */
  bool unknown;
};

static void add_cells(struct gpm_rows *rows, const struct gpm_lifetimes *l, bool received,
                      struct sums *sums) {
  const struct gpm_profile *p = rows->profile;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!p->cell_shown[at.number]) continue;
    uint32_t key = rows->grouping.direct[c->node];
    struct gpm_row *row = &rows->row[key];
    const struct cell *source = &l->cells[at.number];
    gpm_row_add(row, GPM_FIGURE_freed_blocks, c->freed.blocks);
    sums[key].clock += c->lifetime_clock;
    if (received && are_all(source, c)) add_known(row, source, l->allocations[c->device]);
    else sums[key].unknown |= c->allocated.blocks != 0;
  }
  struct gpm_cursor pairs = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));)
    if (p->cell_shown[q->cell] && q->free_node)
      sums[rows->grouping.direct[p->cell_node[q->cell]]].aged += q->freed.blocks;
}

static enum gpm_lifetimes_source derive(struct gpm_rows *rows, const struct sums *sums) {
  enum gpm_lifetimes_source source = GPM_LIFETIMES_BY_ALL_EVENTS;
  for (uint32_t i = 0; i < rows->count; i++) {
    struct gpm_row *row = &rows->row[i];
    uint64_t blocks = (uint64_t)row->value[GPM_FIGURE_blocks];
    if (!blocks) continue;
    gpm_row_set(row, GPM_FIGURE_temporary_percent,
                gpm_row_hundredths((uint64_t)row->value[GPM_FIGURE_temporary_blocks], blocks));
    if (sums[i].aged) gpm_row_set(row, GPM_FIGURE_lifetime_clock, sums[i].clock / sums[i].aged);
    if (!sums[i].unknown) continue;
    row->known &= ~by_events;
    source = GPM_LIFETIMES_BY_PART;
  }
  return source;
}

struct gpm_lifetimes *gpm_lifetimes_listen(const struct gpm_reader *reader,
                                           struct gpm_listener *listener) {
  struct gpm_lifetimes *l = gpm_memory_array(1, sizeof *l);
  *l = (struct gpm_lifetimes){.reader = reader,
                              .cells = gpm_memory_array(reader->cells.count, sizeof *l->cells),
                              .allocations =
                                  gpm_memory_array(reader->device_count, sizeof *l->allocations)};
  *listener = gpm_block_lifetimes_listener(reader, add_lifetime, l);
  return l;
}

enum gpm_lifetimes_source gpm_lifetimes_fill(struct gpm_rows *rows, const struct gpm_lifetimes *l,
                                             bool received) {
  struct sums *sums = gpm_memory_array(rows->count, sizeof *sums);
  add_cells(rows, l, received, sums);
  enum gpm_lifetimes_source source = derive(rows, sums);
  free(sums);
  return received ? source : GPM_LIFETIMES_BY_SUMS;
}

void gpm_lifetimes_free(struct gpm_lifetimes *l) {
  free(l->cells);
  free(l->allocations);
  free(l);
}

enum gpm_lifetimes_source gpm_lifetimes_add(struct gpm_rows *rows, struct gpm_reader *reader) {
  struct gpm_listener listener;
  struct gpm_lifetimes *l = gpm_lifetimes_listen(reader, &listener);
  enum gpm_lifetimes_source source =
      gpm_lifetimes_fill(rows, l, gpm_block_lifetimes_walk(reader, add_lifetime, l));
  gpm_lifetimes_free(l);
  return source;
}

/* ---- how they are shown ------------------------------------------------------------------------
 */

/* Tables show the columns that are known, in an order for reading; other formats have all columns.
 */
struct gpm_choice gpm_lifetimes_choice(bool table, enum gpm_lifetimes_source source) {
  static const unsigned of_sums[] = {GPM_FIGURE_blocks,        GPM_FIGURE_self_alloc,
                                     GPM_FIGURE_min_size,      GPM_FIGURE_mean_size,
                                     GPM_FIGURE_max_size,      GPM_FIGURE_freed_blocks,
                                     GPM_FIGURE_leaked_blocks, GPM_FIGURE_temporary_percent,
                                     GPM_FIGURE_lifetime_ns,   GPM_FIGURE_lifetime_clock};
  static const unsigned of_events[] = {GPM_FIGURE_youngest_clock, GPM_FIGURE_oldest_clock,
                                       GPM_FIGURE_short_blocks, GPM_FIGURE_kept_blocks,
                                       GPM_FIGURE_kept_bytes};
  static const unsigned more[] = {GPM_FIGURE_temporary_blocks, GPM_FIGURE_youngest_ns,
                                  GPM_FIGURE_oldest_ns};
  struct gpm_choice choice = {.count = 0};
  if (!table) choice.column[choice.count++] = GPM_TEXT_location;
  for (unsigned i = GPM_FIGURE_COUNT; !table && i < GPM_COLUMN_COUNT; i++)
    if (i != GPM_TEXT_location) choice.column[choice.count++] = i;
  for (size_t i = 0; i < sizeof of_sums / sizeof *of_sums; i++)
    choice.column[choice.count++] = of_sums[i];
  for (size_t i = 0; i < sizeof of_events / sizeof *of_events; i++)
    if (!table || source != GPM_LIFETIMES_BY_SUMS) choice.column[choice.count++] = of_events[i];
  for (size_t i = 0; !table && i < sizeof more / sizeof *more; i++)
    choice.column[choice.count++] = more[i];
  if (table) choice.column[choice.count++] = GPM_TEXT_location;
  return choice;
}

/* Rows that only free, or only call code that allocates, have no blocks. With a window, rows whose
 * older blocks were freed in it are shown too, wherever that happened: otherwise nothing on their
 * line may have happened in the window. */
static bool has_blocks(const struct gpm_rows *rows, uint32_t i) {
  const struct gpm_row *row = &rows->row[i];
  bool part = gpm_split_is_part(rows->profile->reader);
  if (part && row->value[GPM_FIGURE_freed_blocks]) return true;
  return gpm_rows_is_shown(rows, i) && row->value[GPM_FIGURE_blocks];
}

void gpm_lifetimes_order(struct gpm_order *order, const struct gpm_rows *rows, unsigned column) {
  order->row = gpm_memory_array(rows->count, sizeof *order->row);
  order->count = 0;
  for (uint32_t i = 0; i < rows->count; i++)
    if (has_blocks(rows, i)) order->row[order->count++] = i;
  gpm_order_sort(order->row, order->count, rows, column);
}
