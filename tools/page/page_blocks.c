/* page_blocks.c - see page_blocks.h.
 *
 * A block that is not kept counts in the sums of its cell: from the first part on whose highest
 * moment is no earlier than its allocation, so that both together are what was live at each of
 * these moments. When the block is dropped, parts may not be over, and later each two become one.
 * So sums know on which side of the highest moment they are, and what belongs to a part that is not
 * over waits:
 *
 *   part   | a     ^  b    | c  ^     d   |        ^ the highest moment, that of a, b higher
 *   joined | a        b              c+d  |
 */
#include "page/page_blocks.h"

#include "events/block_lifetimes.h"

#include <stdlib.h>

/* A block that is live at a device's peak or at the end goes before all others. */
#define FIRST 1e30

static uint32_t device_of(const struct gpm_page_blocks *b, uint32_t cell) {
  const struct gpm_reader *r = b->tracks->page->reader;
  return ((const struct gpumemprof_capture_cell *)gpm_reader_record(&r->cells, cell))->device;
}

static bool is_live_at_peak(const struct gpm_page_blocks *b, const struct gpm_page_block *block) {
  uint64_t peak = b->peak[device_of(b, block->cell)];
  return block->start <= peak && peak < block->end;
}

/* The area that the block covers in the picture. */
static double weigh(const struct gpm_page_blocks *b, const struct gpm_page_block *block) {
  uint64_t end = block->end == GPUMEMPROF_NONE ? b->tracks->last + 1 : block->end;
  double area = (double)block->bytes * (double)(end - block->start);
  bool first = block->end == GPUMEMPROF_NONE || is_live_at_peak(b, block);
  return first ? FIRST + area * FIRST / 1e20 : area;
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

struct gpm_page_change {
  uint32_t cell, clock;
  uint64_t bytes; /* modulo 2^64 */
};

static uint64_t key_of(uint32_t cell, uint64_t part, bool late) {
  return (uint64_t)cell << 32 | part << 1 | late;
}

/* Called when the part has ended. */
static void settle(struct gpm_page_blocks *b, const struct gpm_page_change *c) {
  const struct gpm_page_tracks *t = b->tracks;
  uint64_t part = c->clock / t->width;
  uint32_t from = gpm_page_tracks_from(t, device_of(b, c->cell), c->clock);
  *gpm_map_at(&b->rest.change, key_of(c->cell, part, from > part), 0) += c->bytes;
}

/* All: all parts are over. */
static void settle_waiting(struct gpm_page_blocks *b, bool all) {
  struct gpm_page_rest *rest = &b->rest;
  const struct gpm_page_tracks *t = b->tracks;
  size_t left = 0;
  for (size_t i = 0; i < rest->waiting_count; i++) {
    const struct gpm_page_change *c = &rest->waiting[i];
    if (all || c->clock / t->width < t->end.clock / t->width) settle(b, c);
    else rest->waiting[left++] = *c;
  }
  rest->waiting_count = left;
}

static void add_change(struct gpm_page_blocks *b, uint32_t cell, uint32_t clock, uint64_t bytes) {
  struct gpm_page_rest *rest = &b->rest;
  struct gpm_page_change change = {cell, clock, bytes};
  if (b->tracks->complete) return settle(b, &change);
  if (rest->waiting_count == rest->waiting_room) settle_waiting(b, false);
  if (rest->waiting_count * 2 >= rest->waiting_room) {
    rest->waiting_room = rest->waiting_room ? rest->waiting_room * 2 : 4096;
    rest->waiting = gpm_memory_resize(rest->waiting, rest->waiting_room, sizeof *rest->waiting);
  }
  rest->waiting[rest->waiting_count++] = change;
}

/* Joins parts two by two. The highest moment of a joined part is that of the higher one, or of the
 * first if both are equal. */
static void join_parts(void *data) {
  struct gpm_page_blocks *b = data;
  const struct gpm_page_tracks *t = b->tracks;
  settle_waiting(b, true);
  struct gpm_map joined = {.slots = NULL};
  for (size_t i = 0; i < b->rest.change.room; i++) {
    const struct gpm_map_slot *slot = &b->rest.change.slots[i];
    if (!slot->taken) continue;
    uint32_t cell = (uint32_t)(slot->key >> 32), part = (uint32_t)slot->key >> 1;
    const struct gpm_page_part *first =
        &t->track[t->all[device_of(b, cell)]].part[part & ~(uint32_t)1];
    bool second_is_higher = first[1].most > first[0].most, late = slot->key & 1;
    if (part & 1) late = late || !second_is_higher;
    else late = late && !second_is_higher;
    *gpm_map_at(&joined, key_of(cell, part / 2, late), 0) += slot->value;
  }
  gpm_map_free(&b->rest.change);
  b->rest.change = joined;
}

static void add_to_rest(void *data, const void *record) {
  struct gpm_page_blocks *b = data;
  const struct gpm_page_block *block = record;
  b->rest.blocks++;
  add_change(b, block->cell, block->start, block->bytes);
  if (block->end != GPUMEMPROF_NONE) add_change(b, block->cell, block->end, 0 - block->bytes);
}

static int in_order(const void *a, const void *b) {
  const struct gpm_page_change_of_part *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return x->part < y->part ? -1 : x->part > y->part;
}

struct gpm_page_change_of_part *gpm_page_blocks_rest(const struct gpm_page_blocks *b,
                                                     size_t *count) {
  const struct gpm_page_numbers *cells = &b->tracks->page->paths.cells;
  const struct gpm_map *change = &b->rest.change;
  struct gpm_page_change_of_part *list = gpm_memory_array(change->count, sizeof *list);
  size_t found = 0;
  for (size_t i = 0; i < change->room; i++) {
    const struct gpm_map_slot *slot = &change->slots[i];
    uint32_t part = (uint32_t)slot->key;
    if (slot->taken)
      list[found++] = (struct gpm_page_change_of_part){cells->number[slot->key >> 32],
                                                       part / 2 + part % 2, (int64_t)slot->value};
  }
  if (found) qsort(list, found, sizeof *list, in_order);
  *count = 0;
  for (size_t i = 0; i < found; i++) {
    struct gpm_page_change_of_part *last = *count ? &list[*count - 1] : NULL;
    if (last && !in_order(last, &list[i])) last->bytes += list[i].bytes;
    else list[(*count)++] = list[i];
  }
  return list;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static void add_lifetime(void *data, const struct gpm_lifetime *life) {
  struct gpm_page_blocks *b = data;
  const struct gpm_profile *left = gpm_page_left_out(b->tracks->page);
  if (left && !left->cell_shown[life->cell]) return;
  bool freed = life->pair != GPUMEMPROF_NONE;
  uint64_t last_ns = b->tracks->end.time_ns, begun = life->time_ns;
  struct gpm_page_block block = {.bytes = life->bytes,
                                 .padding = life->padding,
                                 .address = life->address,
                                 .time_ns = begun,
                                 .age_ns = freed             ? life->age_ns
                                           : last_ns > begun ? last_ns - begun
                                                             : 0,
                                 .start = (uint32_t)life->clock,
                                 .end =
                                     freed ? (uint32_t)(life->clock + life->age) : GPUMEMPROF_NONE,
                                 .cell = life->cell,
                                 .pair = freed && life->seen ? life->pair : GPUMEMPROF_NONE,
                                 .generation = life->generation,
                                 .thread = life->thread};
  b->seen++;
  gpm_largest_add(&b->kept, weigh(b, &block), &block);
}

static void end(void *self, uint64_t clock) {
  (void)clock;
  settle_waiting(self, true);
}

/* Takes the peaks of the tracks, which are complete. */
static void take_peaks(struct gpm_page_blocks *b) {
  const struct gpm_page_tracks *t = b->tracks;
  for (uint32_t i = 0; i < t->page->reader->device_count; i++)
    b->peak[i] = t->all[i] != GPUMEMPROF_NONE ? t->track[t->all[i]].peak_clock : 0;
}

static double weigh_kept(void *data, const void *block) {
  return weigh(data, block);
}

struct gpm_listener gpm_page_blocks_listen(struct gpm_page_blocks *b,
                                           struct gpm_page_tracks *tracks) {
  const struct gpm_reader *r = tracks->page->reader;
  *b = (struct gpm_page_blocks){.tracks = tracks};
  b->kept = (struct gpm_largest){.size = sizeof(struct gpm_page_block),
                                 .most = gpm_page_most(tracks->page, GPM_PAGE_BLOCKS),
                                 .drop = add_to_rest,
                                 .data = b};
  b->peak = gpm_memory_array(r->device_count, sizeof *b->peak);
  for (uint32_t i = 0; i < r->device_count; i++) b->peak[i] = r->devices[i].peak_clock;
  if (tracks->complete) take_peaks(b);
  tracks->widening = join_parts;
  tracks->data = b;
  return (struct gpm_listener){.self = b, .stops = true, .life = add_lifetime, .end = end};
}

static bool are_peaks_right(const struct gpm_page_blocks *b) {
  const struct gpm_page_tracks *t = b->tracks;
  for (uint32_t i = 0; i < t->page->reader->device_count; i++)
    if (t->all[i] != GPUMEMPROF_NONE && t->track[t->all[i]].peak_clock != b->peak[i]) return false;
  return true;
}

bool gpm_page_blocks_correct(struct gpm_page_blocks *b) {
  if (are_peaks_right(b)) return true;
  if (b->rest.blocks) return false;
  take_peaks(b);
  gpm_largest_weigh(&b->kept, weigh_kept);
  return true;
}

void gpm_page_blocks_shrink(struct gpm_page_blocks *b, size_t most) {
  gpm_largest_shrink(&b->kept, most);
}

void gpm_page_blocks_free(struct gpm_page_blocks *b) {
  gpm_map_free(&b->rest.change);
  free(b->rest.waiting);
  free(b->peak);
  gpm_largest_free(&b->kept);
}
