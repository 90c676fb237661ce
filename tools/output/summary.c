/* summary.c - see summary.h. Printed by report, tree and leaks above their rows. */
#include "output/summary.h"

#include "analysis/holding.h"
#include "analysis/in_use.h"
#include "analysis/oom.h"
#include "analysis/unaccounted.h"
#include "model/patterns.h"
#include "model/split_cells.h"
#include "output/unaccounted_print.h"
#include "rows/devices.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "symbols/symbols.h"
#include "terminal/fit.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct gpm_counter gpm_counters[] = {
#define GPUMEMPROF_COUNTER(name, unit, is_loss, text)                                              \
  {#name, #unit, text, (enum gpm_counter_class)(is_loss)},
#include "gpumemprof/counters.def"
    {NULL, NULL, NULL, GPM_COUNTER_OTHER},
};
const char *const gpm_counter_words[] = {NULL, "lost", "limit reached", "not checked"};

/* A figure is written before its event. */
static void print_lag(const struct gpm_reader *r) {
  bool lags = gpm_state_is_cut(gpm_reader_state(r)) || gpm_reader_went_on(r);
  if (lags && r->event_chunks)
    printf("; its events, and figures made from them, may lack the last one of each thread");
}

static void print_state(const struct gpm_reader *r) {
  char *text = NULL, when[GPM_TEXT_NUMBER];
  switch (gpm_reader_state(r)) {
  case GPM_STATE_COMPLETE:
    printf("the capture is complete%s",
           gpm_reader_went_on(r)
               ? ", and threads or destructors went on while the program exited: the "
                 "figures are of its last moment"
               : "");
    break;
  case GPM_STATE_STOPPED:
    text = gpm_text_clean(r->header.stop_reason);
    printf("recording stopped: %s; what came later is missing", text);
    break;
  case GPM_STATE_RUNNING:
    printf("still running%s", gpm_split_is_part(r) ? "" : ": the figures are of this moment");
    break;
  case GPM_STATE_ENDED:
    printf(
        "the program did not exit cleanly (killed, aborted or _exit); figures are complete up to "
        "its last call");
    break;
  case GPM_STATE_RESTARTED:
    printf("the program did not exit cleanly before its machine was restarted; what was not on the "
           "disk by then is missing");
    break;
  case GPM_STATE_COPY:
    if (gpm_split_is_part(r)) {
      printf("a copy made while it ran");
      break;
    }
    text = gpm_text_clean(r->header.dump_reason);
    printf("a copy made while it ran, after %s (%s): the figures are of that moment",
           gpm_text_duration(when, gpm_reader_time_ns(r, r->header.last_ticks)), text);
    break;
  case GPM_STATE_ELSEWHERE:
    text = gpm_text_clean(r->header.host);
    printf("recorded on %s, without a clean exit so far", text);
    break;
  }
  free(text);
  print_lag(r);
  if (gpm_split_is_part(r)) {
    text = gpm_window_text(&r->split->window);
    printf("; figures are of the part of it %s", text);
    if (r->split->last_clock >= r->split->first_clock)
      printf(" (clock %" PRIu64 " to %" PRIu64 ")", r->split->first_clock, r->split->last_clock);
    else printf(" (nothing happened in it)");
    free(text);
  }
  char since[GPM_TEXT_NUMBER];
  if (r->header.resets)
    printf("; figures since the reset after %s",
           gpm_text_duration(since, gpm_reader_time_ns(r, r->header.reset_ticks)));
}

bool gpm_summary_is_before_reset(const struct gpm_reader *r, uint64_t ticks) {
  return r->header.resets && ticks < r->header.reset_ticks;
}

void gpm_summary_print_before_reset(const struct gpm_reader *r, const char *what) {
  char when[GPM_TEXT_NUMBER];
  printf("(%s what was before the reset after %s, too; the peaks and sums above begin there)\n",
         what, gpm_text_duration(when, gpm_reader_time_ns(r, r->header.reset_ticks)));
}

