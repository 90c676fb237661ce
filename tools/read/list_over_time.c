/* list_over_time.c - lists of the results of analyses of the events: temporaries, growth and
 * blocks. See list.h. */
#include "read/list.h"

#include "events/block_lifetimes.h"
#include "events/walk.h"
#include "over_time/growth.h"
#include "over_time/temporaries.h"

/* ---- temporaries and growth --------------------------------------------------------------------
 */

static const struct gpm_list_column of_temporaries[] = {
    GPM_LIST_LOCATION_COLUMNS,
    {"temporary_blocks", "blocks that the next event of their thread freed", GPUMEMPROF_READ_COUNT},
    {"blocks", "all blocks of the line", GPUMEMPROF_READ_COUNT},
    {"temporary_bytes", "of all temporaries, where known", GPUMEMPROF_READ_BYTES},
    {"largest", "no temporary is larger", GPUMEMPROF_READ_BYTES},
    {"free_node", "of the lines that free them the first", GPUMEMPROF_READ_NUMBER},
};

struct gpumemprof_read_list *gpm_list_temporaries(struct gpumemprof_read *reader,
                                                  struct gpm_read_capture *capture, int *status) {
  struct gpm_rows rows;
  struct gpm_temporaries found;
  struct gpumemprof_read_list *l =
      gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_temporaries));
  gpm_rows_make(&rows, capture->profile, GPM_BY_LINE);
  if (!gpm_temporaries_make(&found, &rows, capture->reader)) *status = GPUMEMPROF_READ_CAPTURE;
  for (uint32_t i = 0; i < rows.count; i++) {
    const struct gpm_row *row = &rows.row[i];
    const struct gpm_temporary *line = &found.line[i];
    if (!row->value[GPM_FIGURE_temporary_blocks]) continue;
    gpm_list_add_location(l, capture->profile, line->node);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION, (uint64_t)row->value[GPM_FIGURE_temporary_blocks]);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 1, (uint64_t)row->value[GPM_FIGURE_blocks]);
    if (!line->bytes_unsure) gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 2, line->bytes);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 3, line->largest);
    if (line->count) gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 4, found.frees[line->first].node);
  }
  gpm_temporaries_free(&found);
  gpm_rows_free(&rows);
  return l;
}

static const struct gpm_list_column of_growth[] = {
    GPM_LIST_LOCATION_COLUMNS,
    {"first", "live at the end of the first step", GPUMEMPROF_READ_BYTES},
    {"last", "live at the end of the last step", GPUMEMPROF_READ_BYTES},
    {"rises", "steps after which there was more", GPUMEMPROF_READ_COUNT},
    {"from", "the first step", GPUMEMPROF_READ_NUMBER},
    {"to", "the last step", GPUMEMPROF_READ_NUMBER},
};

/* A capture whose events were recorded and cannot be read is damaged; any other has no growth. */
static int find_growth(struct gpm_growth *growth, struct gpm_reader *r) {
  struct gpm_listener listener;
  struct gpm_growth_finding *finding = gpm_growth_listen(growth, r, &listener);
  if (!finding) return GPUMEMPROF_READ_LACKS;
  bool received = gpm_walk_read(r, &listener, 1);
  if (gpm_growth_found(finding, received)) return GPUMEMPROF_READ_OK;
  return received ? GPUMEMPROF_READ_LACKS : GPUMEMPROF_READ_CAPTURE;
}

struct gpumemprof_read_list *gpm_list_growth(struct gpumemprof_read *reader,
                                             struct gpm_read_capture *capture, int *status) {
  if (capture->reader->split) {
    *status = gpm_read_fail(reader, GPUMEMPROF_READ_ARGUMENT,
                            "growth is of the whole run: open the capture without from, to and a "
                            "filter by size");
    return NULL;
  }
  struct gpm_growth growth = {.profile = capture->profile};
  struct gpm_suppressions hidden = gpm_list_suppressions(capture);
  *status = find_growth(&growth, capture->reader);
  if (!*status) gpm_growth_suppress(&growth, &hidden);
  free(hidden.one);
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_growth));
  for (uint32_t i = 0; !*status && i < growth.count; i++) {
    const struct gpm_growth_line *line = &growth.line[i];
    gpm_list_add_location(l, capture->profile, line->node);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION, line->first);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 1, line->last);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 2, line->rises);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 3, growth.from);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 4, growth.to);
  }
  gpm_growth_free(&growth);
  return l;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static const struct gpm_list_column of_blocks[] = {
    {"node", "the call path that allocated it", GPUMEMPROF_READ_NUMBER},
    {"free_node", "the call path that freed it; not known: it is live", GPUMEMPROF_READ_NUMBER},
    {"bytes", "its size", GPUMEMPROF_READ_BYTES},
    {"clock", "allocation clock of its allocation: no two blocks have one", GPUMEMPROF_READ_NUMBER},
    {"time_ns", "when it was allocated", GPUMEMPROF_READ_NS},
    {"age", "ticks of the allocation clock to its free", GPUMEMPROF_READ_COUNT},
    {"age_ns", "time to its free", GPUMEMPROF_READ_NS},
    {"address", "as the program has it", GPUMEMPROF_READ_NUMBER},
    {"thread", "that allocated it", GPUMEMPROF_READ_NUMBER},
    {"device", "row of the list of devices", GPUMEMPROF_READ_NUMBER},
    {"kind", "enum gpumemprof_kind", GPUMEMPROF_READ_NUMBER},
    {"temporary", "1: the next event of its thread freed it", GPUMEMPROF_READ_FLAG},
};

static void add_block(void *data, const struct gpm_lifetime *life) {
  struct gpumemprof_read_list *l = data;
  const struct gpm_reader *r = l->capture->reader;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, life->cell);
  if (!l->capture->profile->cell_shown[life->cell]) return;
  gpm_list_add(l);
  gpm_list_number(l, 0, c->node);
  if (life->pair != GPUMEMPROF_NONE) {
    const struct gpumemprof_capture_pair *pair = gpm_reader_record(&r->pairs, life->pair);
    gpm_list_number(l, 1, pair->free_node);
    if (life->seen) gpm_list_number(l, 5, life->age);
    if (life->seen) gpm_list_number(l, 6, life->age_ns);
  }
  gpm_list_number(l, 2, life->bytes);
  gpm_list_number(l, 3, life->clock);
  gpm_list_number(l, 4, life->time_ns);
  gpm_list_number(l, 7, gpm_walk_address(life->address));
  gpm_list_number(l, 8, life->thread);
  gpm_list_number(l, 9, c->device);
  gpm_list_number(l, 10, c->kind);
  gpm_list_number(l, 11, life->temporary);
}

struct gpumemprof_read_list *gpm_list_blocks(struct gpumemprof_read *reader,
                                             struct gpm_read_capture *capture, int *status) {
  if (!gpm_walk_has_all(capture->reader, "a list of blocks")) {
    *status = GPUMEMPROF_READ_LACKS;
    return NULL;
  }
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_blocks));
  struct gpm_listener listener = gpm_block_lifetimes_listener(capture->reader, add_block, l);
  bool parts = capture->reader->split != NULL; /* cells are split by a window or by sizes */
  if (!(parts ? gpm_block_lifetimes_walk(capture->reader, add_block, l)
              : gpm_walk_read(capture->reader, &listener, 1)))
    *status = GPUMEMPROF_READ_CAPTURE;
  return l;
}
