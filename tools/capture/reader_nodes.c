/* reader_nodes.c - see reader.h: another call tree in place of the recorded one.
 *
 * Records of all types refer to nodes. They are changed once, when the tree is taken over; what is
 * read from the file after that (reader_refresh.c, events/entries.c) is changed as it is read.
 */
#include "capture/reader.h"

#include "support/memory.h"

#include <string.h>

void gpm_reader_free_nodes(struct gpm_made_nodes *made) {
  free(made->now);
  free(made->left_out);
  free(made->inlined);
  free(made);
}

void gpm_reader_renumber(const struct gpm_reader *r, const struct gpm_records *of,
                         unsigned char *records, uint64_t count) {
  if (!r->made || (of != &r->cells && of != &r->pairs)) return;
  size_t at = of == &r->cells ? offsetof(struct gpumemprof_capture_cell, node)
                              : offsetof(struct gpumemprof_capture_pair, free_node);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t node;
    unsigned char *field = records + i * of->size + at;
    memcpy(&node, field, sizeof node);
    node = gpm_reader_node(r, node);
    memcpy(field, &node, sizeof node);
  }
}

/* The sums of a scope that is left out belong to the one around it, as they would if it had ended.
 */
static void fold_into(struct gpumemprof_capture_activation *around,
                      const struct gpumemprof_capture_activation *a) {
  if (around->flags & GPUMEMPROF_ACTIVATION_SHARED || a->flags & GPUMEMPROF_ACTIVATION_ATTACHED)
    return;
  int64_t reached = (int64_t)((uint64_t)around->net + (uint64_t)a->peak);
  if (reached > around->peak) around->peak = reached;
  around->net = (int64_t)((uint64_t)around->net + (uint64_t)a->net);
  around->flags |= a->flags & GPUMEMPROF_ACTIVATION_MOVED;
}

void gpm_reader_renumber_open(struct gpm_reader *r) {
  if (!r->made) return;
  uint64_t kept = 0;
  for (uint32_t t = 0; t < r->thread_count; t++) {
    struct gpm_range *range = &r->threads[t];
    for (uint64_t i = range->end; i-- > range->begin + 1;) /* innermost first */
      if (gpm_reader_left_out(r, r->activations[i].node))
        fold_into(&r->activations[i - 1], &r->activations[i]);
    uint64_t begin = kept;
    for (uint64_t i = range->begin; i < range->end; i++) {
      struct gpumemprof_capture_activation a = r->activations[i];
      if (gpm_reader_left_out(r, a.node)) continue;
      a.node = gpm_reader_node(r, a.node);
      r->activations[kept++] = a;
    }
    range->begin = begin;
    range->end = kept;
  }
}

static void renumber_ooms(struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *found; (found = gpm_cursor_next(&at));) {
    struct gpumemprof_capture_oom *o = (struct gpumemprof_capture_oom *)(uintptr_t)found;
    uint32_t kept = 0;
    o->node = gpm_reader_node(r, o->node);
    for (uint32_t i = 0; i < o->lines; i++) o->line[i].node = gpm_reader_node(r, o->line[i].node);
    for (uint32_t i = 0; i < o->scopes; i++) {
      struct gpumemprof_capture_oom_scope scope = o->scope[i];
      if (gpm_reader_left_out(r, scope.node)) continue;
      scope.node = gpm_reader_node(r, scope.node);
      o->scope[kept++] = scope;
    }
    o->scopes = kept;
  }
}

static void renumber_rest(struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->unaccounted};
  for (const struct gpumemprof_capture_unaccounted *u; (u = gpm_cursor_next(&at));)
    ((struct gpumemprof_capture_unaccounted *)(uintptr_t)u)->node = gpm_reader_node(r, u->node);
  at = (struct gpm_cursor){.records = &r->violations};
  for (const struct gpumemprof_capture_violation *v; (v = gpm_cursor_next(&at));) {
    struct gpumemprof_capture_violation *own = (struct gpumemprof_capture_violation *)(uintptr_t)v;
    own->node = gpm_reader_node(r, v->node);
    own->where = gpm_reader_node(r, v->where);
  }
  for (uint32_t i = 0; i < r->device_count; i++)
    r->devices[i].peak_node = gpm_reader_node(r, r->devices[i].peak_node);
}

void gpm_reader_take_nodes(struct gpm_reader *r, struct gpm_made_nodes *made,
                           struct gpm_records *nodes) {
  gpm_reader_free_records(&r->nodes);
  r->nodes = *nodes;
  r->made = made;
  const struct gpm_records *referring[] = {&r->cells, &r->pairs};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < referring[k]->span_count; i++) {
      const struct gpm_span *span = &referring[k]->spans[i];
      gpm_reader_renumber(r, referring[k], (unsigned char *)(uintptr_t)span->records, span->count);
    }
  gpm_reader_renumber_open(r);
  renumber_ooms(r);
  renumber_rest(r);
}
