/* page_blocks.c - see page_blocks.h. */
#include "page/page_blocks.h"

#include "events/lives.h"

#include <stdlib.h>

/* A block that is live at a device's peak or at the end goes before all others. */
#define FIRST 1e30

static bool is_live_at_peak(const struct gpm_page_blocks *b, const struct gpm_page_block *block) {
  const struct gpm_page_tracks *t = b->tracks;
  uint64_t peak = t->track[t->all[b->device[block->cell]]].peak_clock;
  return block->start <= peak && peak < block->end;
}

/* What it covers of the picture. */
static double weigh(const struct gpm_page_blocks *b, const struct gpm_page_block *block) {
  uint64_t end = block->end == GPUMEMPROF_NONE ? b->tracks->last + 1 : block->end;
  double area = (double)block->bytes * (double)(end - block->start);
  bool first = block->end == GPUMEMPROF_NONE || is_live_at_peak(b, block);
  return first ? FIRST + area * FIRST / 1e20 : area;
}

static void add_to_rest(void *data, const void *record) {
  struct gpm_page_blocks *b = data;
  const struct gpm_page_block *block = record;
  const struct gpm_page_tracks *t = b->tracks;
  uint32_t device = b->device[block->cell];
  uint32_t from = gpm_page_tracks_from(t, device, block->start);
  uint32_t to =
      block->end == GPUMEMPROF_NONE ? t->parts : gpm_page_tracks_from(t, device, block->end);
  b->rest.blocks++;
  int64_t **change = &b->rest.change[block->cell];
  if (!*change) *change = gpm_memory_array((size_t)t->parts + 1, sizeof **change);
  (*change)[from] += (int64_t)block->bytes;
  (*change)[to] -= (int64_t)block->bytes;
}

static void hear(void *data, const struct gpm_life_told *life) {
  struct gpm_page_blocks *b = data;
  const struct gpm_profile *left = gpm_page_left_out(b->tracks->page);
  if (left && !left->cell_shown[life->cell]) return;
  const struct gpm_page_paths *paths = &b->tracks->page->paths;
  bool freed = life->pair != GPUMEMPROF_NONE;
  uint64_t last_ns = b->tracks->end.time_ns, begun = life->time_ns;
  struct gpm_page_block block = {
      .bytes = life->bytes,
      .padding = life->padding,
      .address = life->address,
      .time_ns = begun,
      .age_ns = freed             ? life->age_ns
                : last_ns > begun ? last_ns - begun
                                  : 0,
      .start = (uint32_t)life->clock,
      .end = freed ? (uint32_t)(life->clock + life->age) : GPUMEMPROF_NONE,
      .cell = paths->cells.number[life->cell],
      .pair = freed && life->seen ? paths->pairs.number[life->pair] : GPUMEMPROF_NONE,
      .lives = life->lives,
      .thread = life->thread};
  b->seen++;
  gpm_largest_add(&b->kept, weigh(b, &block), &block);
}

bool gpm_page_blocks_make(struct gpm_page_blocks *b, const struct gpm_page_tracks *tracks) {
  struct gpm_reader *r = tracks->page->reader;
  *b = (struct gpm_page_blocks){.tracks = tracks};
  b->kept = (struct gpm_largest){.size = sizeof(struct gpm_page_block),
                                 .most = gpm_page_most(tracks->page, GPM_PAGE_BLOCKS),
                                 .drop = add_to_rest,
                                 .data = b};
  b->rest.change = gpm_memory_array(r->cells.count, sizeof *b->rest.change);
  b->device = gpm_memory_array(r->cells.count, sizeof *b->device);
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    b->device[tracks->page->paths.cells.number[at.number]] = c->device;
  return gpm_lives_each(r, true, hear, b);
}

void gpm_page_blocks_shrink(struct gpm_page_blocks *b, size_t most) {
  gpm_largest_shrink(&b->kept, most);
}

void gpm_page_blocks_free(struct gpm_page_blocks *b) {
  uint64_t cells = b->tracks->page->reader->cells.count;
  for (uint64_t i = 0; i < cells; i++) free(b->rest.change[i]);
  free(b->rest.change);
  free(b->device);
  gpm_largest_free(&b->kept);
}
