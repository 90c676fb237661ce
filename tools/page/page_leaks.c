/* page_leaks.c - see page_leaks.h. */
#include "page/page_leaks.h"

#include "page/page_findings.h"
#include "page/page_links.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The row with the most leaked bytes; null if none leaked. */
static const struct gpm_row *worst_of(const struct gpm_rows *rows) {
  const struct gpm_row *worst = NULL;
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct gpm_row *row = &rows->row[i];
    if (row->value[GPM_FIGURE_leaked_blocks] &&
        (!worst || row->value[GPM_FIGURE_leaked] > worst->value[GPM_FIGURE_leaked]))
      worst = row;
  }
  return worst;
}

static uint64_t bytes_of(const struct gpm_row *row) {
  return (uint64_t)row->value[GPM_FIGURE_leaked];
}

static uint64_t blocks_of(const struct gpm_row *row) {
  return (uint64_t)row->value[GPM_FIGURE_leaked_blocks];
}

static bool is_most(const struct gpm_page *page, const struct gpm_row *row) {
  return row && bytes_of(row) > page->leaks.bytes / 2;
}

static bool same_function(const struct gpm_rows *lines, const struct gpm_row *line,
                          const struct gpm_rows *functions, const struct gpm_row *function) {
  struct gpm_key a = gpm_locations_key(lines, line), b = gpm_locations_key(functions, function);
  return a.file == b.file && a.function == b.function;
}

/* The lines of a function on which something leaked; *worst: the one with the most. */
static uint32_t lines_of(const struct gpm_rows *lines, const struct gpm_rows *functions,
                         const struct gpm_row *function, const struct gpm_row **worst) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < lines->count; i++) {
    const struct gpm_row *line = &lines->row[i];
    if (!blocks_of(line) || !same_function(lines, line, functions, function)) continue;
    if (!*worst || bytes_of(line) > bytes_of(*worst)) *worst = line;
    count++;
  }
  return count;
}

static const char *state_of(const struct gpm_page *page, bool ended) {
  bool one = page->leaks.blocks == 1;
  if (ended)
    return one ? "was live when the program ended after it ran out of memory"
               : "were live when the program ended after it ran out of memory";
  if (gpm_reader_is_midway(page->reader))
    return one ? "is live at this moment" : "are live at this moment";
  return one ? "was never freed" : "were never freed";
}

/* What is to be done about one line, or about several. */
static char *action_of(const struct gpm_page *page, bool ended, uint32_t lines) {
  if (ended) return NULL;
  if (lines > 1)
    return gpm_memory_text(gpm_reader_is_midway(page->reader)
                               ? "Free what is no longer needed."
                               : "Free what its lines allocate after the last use.");
  return gpm_memory_text(gpm_reader_is_midway(page->reader) ? "If it is no longer needed, free it."
                                                            : "Free it after its last use.");
}

/* "147.82 MiB in 20 blocks were never freed; most of it, 144.96 MiB in 19 blocks, from WHERE." */
static char *text_of(const struct gpm_page *page, bool ended, const struct gpm_row *part,
                     const char *where) {
  char all[GPM_TEXT_NUMBER], some[GPM_TEXT_NUMBER];
  uint64_t blocks = page->leaks.blocks;
  char *begin = gpm_memory_format("%s in %" PRIu64 " block%s %s",
                                  gpm_text_bytes(all, (int64_t)page->leaks.bytes, 0), blocks,
                                  gpm_text_s(blocks), state_of(page, ended)),
       *text = blocks_of(part) == blocks
                   ? gpm_memory_format("%s, all from %s.", begin, where)
                   : gpm_memory_format("%s; %s, %s in %" PRIu64 " block%s, from %s.", begin,
                                       is_most(page, part) ? "most of it" : "the most of one line",
                                       gpm_text_bytes(some, part->value[GPM_FIGURE_leaked], 0),
                                       blocks_of(part), gpm_text_s(blocks_of(part)), where);
  free(begin);
  return text;
}

/* Appends how much the peak falls if what leaks there is freed after its last use, if advice says
 * it. Takes ownership of the text. */
static char *with_saving(const struct gpm_page *page, const struct gpm_row *line, char *text) {
  for (uint32_t i = 0; page->advice && i < page->advice->advise.count; i++) {
    const struct gpm_advice_finding *f = page->advice->advise.finding[i];
    uint32_t node = f->changes->change[f->step[0]].node;
    if (f->count > 1 || gpm_advice_rule_of(f) != GPM_ADVICE_NEVER_FREED ||
        page->profile->site[node] != line->site)
      continue;
    char saved[GPM_TEXT_NUMBER],
        *name = gpm_locations_device(page->reader, f->changes->device),
        *longer =
            gpm_memory_format("%s Freed after its last use, it lowers the peak of %s by %s.", text,
                              name, gpm_text_bytes(saved, (int64_t)gpm_advice_saving(f), 0));
    free(name);
    free(text);
    return longer;
  }
  return text;
}

void gpm_page_leaks_say(const struct gpm_page *page, bool ended, json_t *list) {
  const struct gpm_row *line = worst_of(&page->lines), *part = line;
  struct gpm_rows functions;
  char figure[GPM_TEXT_NUMBER];
  uint32_t lines = 1;
  if (!page->leaks.blocks || !line) return;
  gpm_rows_make(&functions, page->profile, GPM_BY_FUNCTION);
  const struct gpm_row *function = worst_of(&functions), *own = NULL;
  if (!is_most(page, line) && is_most(page, function)) {
    part = function;
    lines = lines_of(&page->lines, &functions, function, &own);
    if (own) line = own;
  }
  char *name = part == function ? gpm_locations_row(&functions, part)
                                : gpm_locations_row(&page->lines, part);
  char *where =
      lines > 1 ? gpm_memory_format("%u lines of %s", lines, name) : gpm_memory_text(name);
  char *what = strstr(name, "  "); /* what is allocated there is in the text */
  if (what) *what = 0;
  struct gpm_page_finding f = {
      .name = ended ? "live_at_end" : "leak",
      .text = with_saving(page, line, text_of(page, ended, part, where)),
      .figure = gpm_memory_text(gpm_text_bytes(figure, part->value[GPM_FIGURE_leaked], 0)),
      .place = name,
      .place_to = gpm_page_link_site(page, line->site),
      .action = action_of(page, ended, lines),
      .to = gpm_memory_text("#/leaks")};
  gpm_page_findings_say(list, f);
  free(where);
  gpm_rows_free(&functions);
}
