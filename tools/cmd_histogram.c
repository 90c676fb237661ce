/* cmd_histogram.c - `gpumemprof histogram`: how many blocks are of which size, or live how long.
 *
 *   sizes      powers of two: the rows of `report --by size`, so what is not told apart is a row
 *   lifetimes  powers of ten, from the life of each block
 */
#include "command.h"
#include "json.h"
#include "lives.h"
#include "sizes.h"
#include "summary.h"
#include "terminal.h"
#include "text.h"
#include "walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_OF = 256 };

struct bin {
  char *text;
  bool ranged; /* else it is no part of the scale */
  uint64_t from, below;
  uint64_t blocks, bytes, at_peak;
};

/* Lifetimes: below 100 ns, then a bin for each power of ten, the last open. */
enum {
  FIRST_POWER = 2,
  LAST_POWER = 12,
  DECADES = LAST_POWER - FIRST_POWER + 1,
  LIVE,
  UNSEEN,
  LIFETIMES
};

struct histogram {
  struct gpm_input input;
  bool lifetimes;
  const struct gpm_profile *profile;
  struct bin bin[GPM_SIZES_CLASSES];
  uint32_t count;
  uint64_t least, most; /* sizes: of the blocks that are not told apart */
};

const struct argp_option gpm_cmd_histogram_options[] = {
    {"of", OPTION_OF, "WHAT", 0, "size (default), or lifetime (needs history=all)", 0},
    GPM_PART_OPTIONS,
    GPM_INPUT_OPTIONS,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const of[] = {"size", "lifetime", NULL};
  struct histogram *o = state->input;
  if (key != OPTION_OF) return gpm_input_parse(key, arg, state, &o->input);
  o->lifetimes = gpm_command_choice("histogram of", arg, of) == 1;
  return 0;
}

/* ---- sizes -------------------------------------------------------------------------------------
 */

static void make_sizes(struct histogram *o) {
  struct gpm_rows rows;
  gpm_rows_make(&rows, o->profile, GPM_BY_SIZE);
  for (uint32_t i = 0; i < rows.count; i++) {
    const struct gpm_row *row = &rows.row[i];
    o->bin[i] = (struct bin){.text = gpm_sizes_text(i),
                             .ranged = i != GPM_SIZES_SEVERAL,
                             .from = i ? (uint64_t)1 << (i - 1) % 64 : 0,
                             .below = i < 64 ? (uint64_t)1 << i : UINT64_MAX,
                             .blocks = (uint64_t)row->value[GPM_FIGURE_blocks],
                             .bytes = (uint64_t)row->value[GPM_FIGURE_self_alloc],
                             .at_peak = (uint64_t)row->value[GPM_FIGURE_self_at_peak]};
    if (i != GPM_SIZES_SEVERAL || !gpm_row_knows(row, GPM_FIGURE_min_size)) continue;
    o->least = (uint64_t)row->value[GPM_FIGURE_min_size];
    o->most = (uint64_t)row->value[GPM_FIGURE_max_size];
  }
  o->count = rows.count;
  gpm_rows_free(&rows);
}

/* ---- lifetimes ---------------------------------------------------------------------------------
 */

static uint32_t decade_of(uint64_t ns) {
  uint32_t bin = 0;
  for (uint64_t bound = 100; bin + 1 < DECADES && ns >= bound; bound *= 10) bin++;
  return bin;
}

static void hear(void *data, const struct gpm_life_told *life) {
  struct histogram *o = data;
  if (!o->profile->cell_shown[life->cell]) return;
  bool live = life->pair == GPUMEMPROF_NONE;
  struct bin *bin = &o->bin[live ? LIVE : life->seen ? decade_of(life->age_ns) : UNSEEN];
  const struct gpumemprof_capture_cell *c =
      gpm_reader_record(&o->profile->reader->cells, life->cell);
  uint64_t peak = o->profile->reader->devices[c->device].peak_clock;
  bin->blocks++;
  bin->bytes += life->bytes;
  if (life->clock <= peak && (live || life->clock + life->age > peak)) bin->at_peak += life->bytes;
}

static char *decade_text(uint64_t from, uint64_t below) {
  char first[GPM_TEXT_NUMBER], second[GPM_TEXT_NUMBER];
  gpm_text_duration(first, from);
  if (below == UINT64_MAX) return gpm_memory_format("%s and more", first);
  gpm_text_duration(second, below);
  return from ? gpm_memory_format("%s to below %s", first, second)
              : gpm_memory_format("below %s", second);
}

/* False after it said what is wrong. */
static bool can_tell_lifetimes(const struct gpm_reader *reader) {
  if (!gpm_walk_has_all(reader, "a histogram of lifetimes")) return false;
  const char *why =
      reader->header.resets
          ? "the program began its figures anew (gpumemprof_reset), and its events begin before "
            "that; record it without resets"
      : reader->apart
          ? "a histogram of lifetimes is of the whole run: --from, --to and --filter size= are for "
            "one of sizes"
          : NULL;
  if (why) gpm_say("%s", why);
  return !why;
}

