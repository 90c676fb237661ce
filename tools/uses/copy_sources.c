/* copy_sources.c - whether the host still had the content of a copy when the block was used, which
 * the runtime compared (uses=verify).
 */
#include "uses/use_walk.h"

#include "support/memory.h"

static uint64_t range_of(const struct gpm_event *e) {
  return gpm_map_mix(e->value[0]) + e->value[1];
}

/* What it writes over before anything needed it need not be copied. */
void gpm_uses_note_upload(struct gpm_uses_walk *w, const struct gpm_event *e, bool rows) {
  struct gpm_uses *u = w->uses;
  uint32_t block = gpm_uses_block_at(w, e->value[0]);
  if (block == GPUMEMPROF_NONE || u->block[block].needed) return;
  uint64_t *number = gpm_map_at(&w->upload_at, range_of(e), w->upload_count);
  if (*number < w->upload_count && w->upload[*number].block == block && !rows)
    u->use[w->upload[*number].use].flags |= GPM_USE_UNCHANGED;
  *number = w->upload_count;
  if (w->upload_count == w->upload_room) {
    w->upload_room = w->upload_room ? w->upload_room * 2 : 64;
    w->upload = gpm_memory_resize(w->upload, w->upload_room, sizeof *w->upload);
  }
  w->upload[w->upload_count++] =
      (struct gpm_upload){u->operations, e->value[2], (uint32_t)u->use_count - 1, block};
}

/* That it is unchanged counts where the content is needed for the first time: the operation before
 * this event was that, or the block was needed earlier. Memory that devices may have written to
 * since can change later than the event is recorded. */
void gpm_uses_compared(struct gpm_uses_walk *w, const struct gpm_event *e, bool changed) {
  uint64_t number = gpm_map_find(&w->upload_at, range_of(e), w->upload_count);
  if (number == w->upload_count) return;
  const struct gpm_upload *upload = &w->upload[number];
  uint32_t from = gpm_uses_block_at(w, e->value[2]);
  const struct gpm_use_block *b = &w->uses->block[upload->block],
                             *source = from == GPUMEMPROF_NONE ? NULL : &w->uses->block[from];
  if (!b->live || upload->from != e->value[2] || (!changed && !b->needed)) return;
  if (!changed && source &&
      (source->kind != GPUMEMPROF_KIND_PINNED || w->host_written > upload->operation))
    return;
  w->uses->use[upload->use].flags |= changed ? GPM_USE_CHANGED : GPM_USE_UNCHANGED;
}
