/* bins.c - histograms of blocks: see bins.h. */
#include "over_time/bins.h"

#include "support/text.h"

#include <stdlib.h>

/* Lifetimes: one bin below 100 ns, then one for each power of ten, the last without an upper end.
 */
enum {
  FIRST_POWER = 2,
  LAST_POWER = 12,
  DECADES = LAST_POWER - FIRST_POWER + 1,
  LIVE,
  UNSEEN,
  LIFETIMES
};

void gpm_bins_free(struct gpm_bins *bins) {
  for (uint32_t i = 0; i < bins->count; i++) free(bins->bin[i].text);
  bins->count = 0;
}

/* ---- sizes -------------------------------------------------------------------------------------
 */

static void begin_sizes(struct gpm_bins *o, const struct gpm_profile *profile) {
  *o = (struct gpm_bins){.profile = profile, .count = GPM_SIZES_CLASSES};
  for (uint32_t i = 0; i < o->count; i++)
    o->bin[i] = (struct gpm_bin){.text = gpm_sizes_text(i),
                                 .ranged = i != GPM_SIZES_SEVERAL,
                                 .from = i ? (uint64_t)1 << (i - 1) % 64 : 0,
                                 .below = i < 64 ? (uint64_t)1 << i : UINT64_MAX};
}

void gpm_bins_sizes(struct gpm_bins *o, const struct gpm_profile *profile) {
  struct gpm_rows rows;
  begin_sizes(o, profile);
  gpm_rows_make(&rows, profile, GPM_BY_SIZE);
  for (uint32_t i = 0; i < rows.count; i++) {
    const struct gpm_row *row = &rows.row[i];
    o->bin[i].blocks = (uint64_t)row->value[GPM_FIGURE_blocks];
    o->bin[i].bytes = (uint64_t)row->value[GPM_FIGURE_self_alloc];
    o->bin[i].at_peak = (uint64_t)row->value[GPM_FIGURE_self_at_peak];
    if (i != GPM_SIZES_SEVERAL || !gpm_row_knows(row, GPM_FIGURE_min_size)) continue;
    o->least = (uint64_t)row->value[GPM_FIGURE_min_size];
    o->most = (uint64_t)row->value[GPM_FIGURE_max_size];
  }
  gpm_rows_free(&rows);
}

/* ---- lifetimes ---------------------------------------------------------------------------------
 */

static uint32_t decade_of(uint64_t ns) {
  uint32_t bin = 0;
  for (uint64_t bound = 100; bin + 1 < DECADES && ns >= bound; bound *= 10) bin++;
  return bin;
}

/* Blocks that are older than the window were not allocated in it, and are left out. */
static void add(struct gpm_bin *bin, const struct gpm_lifetime *life, bool at_peak) {
  bin->blocks += !life->older;
  bin->bytes += life->older ? 0 : life->bytes;
  if (at_peak) bin->at_peak += life->bytes;
}

static void add_lifetime(void *data, const struct gpm_lifetime *life) {
  const struct gpm_bins_of_lifetimes *o = data;
  const struct gpm_profile *p = o->lifetimes->profile;
  if (!p->cell_shown[life->cell]) return;
  bool live = life->pair == GPUMEMPROF_NONE;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&p->reader->cells, life->cell);
  uint64_t peak = p->reader->devices[c->device].peak_clock;
  bool at_peak = (life->older || life->clock <= peak) && (live || life->clock + life->age > peak);
  add(&o->lifetimes->bin[live         ? LIVE
                         : life->seen ? decade_of(life->age_ns)
                                      : UNSEEN],
      life, at_peak);
  if (o->sizes) add(&o->sizes->bin[gpm_sizes_class(life->bytes)], life, at_peak);
}

static char *decade_text(uint64_t from, uint64_t below) {
  char first[GPM_TEXT_NUMBER], second[GPM_TEXT_NUMBER];
  gpm_text_duration(first, from);
  if (below == UINT64_MAX) return gpm_memory_format("%s and more", first);
  gpm_text_duration(second, below);
  return from ? gpm_memory_format("%s to below %s", first, second)
              : gpm_memory_format("below %s", second);
}

static void begin_lifetimes(struct gpm_bins *o, const struct gpm_profile *profile) {
  *o = (struct gpm_bins){.profile = profile, .count = LIFETIMES};
  uint64_t bound = 0, next = 100;
  for (uint32_t i = 0; i < DECADES; i++, bound = next, next *= 10) {
    uint64_t below = i + 1 < DECADES ? next : UINT64_MAX;
    o->bin[i] = (struct gpm_bin){
        .text = decade_text(bound, below), .ranged = true, .from = bound, .below = below};
  }
  o->bin[LIVE].text =
      gpm_memory_text(gpm_reader_is_midway(profile->reader) ? "(live)" : "(not freed)");
  o->bin[UNSEEN].text = gpm_memory_text("(free not seen)");
}

struct gpm_listener gpm_bins_listen(const struct gpm_bins_of_lifetimes *both,
                                    const struct gpm_profile *profile) {
  if (both->sizes) begin_sizes(both->sizes, profile);
  begin_lifetimes(both->lifetimes, profile);
  return gpm_block_lifetimes_listener(profile->reader, add_lifetime, (void *)(uintptr_t)both);
}

bool gpm_bins_lifetimes(struct gpm_bins *sizes, struct gpm_bins *lifetimes,
                        const struct gpm_profile *profile, struct gpm_reader *reader) {
  struct gpm_bins_of_lifetimes both = {sizes, lifetimes};
  struct gpm_listener listener = gpm_bins_listen(&both, profile);
  return gpm_block_lifetimes_walk(reader, listener.life, listener.self);
}

/* ---- what is shown -----------------------------------------------------------------------------
 */

/* In a part of the run, blocks that are older than it count at its peak only. */
static bool has_blocks(const struct gpm_bin *bin) {
  return bin->blocks || bin->at_peak;
}

bool gpm_bins_shown(const struct gpm_bins *o, uint32_t i) {
  if (has_blocks(&o->bin[i]) || !o->bin[i].ranged) return has_blocks(&o->bin[i]);
  bool before = false, behind = false;
  for (uint32_t k = 0; k < o->count; k++)
    if (o->bin[k].ranged && has_blocks(&o->bin[k])) *(k < i ? &before : &behind) = true;
  return before && behind;
}
