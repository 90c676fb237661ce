/* wrappers.c - see wrappers.h. A parent has a lower number than its children, so that one pass over
 * the nodes finds all callers. */
#include "model/wrappers.h"

#include "support/memory.h"

#include <stdlib.h>

static const struct gpumemprof_capture_site *site_of(const struct gpm_reader *r,
                                                     const struct gpumemprof_capture_node *node) {
  return node->site == GPUMEMPROF_NONE ? NULL : gpm_reader_site(r, node->site);
}

/* The call by which the function around a node was called; NONE: it is not known, or code that was
 * not rebuilt called it. */
static uint32_t caller_of(const struct gpm_reader *r, const struct gpumemprof_capture_node *node) {
  for (uint32_t above = node->parent; above; above = node->parent) {
    node = gpm_reader_record(&r->nodes, above);
    const struct gpumemprof_capture_site *scope = site_of(r, node);
    if (!scope || scope->kind == GPUMEMPROF_SITE_BLOCK) continue;
    const struct gpumemprof_capture_node *call = gpm_reader_record(&r->nodes, node->parent);
    const struct gpumemprof_capture_site *by = site_of(r, call);
    return by && by->kind == GPUMEMPROF_SITE_CALL ? node->parent : GPUMEMPROF_NONE;
  }
  return GPUMEMPROF_NONE;
}

/* By node: the call that is charged with what is allocated there, which is the node itself unless
 * it is in a wrapper. To be freed. */
static uint32_t *find_callers(const struct gpm_reader *r) {
  uint32_t *callers = gpm_memory_array(r->nodes.count, sizeof *callers);
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    const struct gpumemprof_capture_site *s = site_of(r, n);
    bool marked = s && s->kind == GPUMEMPROF_SITE_CALL && s->flags & GPUMEMPROF_SITE_FOR_CALLER;
    uint32_t caller = marked ? caller_of(r, n) : GPUMEMPROF_NONE;
    callers[at.number] = caller == GPUMEMPROF_NONE ? (uint32_t)at.number : callers[caller];
  }
  return callers;
}

/* Records of the reader are its own, and nothing else reads them meanwhile. */
static void *own(const void *record) {
  return (void *)(uintptr_t)record;
}

static void move_cells(struct gpm_reader *r, const uint32_t *callers) {
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    uint32_t caller = callers[c->node];
    if (caller == c->node) continue;
    const struct gpumemprof_capture_node *call = gpm_reader_record(&r->nodes, caller);
    if (!r->via) r->via = gpm_memory_array(r->sites.count, 1);
    r->via[call->site] = 1;
    ((struct gpumemprof_capture_cell *)own(c))->node = caller;
  }
}

static void move_failures(struct gpm_reader *r, const uint32_t *callers) {
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    struct gpumemprof_capture_node *from = own(n);
    if (callers[at.number] == at.number || !n->failed_calls) continue;
    struct gpumemprof_capture_node *to = own(gpm_reader_record(&r->nodes, callers[at.number]));
    to->failed_calls += from->failed_calls;
    to->failed_bytes += from->failed_bytes;
    to->oom_calls += from->oom_calls;
    from->failed_calls = from->failed_bytes = from->oom_calls = 0;
  }
}

void gpm_wrappers_hide(struct gpm_reader *r) {
  uint32_t *callers = find_callers(r);
  move_cells(r, callers);
  move_failures(r, callers);
  for (uint32_t i = 0; i < r->device_count; i++)
    if (r->devices[i].peak_node < r->nodes.count)
      r->devices[i].peak_node = callers[r->devices[i].peak_node];
  free(callers);
}