static const char *not_gpu_text(int ordinal) {
  switch (ordinal) {
  case GPUMEMPROF_HOST:
    return "pinned memory";
  case GPUMEMPROF_IMPORTED:
    return "memory of other processes and APIs";
  default:
    return "the program's own allocators";
  }
}

const char *gpm_summary_when(char *text, const struct gpm_reader *r,
                             const struct gpumemprof_capture_device *d) {
  char when[GPM_TEXT_NUMBER];
  if (gpm_split_is_begin(r, d->peak_clock)) return "when the part began";
  snprintf(text, GPM_SUMMARY_WHEN, "after %s",
           gpm_text_duration(when, gpm_reader_time_ns(r, d->peak_ticks)));
  return text;
}

/* A small variable that completed a peak does not explain it. Returns the node with the most memory
 * at such a peak, or NONE for other peaks. */
static uint32_t largest_part(const struct gpm_profile *p, uint32_t device) {
  uint32_t last = p->reader->devices[device].peak_node, found = GPUMEMPROF_NONE;
  uint64_t bytes = 0;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (c->node == last && c->device == device) bytes += gpm_profile_at_peak(p->reader, c);
  if (!gpm_small_variables_is_one(p->reader, p->site[last], bytes)) return found;
  struct gpm_holding holding;
  gpm_holding_at_peak(&holding, p, device);
  const struct gpm_held *most = holding.line;
  if (holding.count && !gpm_small_variables_is_one(p->reader, p->site[most->node], most->bytes))
    found = most->node;
  gpm_holding_free(&holding);
  return found;
}

/* "now", or "at the end". */
static const char *live_when(const struct gpm_reader *r) {
  return gpm_reader_state(r) == GPM_STATE_RUNNING && !r->ends_early ? "now"
         : gpm_reader_is_midway(r)                                  ? "then"
                                                                    : "at the end";
}

/* "GPU 0: peak 1.00 GiB of 24.00 GiB at train.cu:72 backward, 0 live at the end" */
static char *device_text(const struct gpm_profile *p, uint32_t device, unsigned style,
                         bool with_function) {
  const struct gpm_reader *r = p->reader;
  const struct gpumemprof_capture_device *d = &r->devices[device];
  char peak[GPM_TEXT_NUMBER], live[GPM_TEXT_NUMBER], total[GPM_TEXT_NUMBER];
  char *name = gpm_locations_device(r, device), *where = gpm_memory_text("");
  bool known = d->peak && d->peak_node != GPUMEMPROF_NONE && d->peak_node < p->node_count;
  if (known) {
    uint32_t most = largest_part(p, device);
    bool part = most != GPUMEMPROF_NONE;
    free(where);
    where = gpm_locations_node_short(p, part ? most : d->peak_node, with_function);
    char *at = gpm_memory_format("%s%s", part ? ", the largest part at " : " at ", where);
    free(where);
    where = at;
  }
  char *text = gpm_memory_format(
      "%s: peak %s%s%s%s, %s live %s", name, gpm_text_bytes(peak, (int64_t)d->peak, style),
      d->memory_total ? " of " : "",
      d->memory_total ? gpm_text_bytes(total, (int64_t)d->memory_total, style) : "", where,
      gpm_text_bytes(live, (int64_t)d->total, style), live_when(r));
  free(name);
  free(where);
  return text;
}

/* The function is left out where the line would not fit. */
static void print_device_short(const struct gpm_profile *p, uint32_t device, unsigned style) {
  char *text = device_text(p, device, style, true);
  if (!gpm_fit_fits(text)) {
    free(text);
    text = device_text(p, device, style, false);
  }
  puts(text);
  free(text);
}

