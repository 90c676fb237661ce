/* cmd_histogram.c - `gpumemprof histogram`: the distribution of block sizes or lifetimes (bins.h),
 * as a table or JSON. */
#include "analysis/nothing.h"
#include "events/walk.h"
#include "input/command.h"
#include "output/bins_json.h"
#include "output/json.h"
#include "output/nothing_print.h"
#include "output/summary.h"
#include "over_time/bins.h"
#include "support/text.h"
#include "terminal/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_OF = 256 };

struct histogram {
  struct gpm_input input;
  bool lifetimes;
  struct gpm_bins bins;
};

const struct argp_option gpm_cmd_histogram_options[] = {
    {"of", OPTION_OF, "WHAT", 0, "size (default), or lifetime (needs history=all)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const of[] = {"size", "lifetime", NULL};
  struct histogram *o = state->input;
  if (key != OPTION_OF) return gpm_input_parse(key, arg, state, &o->input);
  o->lifetimes = gpm_say_choice("histogram of", arg, of) == 1;
  return 0;
}

/* False after it said what is wrong. */
static bool can_tell_lifetimes(const struct gpm_reader *reader) {
  if (!gpm_walk_has_all(reader, "a histogram of lifetimes")) return false;
  const char *why =
      reader->header.resets
          ? "the program reset its figures (gpumemprof_reset), and its events begin before "
            "that; record it without resets"
          : NULL;
  if (why) gpm_say("%s", why);
  return !why;
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static const char *unit_of(const struct histogram *o) {
  return o->lifetimes ? "lifetime" : "size";
}

static void print_table(const struct histogram *h) {
  const struct gpm_bins *o = &h->bins;
  unsigned style = h->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(o->profile, style, h->input.verbose);
  gpm_summary_print_losses(o->profile->reader);
  gpm_summary_print_filter(o->profile, style);
  uint64_t most = 0, blocks = 0, bytes = 0, at_peak = 0;
  bool any = false;
  for (uint32_t i = 0; i < o->count; i++) {
    if (o->bin[i].blocks > most) most = o->bin[i].blocks;
    any |= gpm_bins_shown(o, i);
  }
  if (!any) {
    gpm_nothing_print(o->profile, "nothing was allocated");
    return;
  }
  enum { OTHERS = 74, LEAST = 10 };
  uint32_t width = gpm_terminal_width();
  width = width > OTHERS + LEAST ? width - OTHERS : LEAST;
  printf("\n%-24s %10s %14s %14s\n", unit_of(h), "blocks", "bytes", "at peak");
  for (uint32_t i = 0; i < o->count; i++) {
    const struct gpm_bin *b = &o->bin[i];
    if (!gpm_bins_shown(o, i)) continue;
    char sum[GPM_TEXT_NUMBER], peak[GPM_TEXT_NUMBER],
        *bar = gpm_terminal_bar(b->blocks, most, width);
    printf("%-24s %10" PRIu64 " %14s %14s%s%s\n", b->text, b->blocks,
           gpm_text_bytes(sum, (int64_t)b->bytes, style),
           gpm_text_bytes(peak, (int64_t)b->at_peak, style), *bar ? "  " : "", bar);
    free(bar);
    blocks += b->blocks;
    bytes += b->bytes;
    at_peak += b->at_peak;
  }
  char sum[GPM_TEXT_NUMBER], peak[GPM_TEXT_NUMBER];
  printf("%-24s %10" PRIu64 " %14s %14s\n", "in all", blocks,
         gpm_text_bytes(sum, (int64_t)bytes, style), gpm_text_bytes(peak, (int64_t)at_peak, style));
  if (gpm_rows_peaks_are_several(o->profile))
    printf("`at peak` is a sum over several devices, of which pinned host memory is one:\neach "
           "device's at its own peak; --device N shows one alone\n");
  if (!h->lifetimes && o->bin[GPM_SIZES_SEVERAL].blocks) {
    printf("(several sizes): of call paths whose blocks are of more than one class");
    if (o->most)
      printf(", from %s to %s", gpm_text_bytes(sum, (int64_t)o->least, style),
             gpm_text_bytes(peak, (int64_t)o->most, style));
    printf("; record with GPUMEMPROF_OPTIONS=history=all to distinguish them\n");
  }
}

static void print_json(const struct histogram *o) {
  gpm_json_head(o->bins.profile);
  gpm_json_field(histogram, of, json_string(unit_of(o)));
  gpm_json_field(histogram, unit, json_string(o->lifetimes ? "ns" : "bytes"));
  gpm_json_list(histogram, bins);
  gpm_bins_json(&o->bins);
  gpm_json_end(o->bins.profile);
}

int gpm_cmd_histogram_run(const struct gpm_command *command, int argc, char **argv) {
  struct histogram o = {.lifetimes = false};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!o.lifetimes) o.input.split.by = GPM_BY_SIZE;
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  bool made = !o.lifetimes || can_tell_lifetimes(o.input.reader);
  if (made && o.lifetimes) made = gpm_bins_lifetimes(NULL, &o.bins, profile, o.input.reader);
  else if (made) gpm_bins_sizes(&o.bins, profile);
  gpm_progress(NULL);
  if (made && o.input.format == GPM_FORMAT_TABLE) print_table(&o);
  else if (made) print_json(&o);
  gpm_bins_free(&o.bins);
  int status = gpm_input_close(&o.input, profile);
  return made ? status : GPM_EXIT_USAGE;
}
