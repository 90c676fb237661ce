/* check_asked.c - parses and judges the limits of the command line of `gpumemprof check`:
 * --max-peak and --max-leaks. check_against.c does so for --against. docs/ACCOUNTING.md defines the
 * figures. */
#include "check/check_limits.h"
#include "input/command.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct judging {
  struct gpm_limits *limits;
  const struct gpm_check_asked *asked;
  struct gpm_side *side;
  unsigned style;
};

/* ---- the command line --------------------------------------------------------------------------
 */

bool gpm_check_asked_peak(struct gpm_check_asked *asked, const char *text) {
  const char *colon = strrchr(text, ':');
  uint64_t size;
  const char *number = colon ? colon + 1 : text;
  if (colon == text || !gpm_text_parse_size(number, &size)) return false;
  asked->peak = gpm_memory_resize(asked->peak, asked->peaks + 1, sizeof *asked->peak);
  struct gpm_check_asked_peak *peak = &asked->peak[asked->peaks++];
  *peak = (struct gpm_check_asked_peak){.size = size};
  if (colon) {
    peak->device = gpm_memory_text(text);
    peak->device[colon - text] = 0;
  }
  return true;
}

bool gpm_check_asked_leaks(struct gpm_check_asked *asked, const char *text) {
  static const char *const units[] = {" blocks", "blocks", " block", "block"};
  size_t length = strlen(text), digits = strspn(text, "0123456789");
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (digits && digits < length && !strcmp(text + digits, units[i])) {
      if (digits > 18) return false;
      asked->has_leaked_blocks = true;
      asked->leaked_blocks = strtoull(text, NULL, 10);
      return true;
    }
  asked->has_leaks = gpm_text_parse_size(text, &asked->leaks);
  return asked->has_leaks;
}

void gpm_check_asked_free(struct gpm_check_asked *asked) {
  for (unsigned i = 0; i < asked->peaks; i++) free(asked->peak[i].device);
  free(asked->peak);
}

/* ---- peaks and leaks ---------------------------------------------------------------------------
 */

/* While the program runs, a limit that is not broken yet may still be broken, so it is
 * undecided. */
static void end_early(const struct judging *j, struct gpm_limit *limit) {
  if (limit->verdict == GPM_VERDICT_BROKEN || !gpm_reader_is_midway(j->side->reader)) return;
  limit->verdict = GPM_VERDICT_UNDECIDED;
  limit->why = gpm_limits_midway;
}

/* Returns ", after 24.7 ms at train.cu:40 zeros". The caller frees it. */
static char *when_and_where(const struct judging *j, const struct gpumemprof_capture_device *d) {
  char when[GPM_TEXT_NUMBER];
  gpm_text_duration(when, gpm_reader_time_ns(j->side->reader, d->peak_ticks));
  if (d->peak_node == GPUMEMPROF_NONE || d->peak_node >= j->side->profile->node_count)
    return gpm_memory_format(", after %s", when);
  char *where = gpm_locations_node(j->side->profile, d->peak_node);
  char *text = gpm_memory_format(", after %s at %s", when, where);
  free(where);
  return text;
}

static void judge_peak(const struct judging *j, uint32_t device, uint64_t most) {
  const struct gpumemprof_capture_device *d = &j->side->reader->devices[device];
  char held[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER], size[GPM_TEXT_NUMBER];
  char *name = gpm_locations_device(j->side->reader, device);
  gpm_text_bytes(size, (int64_t)most, j->style);
  struct gpm_limit *limit = gpm_limits_add(j->limits, GPM_RULE_MAX_PEAK,
                                           gpm_memory_format("peak of %s at most %s", name, size));
  if (d->peak > most) {
    char *where = when_and_where(j, d);
    struct gpm_finding *f = gpm_limits_find_node(
        limit, j->side->profile, d->peak_node,
        gpm_memory_format("%s held %s at its peak, %s more than the %s allowed%s", name,
                          gpm_text_bytes(held, (int64_t)d->peak, j->style),
                          gpm_text_bytes(more, (int64_t)(d->peak - most), j->style), size, where));
    f->value = d->peak;
    f->allowed = most;
    free(where);
  }
  end_early(j, limit);
  free(name);
}

/* A size that is given for one device overrides the size for all devices. */
static bool judge_peaks(const struct judging *j) {
  const struct gpm_reader *r = j->side->reader;
  uint64_t *most = gpm_memory_array(r->device_count, sizeof *most);
  uint8_t *asked = gpm_memory_array(r->device_count, 1);
  const struct gpm_check_asked_peak *every = NULL;
  bool ok = true, any = false;
  for (int named = 0; named < 2; named++)
    for (unsigned i = 0; ok && i < j->asked->peaks; i++) {
      const struct gpm_check_asked_peak *peak = &j->asked->peak[i];
      if (named != (peak->device != NULL)) continue;
      struct gpm_input input = {.device = peak->device};
      every = named ? every : peak;
      ok = gpm_input_find_device(&input, r);
      for (uint32_t d = 0; ok && d < r->device_count; d++)
        if (named ? input.filter.device == d : r->devices[d].ordinal >= 0) {
          most[d] = peak->size;
          asked[d] = any = true;
        }
    }
  for (uint32_t i = 0; ok && i < r->device_count; i++)
    if (asked[r->device_order[i]]) judge_peak(j, r->device_order[i], most[r->device_order[i]]);
  if (ok && every && !any) { /* no GPU was used */
    char size[GPM_TEXT_NUMBER];
    gpm_text_bytes(size, (int64_t)every->size, j->style);
    end_early(j, gpm_limits_add(j->limits, GPM_RULE_MAX_PEAK,
                                gpm_memory_format("peak of every GPU at most %s", size)));
  }
  free(most);
  free(asked);
  return ok;
}

