/* blocks.c - see blocks.h. */
#include "events/blocks.h"

#include <stdlib.h>

/* Blocks without an address (arrays, variables, handles) get invented addresses from here on:
 * beyond the addresses of devices, and exact as a number of JavaScript. */
#define FIRST_INVENTED ((uint64_t)1 << 50)

struct gpm_blocks gpm_blocks_of(const struct gpm_reader *r, const struct gpm_profile *p) {
  return (struct gpm_blocks){.reader = r, .profile = p, .next_invented = FIRST_INVENTED};
}

void gpm_blocks_free(struct gpm_blocks *b) {
  gpm_map_free(&b->by_address);
  free(b->block);
}

static struct gpm_walk_block *block_at(struct gpm_blocks *w, uint64_t address) {
  uint64_t i = *gpm_map_at(&w->by_address, address, w->count);
  if (i == w->count) {
    if (w->count == w->room) {
      w->room = w->room ? w->room * 2 : 1024;
      w->block = gpm_memory_resize(w->block, w->room, sizeof *w->block);
    }
    w->block[w->count++] = (struct gpm_walk_block){.address = address};
  }
  return &w->block[i];
}

static void find_unique_address(struct gpm_blocks *w, struct gpm_walk_block *b, uint32_t kind) {
  if (kind != GPUMEMPROF_KIND_ARRAY && kind != GPUMEMPROF_KIND_VMM &&
      kind != GPUMEMPROF_KIND_STATIC) {
    b->unique_address = b->address;
    return;
  }
  if (b->bytes <= b->room) return;
  b->unique_address = w->next_invented;
  b->room = b->bytes;
  w->next_invented += (b->bytes + 511) / 512 * 512;
}

static const struct gpm_walk_block *allocated(struct gpm_blocks *w, const struct gpm_step *s,
                                              const struct gpumemprof_capture_cell *c) {
  struct gpm_walk_block *b = block_at(w, s->event.address);
  b->bytes = s->event.bytes;
  b->padding = s->event.padding;
  b->clock = s->event.clock;
  b->time_ns = s->time_ns;
  b->cell = s->event.id;
  b->device = c->device;
  b->thread = s->event.thread;
  b->generation++;
  b->live = true;
  find_unique_address(w, b, c->kind);
  return b;
}

/* Returns null if the event belongs to another block. */
static const struct gpm_walk_block *changed(struct gpm_blocks *w, const struct gpm_step *s,
                                            uint32_t cell) {
  struct gpm_walk_block *b = block_at(w, s->event.address);
  bool back = s->event.kind == GPM_EVENT_TAKEN_BACK;
  if (b->live == back || !b->generation || b->cell != cell) return NULL;
  b->live = back;
  return b;
}

bool gpm_blocks_step(struct gpm_blocks *w, struct gpm_step *s) {
  const struct gpm_reader *r = w->reader;
  const struct gpm_event *e = &s->event;
  s->block = NULL;
  s->node = e->id;
  if (e->kind == GPM_EVENT_SCOPE_ENDED) return true;
  if (e->kind == GPM_EVENT_FAILED) return !w->profile || w->profile->all_cells_shown;
  uint32_t cell = e->id;
  if (e->kind != GPM_EVENT_ALLOCATED) {
    const struct gpumemprof_capture_pair *pair = gpm_reader_record(&r->pairs, e->id);
    cell = pair->cell;
    s->node = pair->free_node;
  }
  if (w->profile && !w->profile->cell_shown[cell]) return false;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, cell);
  s->kind = c->kind;
  if (e->kind == GPM_EVENT_ALLOCATED) s->node = c->node;
  s->block = e->kind == GPM_EVENT_ALLOCATED ? allocated(w, s, c) : changed(w, s, cell);
  return s->block != NULL;
}
