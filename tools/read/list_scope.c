/* list_scope.c - the highest own peak of a scope, as lists: the call that reached it, what was live
 * then, and the allocations before it. See list.h.
 *
 *   gpumemprof_read_scope_peak     reads the events once; its list keeps what was found
 *     gpumemprof_read_scope_live   lists made from that
 *     gpumemprof_read_scope_before
 */
#include "read/list.h"

#include "over_time/scope_peak.h"

enum { NODE, LOCATION, OWN_PEAK, CLOCK, NS, SINCE_CLOCK, THREAD, REACHED_NODE, REACHED_LOCATION };
static const struct gpm_list_column of_peak[] = {
    [NODE] = {"node", "the scope", GPUMEMPROF_READ_NUMBER},
    [LOCATION] = {"location", "where it is", GPUMEMPROF_READ_TEXT},
    [OWN_PEAK] = {"own_peak", "needed on top of what was live at its start", GPUMEMPROF_READ_BYTES},
    [CLOCK] = {"clock", "allocation clock when that was reached", GPUMEMPROF_READ_NUMBER},
    [NS] = {"time_ns", "when that was", GPUMEMPROF_READ_NS},
    [SINCE_CLOCK] = {"since_clock", "allocation clock when that call of it began",
                     GPUMEMPROF_READ_NUMBER},
    [THREAD] = {"thread", "that called it", GPUMEMPROF_READ_NUMBER},
    [REACHED_NODE] = {"reached_node", "the allocation that reached it", GPUMEMPROF_READ_NUMBER},
    [REACHED_LOCATION] = {"reached_place", "where that is", GPUMEMPROF_READ_TEXT},
};

/* Also tells that a list is one of peaks. */
static void drop_peak(void *data) {
  gpm_scope_peak_free(data);
  free(data);
}

/* ---- the peak ----------------------------------------------------------------------------------
 */

struct ask {
  struct gpumemprof_read *reader;
  uint32_t capture, last;
  const char *scope;
  struct gpumemprof_read_list *peak; /* for the lists that are made from it */
  struct gpumemprof_read_list *list;
};

static int refuse(const struct ask *a, const struct gpm_read_capture *c) {
  if (!a->scope) return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT, "no scope was named");
  if (a->last > GPM_SCOPE_PEAK_MOST_LAST)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "the allocations before a peak are at most %d, not %u",
                         GPM_SCOPE_PEAK_MOST_LAST, a->last);
  if (c->reader->split)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "the peak of a scope is of the whole run: open the capture without from, "
                         "to and a filter by size");
  return GPUMEMPROF_READ_OK;
}

static int status_of(enum gpm_scope_fault fault) {
  return fault == GPM_SCOPE_NAME     ? GPUMEMPROF_READ_ARGUMENT
         : fault == GPM_SCOPE_EVENTS ? GPUMEMPROF_READ_LACKS
                                     : GPUMEMPROF_READ_CAPTURE;
}

static void put(struct gpumemprof_read_list *l, const struct gpm_scope_peak *peak) {
  const struct gpm_profile *p = l->capture->profile;
  gpm_list_add(l);
  gpm_list_location(l, NODE, p, peak->node);
  gpm_list_number(l, OWN_PEAK, peak->own_peak);
  gpm_list_number(l, CLOCK, peak->clock);
  gpm_list_number(l, NS, gpm_reader_time_ns(p->reader, peak->ticks));
  gpm_list_number(l, SINCE_CLOCK, peak->since);
  gpm_list_number(l, THREAD, peak->thread);
  gpm_list_location(l, REACHED_NODE, p, peak->event);
}

static int make_peak(void *arguments) {
  struct ask *a = arguments;
  struct gpm_read_capture *c = gpm_read_capture(a->reader, a->capture);
  int status = c ? refuse(a, c) : GPUMEMPROF_READ_ARGUMENT;
  if (status) return status;
  gpm_host_doing(&a->reader->host, "following the scopes");
  struct gpm_scope_peak *peak = gpm_memory_array(1, sizeof *peak);
  char *wrong = gpm_scope_peak_named(c->reader, c->profile, a->scope, a->last, peak);
  if (wrong) {
    status = status_of(peak->fault);
    drop_peak(peak);
    return gpm_read_wrong(a->reader, (enum gpumemprof_read_status)status, wrong);
  }
  a->list = gpm_list_new(a->reader, c, GPM_LIST_COLUMNS_OF(of_peak));
  a->list->data = peak;
  a->list->drop = drop_peak;
  put(a->list, peak);
  return GPUMEMPROF_READ_OK;
}