/* Returns the line that leaks most, or null. */
static const struct gpm_row *worst_leak(const struct gpm_rows *rows) {
  const struct gpm_row *worst = NULL;
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct gpm_row *row = &rows->row[i];
    if (row->value[GPM_FIGURE_leaked_blocks] &&
        (!worst ||
         (uint64_t)row->value[GPM_FIGURE_leaked] > (uint64_t)worst->value[GPM_FIGURE_leaked]))
      worst = row;
  }
  return worst;
}

static char *amount(const struct judging *j, uint64_t bytes, uint64_t blocks) {
  char number[GPM_TEXT_NUMBER];
  return gpm_memory_format("%s in %" PRIu64 " block%s",
                           gpm_text_bytes(number, (int64_t)bytes, j->style), blocks,
                           blocks == 1 ? "" : "s");
}

/* Adds the finding "31.25 MiB in 4 blocks leaked, WHY; most of it, 30.00 MiB in 1 block, at LINE".
 * If no line has more than half, it names the one with the most.
 * Frees `why`. */
static void leaked(const struct judging *j, struct gpm_limit *limit, char *why, uint64_t value,
                   uint64_t allowed) {
  struct gpm_totals t = gpm_compare_totals(j->side);
  const struct gpm_row *worst = worst_leak(&j->side->rows);
  char *all = amount(j, t.value[GPM_TOTAL_LEAKED], t.value[GPM_TOTAL_LEAKED_BLOCKS]), *most = NULL;
  if (worst) {
    char *where = gpm_locations_row(&j->side->rows, worst),
         *there = amount(j, (uint64_t)worst->value[GPM_FIGURE_leaked],
                         (uint64_t)worst->value[GPM_FIGURE_leaked_blocks]);
    bool is_most = (uint64_t)worst->value[GPM_FIGURE_leaked] > t.value[GPM_TOTAL_LEAKED] / 2;
    most = (uint64_t)worst->value[GPM_FIGURE_leaked_blocks] == t.value[GPM_TOTAL_LEAKED_BLOCKS]
               ? gpm_memory_format(", at %s", where)
               : gpm_memory_format("; %s, %s, at %s",
                                   is_most ? "most of it" : "the most on one line", there, where);
    free(where);
    free(there);
  }
  struct gpm_finding *f =
      gpm_limits_find_row(limit, &j->side->rows, worst,
                          gpm_memory_format("%s leaked, %s%s", all, why, most ? most : ""));
  f->value = value;
  f->allowed = allowed;
  free(all);
  free(most);
  free(why);
}

/* Blocks that are live while the program runs are not leaks yet, so the limit is undecided. */
static bool is_undecided(const struct judging *j, struct gpm_limit *limit) {
  end_early(j, limit);
  return limit->verdict == GPM_VERDICT_UNDECIDED;
}

static void judge_leaks(const struct judging *j) {
  const struct gpm_check_asked *asked = j->asked;
  struct gpm_totals t = gpm_compare_totals(j->side);
  uint64_t bytes = t.value[GPM_TOTAL_LEAKED], blocks = t.value[GPM_TOTAL_LEAKED_BLOCKS];
  char size[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER];
  if (asked->has_leaks) {
    gpm_text_bytes(size, (int64_t)asked->leaks, j->style);
    struct gpm_limit *limit = gpm_limits_add(j->limits, GPM_RULE_MAX_LEAKS,
                                             gpm_memory_format("leaks of at most %s", size));
    if (!is_undecided(j, limit) && bytes > asked->leaks)
      leaked(j, limit,
             gpm_memory_format("%s more than the %s allowed",
                               gpm_text_bytes(more, (int64_t)(bytes - asked->leaks), j->style),
                               size),
             bytes, asked->leaks);
  }
  if (asked->has_leaked_blocks) {
    struct gpm_limit *limit = gpm_limits_add(
        j->limits, GPM_RULE_MAX_LEAKS,
        gpm_memory_format("leaks of at most %" PRIu64 " block%s", asked->leaked_blocks,
                          asked->leaked_blocks == 1 ? "" : "s"));
    if (!is_undecided(j, limit) && blocks > asked->leaked_blocks)
      leaked(j, limit,
             gpm_memory_format("%" PRIu64 " more than the %" PRIu64 " allowed",
                               blocks - asked->leaked_blocks, asked->leaked_blocks),
             blocks, asked->leaked_blocks);
  }
}

bool gpm_limits_judge(struct gpm_limits *limits, const struct gpm_check_asked *asked,
                      struct gpm_side *side, unsigned style) {
  struct judging j = {limits, asked, side, style};
  if (!judge_peaks(&j)) return false;
  judge_leaks(&j);
  return true;
}