static void print_device(const struct gpm_profile *p, uint32_t device, unsigned style) {
  const struct gpm_reader *r = p->reader;
  const struct gpumemprof_capture_device *d = &r->devices[device];
  char *name = gpm_text_clean(d->name), *title = NULL;
  if (d->ordinal < 0)
    title =
        gpm_memory_format("%s (%s)", gpm_locations_not_gpu(d->ordinal), not_gpu_text(d->ordinal));
  else title = gpm_memory_format("GPU %d %s", d->ordinal, name);
  char peak[GPM_TEXT_NUMBER], live[GPM_TEXT_NUMBER], when[GPM_SUMMARY_WHEN], total[GPM_TEXT_NUMBER];
  printf("%s: peak %s", title, gpm_text_bytes(peak, (int64_t)d->peak, style));
  if (d->memory_total) printf(" of %s", gpm_text_bytes(total, (int64_t)d->memory_total, style));
  if (d->peak) {
    printf(" %s", gpm_summary_when(when, r, d));
    if (d->peak_node != GPUMEMPROF_NONE && d->peak_node < p->node_count) {
      uint32_t most = largest_part(p, device);
      bool known = most != GPUMEMPROF_NONE;
      char *where = gpm_locations_node(p, known ? most : d->peak_node);
      printf(" (%s%s)", known ? "the largest part: " : "", where);
      free(where);
    }
  }
  printf(", %s live %s\n", gpm_text_bytes(live, (int64_t)d->total, style), live_when(r));
  free(title);
  free(name);
}

/* What a program may have in use without a question: CUDA's context and modules, and managed memory
 * that is on the host. */
static bool is_usual(const struct gpm_in_use *u) {
  enum { CONTEXTS = 1 << 30 };
  return u->unaccounted <= CONTEXTS && u->unaccounted + (int64_t)u->managed >= 0;
}

static void print_in_use(const struct gpm_reader *r, unsigned style, bool verbose) {
  char used[GPM_TEXT_NUMBER], recorded[GPM_TEXT_NUMBER], elsewhere[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < r->device_count; i++) {
    struct gpm_in_use u;
    if (!gpm_in_use(r, r->device_order[i], &u) || (!verbose && is_usual(&u))) continue;
    char *id = gpm_locations_device(r, r->device_order[i]);
    struct gpm_wrapped wrapped;
    FILE *to = gpm_wrapped_begin(&wrapped);
    fprintf(to, "%s in use %s: ", id, u.when);
    gpm_unaccounted_print_in_use(
        to,
        &(struct gpm_unaccounted_terms){.used = u.used,
                                        .recorded = u.recorded,
                                        .pool_slack = u.pool_slack,
                                        .rounding = u.rounding,
                                        .unaccounted = u.unaccounted,
                                        .managed = u.managed,
                                        .rounding_known = true,
                                        .is_simulated =
                                            gpm_devices_is_simulated(r, r->device_order[i])},
        "", style);
    gpm_wrapped_end(&wrapped, 2);
    if (u.managed)
      gpm_wrapped_print(
          2,
          "%s managed memory %s: %s, last prefetched here %s, elsewhere %s (it moves, and counts "
          "where it was allocated)",
          id, u.when, gpm_text_bytes(used, (int64_t)u.managed, style),
          gpm_text_bytes(recorded, (int64_t)u.managed_here, style),
          gpm_text_bytes(elsewhere, (int64_t)u.managed_elsewhere, style));
    free(id);
  }
}

/* settle.c completes only one event of each thread. */
static const char *why_not(enum gpm_state state) {
  return gpm_state_is_cut(state) ? " (was the program killed in the middle of an event?)" : "";
}

