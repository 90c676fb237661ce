/* reset_frees.c - see reset_frees.h. */
#include "answers/reset_frees.h"

#include "model/split_cells.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The calls that end a context and with it free memory, without the version in their names. */
static const char *const resets[] = {"cudaDeviceReset", "cuCtxDestroy", "cuDevicePrimaryCtxReset",
                                     "cuDevicePrimaryCtxRelease", NULL};

static bool is_name(const char *callee, const char *name) {
  size_t length = strlen(name);
  return !strncmp(callee, name, length) && (!callee[length] || !strncmp(callee + length, "_v", 2));
}

static bool is_reset(const struct gpm_profile *p, uint32_t node) {
  if (!gpm_profile_is_call(p, node)) return false;
  const char *callee =
      gpm_reader_string(p->reader, gpm_reader_site(p->reader, p->site[node])->callee);
  for (size_t i = 0; resets[i]; i++)
    if (is_name(callee, resets[i])) return true;
  return false;
}

void gpm_reset_frees_find(struct gpm_reset_frees *frees, const struct gpm_profile *p,
                          const struct gpm_suppressions *suppressions) {
  const struct gpm_reader *r = p->reader;
  *frees = (struct gpm_reset_frees){.node = GPUMEMPROF_NONE};
  gpm_holding_begin(&frees->from, p);
  if (gpm_reader_is_midway(r) || gpm_split_is_part(r)) return;
  struct gpm_holding calls;
  gpm_holding_begin(&calls, p);
  struct gpm_cursor at = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));) {
    if (!p->cell_shown[pair->cell] || !is_reset(p, pair->free_node)) continue;
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, pair->cell);
    uint32_t node = p->cell_node[pair->cell];
    bool hidden = suppressions && gpm_suppressions_find(suppressions, p, node);
    if (c->kind == GPUMEMPROF_KIND_STATIC || hidden) continue;
    gpm_holding_add(&frees->from, node, pair->freed.bytes, pair->freed.blocks, 0);
    gpm_holding_add(&calls, pair->free_node, pair->freed.bytes, pair->freed.blocks, 0);
  }
  gpm_holding_sort(&frees->from);
  gpm_holding_sort(&calls);
  if (calls.count) frees->node = calls.line[0].node;
  frees->calls = calls.count;
  gpm_holding_free(&calls);
}

void gpm_reset_frees_free(struct gpm_reset_frees *frees) {
  gpm_holding_free(&frees->from);
}

char *gpm_reset_frees_call(const struct gpm_reset_frees *frees) {
  const struct gpm_profile *p = frees->from.profile;
  char *callee =
           gpm_locations_text(p->reader, gpm_reader_site(p->reader, p->site[frees->node])->callee),
       *where = gpm_locations_node(p, frees->node);
  char *text =
      gpm_memory_format("%s%s at %s", frees->calls > 1 ? "calls such as " : "", callee, where);
  free(callee);
  free(where);
  return text;
}

static void print_line(const struct gpm_profile *p, const struct gpm_held *line, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  char *where = gpm_locations_node_allocation(p, line->node),
       *more = gpm_locations_more(line->sites);
  gpm_wrapped_print(6, "    %s in %" PRIu64 " block%s: %s%s",
                    gpm_text_bytes(number, (int64_t)line->bytes, style), line->blocks,
                    gpm_text_s(line->blocks), where, more);
  free(more);
  free(where);
}

void gpm_reset_frees_print(const struct gpm_reset_frees *frees, const struct gpm_input *input,
                           const char *before) {
  const struct gpm_holding *h = &frees->from;
  unsigned style = input->exact ? GPM_TEXT_EXACT : 0;
  if (!h->count) return;
  char number[GPM_TEXT_NUMBER], *call = gpm_reset_frees_call(frees);
  gpm_wrapped_print(2, "%s%s in %" PRIu64 " block%s freed only by %s", before,
                    gpm_text_bytes(number, (int64_t)h->all.bytes, style), h->all.blocks,
                    h->all.blocks == 1 ? " was" : "s were", call);
  free(call);
  gpm_wrapped_print(2, "`leaks --fail` and `check` count what such a call frees as freed. It was "
                       "allocated at:");
  uint32_t shown = gpm_input_shown(input, h->count), left = h->count - shown;
  uint64_t others = 0;
  for (uint32_t i = 0; i < h->count; i++)
    if (i < shown) print_line(h->profile, &h->line[i], style);
    else others += h->line[i].bytes;
  if (left)
    printf("    ... and %u more line%s with %s (--limit 0 shows all)\n", left, gpm_text_s(left),
           gpm_text_bytes(number, (int64_t)others, style));
}
