/* list_found.c - lists of the results of analyses of the records: leaks, budgets, failures, pools,
 * and what was live at a peak. See list.h. */
#include "read/list.h"

#include "analysis/budgets.h"
#include "analysis/holding.h"
#include "analysis/leaks.h"
#include "analysis/oom.h"
#include "analysis/pools.h"
#include "support/text.h"

/* ---- what is held ------------------------------------------------------------------------------
 */

static const struct gpm_list_column of_held[] = {
    GPM_LIST_LOCATION_COLUMNS,
    {"bytes", "of them", GPUMEMPROF_READ_BYTES},
    {"blocks", "how many they are", GPUMEMPROF_READ_COUNT},
};

static void add_held(struct gpumemprof_read_list *l, const struct gpm_profile *p, uint32_t node,
                     uint64_t bytes, uint64_t blocks) {
  gpm_list_add_location(l, p, node);
  gpm_list_number(l, GPM_LIST_AFTER_LOCATION, bytes);
  gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 1, blocks);
}

struct gpumemprof_read_list *gpm_list_peak(struct gpumemprof_read *reader,
                                           struct gpm_read_capture *capture, uint32_t device) {
  struct gpm_holding held;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_held));
  gpm_holding_at_peak(&held, capture->profile, device);
  for (uint32_t i = 0; i < held.count; i++)
    if (held.line[i].bytes || held.line[i].blocks)
      add_held(l, capture->profile, held.line[i].node, held.line[i].bytes, held.line[i].blocks);
  gpm_holding_free(&held);
  return l;
}

struct gpumemprof_read_list *gpm_list_leaks(struct gpumemprof_read *reader,
                                            struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpm_suppressions hidden = gpm_list_suppressions(capture);
  const struct gpm_leaks_request request = {.suppressions = &hidden};
  struct gpm_leaks leaks;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_held));
  gpm_leaks_find(&leaks, capture->profile, &request);
  free(hidden.one);
  for (uint32_t i = 0; i < leaks.count; i++) {
    const struct gpm_row *row = &leaks.rows.row[i];
    add_held(l, capture->profile, row->key, (uint64_t)row->value[GPM_FIGURE_leaked],
             (uint64_t)row->value[GPM_FIGURE_leaked_blocks]);
  }
  gpm_leaks_free(&leaks);
  return l;
}

struct gpumemprof_read_list *gpm_list_variables(struct gpumemprof_read *reader,
                                                struct gpm_read_capture *capture, int *status) {
  (void)status;
  const struct gpm_leaks_request all = {.most = 0};
  struct gpm_leaks leaks;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_held));
  gpm_leaks_find(&leaks, capture->profile, &all);
  for (uint32_t i = 0; i < leaks.reachable_count; i++)
    add_held(l, capture->profile, leaks.reachable[i].node, leaks.reachable[i].bytes,
             leaks.reachable[i].blocks);
  gpm_leaks_free(&leaks);
  return l;
}

/* ---- budgets and failures ----------------------------------------------------------------------
 */

static const struct gpm_list_column of_budgets[] = {
    GPM_LIST_LOCATION_COLUMNS,
    {"budget", "budget, no_alloc or no_leak", GPUMEMPROF_READ_TEXT},
    {"verdict", "kept, broken or undecided", GPUMEMPROF_READ_TEXT},
    {"limit", "of a budget in bytes", GPUMEMPROF_READ_BYTES},
    {"bytes", "where it was broken: the highest own peak; all that was allocated; the most left",
     GPUMEMPROF_READ_BYTES},
    {"blocks", "of no_leak: in how many blocks that was", GPUMEMPROF_READ_COUNT},
    {"times", "how often it was broken", GPUMEMPROF_READ_COUNT},
    {"where_node", "the call of an allocation there", GPUMEMPROF_READ_NUMBER},
    {"first_ns", "when it was broken first", GPUMEMPROF_READ_NS},
};