void gpm_summary_print_balance(const struct gpm_conservation *sums, bool part, unsigned style) {
  char allocated[GPM_TEXT_NUMBER], freed[GPM_TEXT_NUMBER], live[GPM_TEXT_NUMBER];
  if (part) printf("%s live before + ", gpm_text_bytes(live, (int64_t)sums->older, style));
  printf("%s allocated - %s freed = %s live (blocks: ",
         gpm_text_bytes(allocated, (int64_t)sums->allocated, style),
         gpm_text_bytes(freed, (int64_t)sums->freed, style),
         gpm_text_bytes(live, (int64_t)sums->live, style));
  if (part) printf("%" PRIu64 " + ", sums->older_blocks);
  printf("%" PRIu64 " - %" PRIu64 " = %" PRIu64 ")", sums->allocated_blocks, sums->freed_blocks,
         sums->live_blocks);
}

struct gpm_conservation gpm_summary_left(const struct gpm_profile *p) {
  struct gpm_left left = gpm_patterns_left(p);
  struct gpumemprof_capture_amount live = gpm_patterns_live(&left);
  return (struct gpm_conservation){.allocated = left.allocated.bytes,
                                   .freed = left.freed.bytes,
                                   .live = live.bytes,
                                   .allocated_blocks = left.allocated.blocks,
                                   .freed_blocks = left.freed.blocks,
                                   .live_blocks = live.blocks,
                                   .older = left.older.bytes,
                                   .older_blocks = left.older.blocks};
}

void gpm_summary_print_filter(const struct gpm_profile *p, unsigned style) {
  if (!p->patterns || !gpm_patterns_are_decided(p->patterns, p->reader)) return;
  struct gpm_conservation sums = gpm_summary_left(p);
  char *filter = gpm_patterns_text(p->patterns);
  printf("left by --filter %s: ", filter);
  gpm_summary_print_balance(&sums, gpm_split_is_part(p->reader), style);
  putchar('\n');
  free(filter);
}

static void print_conservation(const struct gpm_reader *r, unsigned style, bool verbose) {
  struct gpm_conservation c = gpm_conserve(r);
  if (verbose || !c.ok) gpm_summary_print_balance(&c, gpm_split_is_part(r), style);
  if (!c.ok) printf(": NOT BALANCED%s\n  %s\n", why_not(gpm_reader_state(r)), c.fault);
  else if (verbose) printf(": balanced on every device and kind, in bytes and blocks\n");
  free(c.fault);
}

/* Whether the state needs no remark: the program ended by itself, and figures are of all of it. */
static bool is_whole(const struct gpm_reader *r) {
  return gpm_reader_state(r) == GPM_STATE_COMPLETE && !gpm_reader_went_on(r) && !r->header.resets &&
         !gpm_split_is_part(r);
}

static void print_program(const struct gpm_reader *r, bool verbose) {
  if (!verbose && is_whole(r)) return;
  char *program =
      gpm_text_clean(r->header.command_line[0] ? r->header.command_line : r->header.executable);
  printf("%s: ", *program ? program : "(unnamed program)");
  print_state(r);
  putchar('\n');
  free(program);
}

static void print_devices(const struct gpm_profile *p, unsigned style, bool verbose) {
  const struct gpm_reader *r = p->reader;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (r->devices[device].ordinal < 0 && !r->devices[device].peak) continue;
    if (verbose) print_device(p, device, style);
    else print_device_short(p, device, style);
  }
}

/* A part of the run has no figures of what is in use. */
static void print_rest(const struct gpm_profile *p, unsigned style, bool verbose) {
  if (gpm_split_is_part(p->reader)) return;
  print_in_use(p->reader, style, verbose);
  gpm_unaccounted_print(p, style);
}

/* Of a program that was rebuilt in part: which lines are exact, and which are of machine stacks. */
static void print_machine_code(const struct gpm_reader *r) {
  char *modules = r->modules.count ? gpm_symbols_modules(r) : NULL;
  if (modules)
    printf("lines of %s that were not rebuilt come from machine stacks; all others are "
           "exact\n",
           modules);
  free(modules);
}