static bool make_lifetimes(struct histogram *o, struct gpm_reader *reader) {
  if (!can_tell_lifetimes(reader)) return false;
  uint64_t bound = 0, next = 100;
  for (uint32_t i = 0; i < DECADES; i++, bound = next, next *= 10) {
    uint64_t below = i + 1 < DECADES ? next : UINT64_MAX;
    o->bin[i] = (struct bin){
        .text = decade_text(bound, below), .ranged = true, .from = bound, .below = below};
  }
  o->bin[LIVE].text = gpm_memory_text(gpm_reader_is_amid(reader) ? "(live)" : "(not freed)");
  o->bin[UNSEEN].text = gpm_memory_text("(free not seen)");
  o->count = LIFETIMES;
  return gpm_lives_tell(reader, hear, o);
}

/* ---- formats -----------------------------------------------------------------------------------
 */

/* Bins of the scale from the first to the last that has blocks, and what else has some. */
static bool is_shown(const struct histogram *o, uint32_t i) {
  if (o->bin[i].blocks || !o->bin[i].ranged) return o->bin[i].blocks;
  bool before = false, behind = false;
  for (uint32_t k = 0; k < o->count; k++)
    if (o->bin[k].ranged && o->bin[k].blocks) *(k < i ? &before : &behind) = true;
  return before && behind;
}

static const char *unit_of(const struct histogram *o) {
  return o->lifetimes ? "lifetime" : "size";
}

static void print_table(const struct histogram *o) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(o->profile, style);
  gpm_summary_print_losses(o->profile->reader);
  uint64_t most = 0, blocks = 0, bytes = 0, at_peak = 0;
  for (uint32_t i = 0; i < o->count; i++)
    if (o->bin[i].blocks > most) most = o->bin[i].blocks;
  if (!most) {
    printf("\nnothing was allocated%s\n", o->profile->all_cells_shown ? "" : " there");
    return;
  }
  enum { OTHERS = 74, LEAST = 10 };
  uint32_t width = gpm_terminal_width();
  width = width > OTHERS + LEAST ? width - OTHERS : LEAST;
  printf("\n%-24s %10s %14s %14s\n", unit_of(o), "blocks", "bytes", "at peak");
  for (uint32_t i = 0; i < o->count; i++) {
    const struct bin *b = &o->bin[i];
    if (!is_shown(o, i)) continue;
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
  if (!o->lifetimes && o->bin[GPM_SIZES_SEVERAL].blocks) {
    printf("(several sizes): of call paths whose blocks are of more than one class");
    if (o->most)
      printf(", from %s to %s", gpm_text_bytes(sum, (int64_t)o->least, style),
             gpm_text_bytes(peak, (int64_t)o->most, style));
    printf("; record with GPUMEMPROF_OPTIONS=history=all to tell them apart\n");
  }
}

static void print_json(const struct histogram *o) {
  gpm_json_head(o->profile->reader);
  gpm_json_field("of", json_string(unit_of(o)));
  gpm_json_field("unit", json_string(o->lifetimes ? "ns" : "bytes"));
  gpm_json_list("bins");
  bool first = true;
  for (uint32_t i = 0; i < o->count; i++) {
    const struct bin *b = &o->bin[i];
    if (!is_shown(o, i)) continue;
    bool open = !b->ranged || b->below == UINT64_MAX;
    json_t *one = json_object();
    json_object_set_new(one, "text", json_string(b->text));
    json_object_set_new(one, "from", b->ranged ? json_integer((json_int_t)b->from) : json_null());
    json_object_set_new(one, "below", open ? json_null() : json_integer((json_int_t)b->below));
    json_object_set_new(one, "blocks", json_integer((json_int_t)b->blocks));
    json_object_set_new(one, "bytes", json_integer((json_int_t)b->bytes));
    json_object_set_new(one, "at_peak", json_integer((json_int_t)b->at_peak));
    gpm_json_item(one, first);
    first = false;
  }
  gpm_json_end(o->profile);
}

int gpm_cmd_histogram_run(const struct gpm_command *command, int argc, char **argv) {
  struct histogram o = {.count = 0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!o.lifetimes) o.input.apart.by = GPM_BY_SIZE;
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  o.profile = profile;
  bool made = true;
  if (o.lifetimes) made = make_lifetimes(&o, o.input.reader);
  else make_sizes(&o);
  gpm_progress(NULL);
  if (made && o.input.format == GPM_FORMAT_TABLE) print_table(&o);
  else if (made) print_json(&o);
  for (uint32_t i = 0; i < o.count; i++) free(o.bin[i].text);
  gpm_input_close(&o.input, profile);
  return made ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}
