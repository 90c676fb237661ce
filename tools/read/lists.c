/* lists.c - the table of the functions that make the lists of a capture; and call paths by their
 * nodes. See list.h. */
#include "read/list.h"

#include "rows/locations.h"

struct ask {
  struct gpumemprof_read *reader;
  uint32_t capture, number; /* number: of a device or node */
  enum gpumemprof_read_what what;
  struct gpumemprof_read_list *list;
  const char *text;
};

static gpm_list_make *const makers[] = {
    [GPUMEMPROF_READ_CAPTURES] = gpm_list_captures,
    [GPUMEMPROF_READ_DEVICES] = gpm_list_devices,
    [GPUMEMPROF_READ_COUNTERS] = gpm_list_counters,
    [GPUMEMPROF_READ_STEPS] = gpm_list_steps,
    [GPUMEMPROF_READ_MARKS] = gpm_list_marks,
    [GPUMEMPROF_READ_SAMPLES] = gpm_list_samples,
    [GPUMEMPROF_READ_NODES] = gpm_list_nodes,
    [GPUMEMPROF_READ_LEAKS] = gpm_list_leaks,
    [GPUMEMPROF_READ_VARIABLES] = gpm_list_variables,
    [GPUMEMPROF_READ_BUDGETS] = gpm_list_budgets,
    [GPUMEMPROF_READ_OOMS] = gpm_list_ooms,
    [GPUMEMPROF_READ_POOLS] = gpm_list_pools,
    [GPUMEMPROF_READ_TEMPORARIES] = gpm_list_temporaries,
    [GPUMEMPROF_READ_GROWTH] = gpm_list_growth,
    [GPUMEMPROF_READ_BLOCKS] = gpm_list_blocks,
    [GPUMEMPROF_READ_SUPPRESSED] = gpm_list_suppressed,
};

static int make_list(void *arguments) {
  struct ask *a = arguments;
  unsigned what = (unsigned)a->what;
  if (what >= sizeof makers / sizeof *makers || !makers[what])
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "there is no list %u in this version of the library", what);
  bool of_all = a->what == GPUMEMPROF_READ_CAPTURES;
  struct gpm_read_capture *capture = of_all ? NULL : gpm_read_capture(a->reader, a->capture);
  if (!capture && !of_all) return GPUMEMPROF_READ_ARGUMENT;
  int status = GPUMEMPROF_READ_OK;
  a->list = makers[what](a->reader, capture, &status);
  if (status && a->list) gpm_list_drop(a->list);
  return status;
}

struct gpumemprof_read_list *gpumemprof_read_list_of(struct gpumemprof_read *r, uint32_t capture,
                                                     enum gpumemprof_read_what what) {
  struct ask a = {.reader = r, .capture = capture, .what = what};
  return gpm_read_call(r, make_list, &a) ? NULL : a.list;
}

static int make_peak(void *arguments) {
  struct ask *a = arguments;
  struct gpm_read_capture *capture = gpm_read_capture(a->reader, a->capture);
  if (!capture) return GPUMEMPROF_READ_ARGUMENT;
  if (a->number >= capture->reader->device_count)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "there is no device %u: the capture has %u", a->number,
                         capture->reader->device_count);
  a->list = gpm_list_peak(a->reader, capture, a->number);
  return GPUMEMPROF_READ_OK;
}

struct gpumemprof_read_list *gpumemprof_read_peak(struct gpumemprof_read *r, uint32_t capture,
                                                  uint32_t device) {
  struct ask a = {.reader = r, .capture = capture, .number = device};
  return gpm_read_call(r, make_peak, &a) ? NULL : a.list;
}

/* The path is kept by its capture, and valid as long as that is open. */
static int make_path(void *arguments) {
  struct ask *a = arguments;
  struct gpm_read_capture *capture = gpm_read_capture(a->reader, a->capture);
  if (!capture) return GPUMEMPROF_READ_ARGUMENT;
  if (a->number >= capture->profile->node_count)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "there is no node %u: the capture has %u", a->number,
                         capture->profile->node_count);
  uint64_t *made = gpm_map_at(&capture->paths, a->number, 0);
  if (!*made) *made = (uint64_t)(uintptr_t)gpm_locations_path(capture->profile, a->number);
  a->text = (const char *)(uintptr_t)*made;
  return GPUMEMPROF_READ_OK;
}

const char *gpumemprof_read_path(struct gpumemprof_read *r, uint32_t capture, uint32_t node) {
  struct ask a = {.reader = r, .capture = capture, .number = node};
  return gpm_read_call(r, make_path, &a) ? NULL : a.text;
}