struct gpumemprof_read_list *gpm_list_budgets(struct gpumemprof_read *reader,
                                              struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_budgets));
  struct gpm_budgets budgets = gpm_budgets_judge(capture->profile);
  for (uint32_t i = 0; i < budgets.count; i++) {
    const struct gpm_budget *b = &budgets.budget[i];
    int at = GPM_LIST_AFTER_LOCATION;
    gpm_list_add_location(l, capture->profile, b->node);
    gpm_list_text(l, at++, gpm_memory_text(gpm_budgets_kind(b->kind)));
    gpm_list_text(l, at++,
                  gpm_memory_text(b->broken      ? "broken"
                                  : b->undecided ? "undecided"
                                                 : "kept"));
    if (b->kind == GPUMEMPROF_BUDGET_BYTES) gpm_list_number(l, at, b->limit);
    if (b->broken) gpm_list_number(l, at + 1, b->bytes);
    if (b->broken && b->kind == GPUMEMPROF_BUDGET_NO_LEAK) gpm_list_number(l, at + 2, b->blocks);
    gpm_list_number(l, at + 3, b->times);
    if (b->where != GPUMEMPROF_NONE) gpm_list_number(l, at + 4, b->where);
    if (b->ticks) gpm_list_number(l, at + 5, gpm_reader_time_ns(capture->reader, b->ticks));
  }
  gpm_budgets_free(&budgets);
  return l;
}

static const struct gpm_list_column of_ooms[] = {
    GPM_LIST_LOCATION_COLUMNS,
    {"requested", "bytes that were requested", GPUMEMPROF_READ_BYTES},
    {"memory_free", "of the device, by the driver", GPUMEMPROF_READ_BYTES},
    {"memory_total", "of the device, by the driver", GPUMEMPROF_READ_BYTES},
    {"recorded.bytes", "live on the device", GPUMEMPROF_READ_BYTES},
    {"recorded.blocks", "how many blocks that is", GPUMEMPROF_READ_COUNT},
    {"kept_by_pools", "reserved by pools and not handed out", GPUMEMPROF_READ_SIGNED_BYTES},
    {"unaccounted", "in use and not recorded", GPUMEMPROF_READ_SIGNED_BYTES},
    {"clock", "allocation clock then", GPUMEMPROF_READ_NUMBER},
    {"time_ns", "when it was", GPUMEMPROF_READ_NS},
    {"advice", "what would have made room, the most certain first", GPUMEMPROF_READ_TEXT},
};

static char *advice_of(const struct gpm_profile *p, const struct gpm_oom *oom) {
  size_t count;
  char **advice = gpm_oom_advice(p, oom, 0, &count), *all = gpm_memory_text("");
  for (size_t i = 0; i < count; i++) {
    char *longer = gpm_memory_format("%s%s%s", all, i ? "; " : "", advice[i]);
    free(all);
    free(advice[i]);
    all = longer;
  }
  free(advice);
  return all;
}

static void add_oom(struct gpumemprof_read_list *l, const struct gpm_profile *p,
                    const struct gpumemprof_capture_oom *record) {
  struct gpm_oom oom = gpm_oom_of(record);
  int at = GPM_LIST_AFTER_LOCATION;
  gpm_list_add_location(l, p, record->node);
  if (record->requested) gpm_list_number(l, at, record->requested);
  if (oom.memory_known) gpm_list_number(l, at + 1, record->memory_free);
  if (oom.memory_known) gpm_list_number(l, at + 2, record->memory_total);
  gpm_list_number(l, at + 3, record->total);
  gpm_list_number(l, at + 4, record->blocks);
  gpm_list_number(l, at + 5, (uint64_t)oom.kept_by_pools);
  if (oom.memory_known) gpm_list_number(l, at + 6, (uint64_t)oom.unaccounted);
  gpm_list_number(l, at + 7, record->clock);
  gpm_list_number(l, at + 8, gpm_reader_time_ns(p->reader, record->ticks));
  gpm_list_text(l, at + 9, advice_of(p, &oom));
}