void gpm_summary_print(const struct gpm_profile *p, unsigned style, bool verbose) {
  print_program(p->reader, verbose);
  print_machine_code(p->reader);
  if (!verbose) print_conservation(p->reader, style, false); /* only what is wrong */
  print_devices(p, style, verbose);
  if (verbose) print_conservation(p->reader, style, true);
  print_rest(p, style, verbose);
}

void gpm_summary_print_before_answer(const struct gpm_profile *p, unsigned style, bool verbose) {
  if (verbose) gpm_summary_print(p, style, true);
  else {
    print_program(p->reader, false);
    print_machine_code(p->reader);
    print_conservation(p->reader, style, false);
    print_rest(p, style, false);
  }
  gpm_summary_print_losses(p->reader);
}

static void print_loss(const char *before, const char *word, uint64_t count, const char *text) {
  char *counted = gpm_text_counted(count, text);
  printf("%s%s: %s\n", before, word, counted);
  free(counted);
}

/* Warns that a newer runtime may have written records that affect the figures below. */
static void print_newer_format(const struct gpm_reader *r, const char *before) {
  const struct gpumemprof_capture_header *h = &r->header;
  if (h->minor <= GPUMEMPROF_CAPTURE_MINOR) return;
  printf("%snewer format: the capture is of %u.%u, this tool knows %u.%u: ", before, h->major,
         h->minor, GPUMEMPROF_CAPTURE_MAJOR, GPUMEMPROF_CAPTURE_MINOR);
  if (r->skipped_chunks)
    printf("%" PRIu64 " chunk%s of types that it does not know %s skipped\n", r->skipped_chunks,
           gpm_text_s(r->skipped_chunks), r->skipped_chunks == 1 ? "was" : "were");
  else printf("a newer tool may show more of it\n");
}

void gpm_summary_print_losses_behind(const struct gpm_reader *r, const char *before) {
  print_newer_format(r, before);
  for (enum gpm_counter_class c = GPM_COUNTER_LOSS; c < GPM_COUNTER_CLASSES; c++)
    for (unsigned i = 0; gpm_counters[i].name; i++)
      if (gpm_counters[i].class == c && r->header.counters[i])
        print_loss(before, gpm_counter_words[c], r->header.counters[i], gpm_counters[i].text);
}

void gpm_summary_print_losses(const struct gpm_reader *r) {
  gpm_summary_print_losses_behind(r, "");
}

void gpm_summary_print_failures(const struct gpm_profile *p, unsigned style) {
  enum { MOST = 20 };
  unsigned printed = 0, more = 0;
  char bytes[GPM_TEXT_NUMBER];
  struct gpm_cursor at = {.records = &p->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    if (!n->failed_calls) continue;
    if (printed == MOST) {
      more++;
      continue;
    }
    printed++;
    char *where = gpm_locations_path(p, (uint32_t)at.number),
         *what = gpm_locations_allocation(p->reader, n->site);
    printf("%" PRIu64 " allocation%s failed (%s) at %s%s%s", n->failed_calls,
           n->failed_calls == 1 ? "" : "s", gpm_text_bytes(bytes, (int64_t)n->failed_bytes, style),
           where, *what ? "  " : "", what);
    if (n->oom_calls == n->failed_calls) printf(": out of memory\n");
    else if (n->oom_calls) printf(": %" PRIu64 " of them out of memory\n", n->oom_calls);
    else printf("\n");
    free(where);
    free(what);
  }
  if (more)
    printf("allocations failed at %u more location%s (--format json lists all)\n", more,
           gpm_text_s(more));
  uint64_t ooms = gpm_oom_count(p->reader), described = p->reader->ooms.count;
  if (ooms)
    printf("out of memory: %" PRIu64 " failure%s; %s\n", ooms, ooms == 1 ? "" : "s",
           described ? "`gpumemprof oom` shows what held the memory"
                     : "none was described (GPUMEMPROF_OPTIONS=oom_max=N does)");
}
