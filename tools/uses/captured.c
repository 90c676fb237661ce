/* captured.c - what is used while a stream is captured into a graph.
 *
 * A program can mostly neither allocate nor free there: CUDA refuses both, in all threads, unless a
 * capture is of another mode. So a block that is used in a capture counts as used by the call that
 * begins it and by the call that ends it, and the lines between them are none at which something
 * could be done. The nodes run when their graph is launched, and that may use any memory.
 */
#include "uses/use_walk.h"

#include "support/memory.h"

void gpm_uses_capture_begins(struct gpm_uses_walk *w, uint32_t record) {
  struct gpm_captured *c = &w->captured;
  if (c->depth++) return;
  c->begins = record;
  for (uint32_t i = 0; i < w->uses->profile->reader->device_count; i++)
    c->from[i] = gpm_uses_position(w, i);
}

void gpm_uses_captured_from(struct gpm_uses_walk *w, uint32_t number, uint32_t *record,
                            uint32_t *at) {
  const struct gpm_captured *c = &w->captured;
  const struct gpm_use_block *b = &w->uses->block[number];
  if (!c->depth) {
    *at = gpm_uses_position(w, b->device);
    return;
  }
  *record = c->begins;
  *at = c->from[b->device] > b->begin ? c->from[b->device] : b->begin;
}

static void add(struct gpm_uses_walk *w, uint32_t number, uint32_t at, uint32_t record,
                unsigned flags) {
  gpm_uses_add(w->uses, (struct gpm_use){.block = number,
                                         .at = at,
                                         .record = record,
                                         .access = GPM_ACCESS_READ,
                                         .flags = (uint8_t)flags});
}

bool gpm_uses_captured(struct gpm_uses_walk *w, uint32_t number) {
  struct gpm_captured *c = &w->captured;
  struct gpm_use_block *b = &w->uses->block[number];
  if (!c->depth) return false;
  if (b->captured) return true;
  b->captured = true;
  uint32_t record, at;
  gpm_uses_captured_from(w, number, &record, &at);
  add(w, number, at, record, 0);
  gpm_uses_expose(w, number, record); /* the graph has its address */
  if (c->count == c->room) {
    c->room = c->room ? c->room * 2 : 64;
    c->block = gpm_memory_resize(c->block, c->room, sizeof *c->block);
  }
  c->block[c->count++] = number;
  return true;
}

bool gpm_uses_captured_open(struct gpm_uses_walk *w, enum gpm_use_openness to) {
  struct gpm_captured *c = &w->captured;
  if (!c->depth) return false;
  for (uint32_t i = 0; !c->open[to] && i < w->uses->profile->reader->device_count; i++)
    gpm_uses_add_open(w, i, to, c->from[i], c->begins);
  c->open[to] = true;
  return true;
}

/* It is used until then, and nothing can be said of where between. */
void gpm_uses_captured_ends(struct gpm_uses_walk *w, uint32_t number) {
  struct gpm_use_block *b = &w->uses->block[number];
  if (!b->captured) return;
  b->captured = false;
  add(w, number, b->end - 1, w->captured.begins, GPM_USE_HELD);
}

static void end_all(struct gpm_uses_walk *w, uint32_t record) {
  struct gpm_captured *c = &w->captured;
  for (size_t i = 0; i < c->count; i++) {
    struct gpm_use_block *b = &w->uses->block[c->block[i]];
    if (b->captured) add(w, c->block[i], gpm_uses_position(w, b->device), record, GPM_USE_HELD);
    b->captured = false;
  }
  c->count = 0;
  for (unsigned to = 0; to < GPM_OPENNESSES; to++) {
    for (uint32_t i = 0; c->open[to] && i < w->uses->profile->reader->device_count; i++)
      gpm_uses_add_open(w, i, (enum gpm_use_openness)to, gpm_uses_position(w, i), record);
    c->open[to] = false;
  }
}

void gpm_uses_capture_ends(struct gpm_uses_walk *w, uint32_t record) {
  struct gpm_captured *c = &w->captured;
  if (c->depth && !--c->depth) end_all(w, record);
}

void gpm_uses_captures_end(struct gpm_uses_walk *w) {
  if (w->captured.depth) end_all(w, w->captured.begins);
  free(w->captured.from);
  free(w->captured.block);
}