struct gpumemprof_read_list *gpumemprof_read_scope_peak(struct gpumemprof_read *r, uint32_t capture,
                                                        const char *scope, uint32_t last) {
  struct ask a = {.reader = r, .capture = capture, .scope = scope, .last = last};
  return gpm_read_call(r, make_peak, &a) ? NULL : a.list;
}

/* ---- what was there then -----------------------------------------------------------------------
 */

static const struct gpm_list_column of_live[] = {
    GPM_LIST_LOCATION_COLUMNS,
    {"bytes", "of them", GPUMEMPROF_READ_BYTES},
    {"blocks", "how many they are", GPUMEMPROF_READ_COUNT},
    {"in_it", "of the bytes, those that this call of the scope allocated on its thread",
     GPUMEMPROF_READ_BYTES},
};

static const struct gpm_list_column of_before[] = {
    GPM_LIST_LOCATION_COLUMNS,
    {"bytes", "of the block", GPUMEMPROF_READ_BYTES},
    {"clock", "allocation clock of its allocation", GPUMEMPROF_READ_NUMBER},
    {"time_ns", "when that was", GPUMEMPROF_READ_NS},
};

static void add_live(struct gpumemprof_read_list *l, const struct gpm_scope_peak *peak) {
  for (uint32_t i = 0; i < peak->holding.count; i++) {
    const struct gpm_held *held = &peak->holding.line[i];
    if (!held->bytes && !held->blocks) continue;
    gpm_list_add_location(l, l->capture->profile, held->node);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION, held->bytes);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 1, held->blocks);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 2, held->inside);
  }
}

static void add_before(struct gpumemprof_read_list *l, const struct gpm_scope_peak *peak) {
  const struct gpm_profile *p = l->capture->profile;
  const struct gpm_event *e;
  for (uint64_t i = 0; (e = gpm_latest_at(&peak->before, i)); i++) {
    gpm_list_add_location(l, p, p->cell_node[e->id]);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION, e->bytes);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 1, e->clock);
    gpm_list_number(l, GPM_LIST_AFTER_LOCATION + 2, gpm_reader_time_ns(p->reader, e->ticks));
  }
}

static int is_peak(const struct gpumemprof_read_list *l) {
  return l->drop == drop_peak
             ? GPUMEMPROF_READ_OK
             : gpm_read_fail(l->reader, GPUMEMPROF_READ_ARGUMENT,
                             "the list is not one of gpumemprof_read_scope_peak()");
}

static int make_live(void *arguments) {
  struct ask *a = arguments;
  if (is_peak(a->peak)) return GPUMEMPROF_READ_ARGUMENT;
  a->list = gpm_list_new(a->reader, a->peak->capture, GPM_LIST_COLUMNS_OF(of_live));
  add_live(a->list, a->peak->data);
  return GPUMEMPROF_READ_OK;
}

static int make_before(void *arguments) {
  struct ask *a = arguments;
  if (is_peak(a->peak)) return GPUMEMPROF_READ_ARGUMENT;
  a->list = gpm_list_new(a->reader, a->peak->capture, GPM_LIST_COLUMNS_OF(of_before));
  add_before(a->list, a->peak->data);
  return GPUMEMPROF_READ_OK;
}

static struct gpumemprof_read_list *make_from(struct gpumemprof_read_list *peak,
                                              int (*make)(void *arguments)) {
  if (!peak) return NULL;
  struct ask a = {.reader = peak->reader, .peak = peak};
  return gpm_read_call(a.reader, make, &a) ? NULL : a.list;
}

struct gpumemprof_read_list *gpumemprof_read_scope_live(struct gpumemprof_read_list *peak) {
  return make_from(peak, make_live);
}

struct gpumemprof_read_list *gpumemprof_read_scope_before(struct gpumemprof_read_list *peak) {
  return make_from(peak, make_before);
}