struct gpumemprof_read_list *gpm_list_ooms(struct gpumemprof_read *reader,
                                           struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_ooms));
  struct gpm_cursor at = {.records = &capture->reader->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));)
    add_oom(l, capture->profile, o);
  return l;
}

/* ---- pools -------------------------------------------------------------------------------------
 */

static const struct gpm_list_column of_pools[3 + GPM_POOL_FIGURES] = {
    {"name", "of the allocator or pool", GPUMEMPROF_READ_TEXT},
    {"device", "whose memory it hands out", GPUMEMPROF_READ_TEXT},
    {"source", "custom: the program's own; cuda: CUDA's", GPUMEMPROF_READ_TEXT},
    [3 + GPM_POOL_USED] = {"used", "handed out", GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_RESERVED] = {"reserved", "what it has", GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_SLACK] = {"slack", "what it has and did not hand out",
                            GPUMEMPROF_READ_SIGNED_BYTES},
    [3 + GPM_POOL_HOLE] = {"largest_hole", "the largest free range", GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_USED_PEAK] = {"used_peak", "the most that was handed out", GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_RESERVED_PEAK] = {"reserved_peak", "the most that it had", GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_PEAK_FREE] = {"free_at_reserved_peak", "free bytes then", GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_PEAK_HOLE] = {"largest_hole_at_reserved_peak", "the largest free range then",
                                GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_PIECES] = {"pieces", "handed out now", GPUMEMPROF_READ_COUNT},
    [3 + GPM_POOL_ALL_PIECES] = {"pieces_ever", "ever handed out", GPUMEMPROF_READ_COUNT},
    [3 + GPM_POOL_SEGMENTS] = {"segments", "that it has now", GPUMEMPROF_READ_COUNT},
    [3 + GPM_POOL_ALL_SEGMENTS] = {"segments_ever", "that it ever had", GPUMEMPROF_READ_COUNT},
    [3 + GPM_POOL_OUTSIDE] = {"used_outside_known_memory", "in no memory that was seen",
                              GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_GROWTHS] = {"growths_with_free_bytes", "times it grew and had free bytes",
                              GPUMEMPROF_READ_COUNT},
    [3 + GPM_POOL_FRAGMENTED] = {"growths_for_holes_too_small", "of these, in holes too small",
                                 GPUMEMPROF_READ_COUNT},
    [3 + GPM_POOL_PASSED_OVER] = {"growths_passing_over_a_hole",
                                  "and with a hole that was large enough", GPUMEMPROF_READ_COUNT},
    [3 + GPM_POOL_GROWTH_NEED] = {"last_growth_bytes_needed", "of the latest of them",
                                  GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_GROWTH_FREE] = {"last_growth_free", "free bytes before it",
                                  GPUMEMPROF_READ_BYTES},
    [3 + GPM_POOL_GROWTH_HOLE] = {"last_growth_largest_hole", "the largest hole then",
                                  GPUMEMPROF_READ_BYTES},
};

struct gpumemprof_read_list *gpm_list_pools(struct gpumemprof_read *reader,
                                            struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpm_pools pools;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_pools));
  gpm_pools_make(&pools, capture->reader, &capture->filter);
  for (uint32_t i = 0; i < pools.count; i++) {
    const struct gpm_pool *pool = &pools.pool[i];
    gpm_list_add(l);
    gpm_list_text(l, 0, gpm_memory_text(pool->name));
    gpm_list_text(l, 1, gpm_memory_text(pool->device));
    gpm_list_text(l, 2, gpm_memory_text(pool->source));
    for (int f = 0; f < GPM_POOL_FIGURES; f++)
      if (gpm_pool_knows(pool, (unsigned)f)) gpm_list_number(l, 3 + f, pool->value[f]);
  }
  gpm_pools_free(&pools);
  return l;
}
