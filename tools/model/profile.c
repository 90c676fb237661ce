/* profile.c - copies the data that is needed in any order (parents, sites, the path of each cell)
 * into arrays. */
#include "model/profile.h"

#include "model/patterns.h"
#include "support/memory.h"

#include <stdlib.h>

static void load_nodes(struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  uint8_t *site_kind = gpm_memory_array(r->sites.count, 1);
  uint8_t *site_spans = gpm_memory_array(r->sites.count, 1);
  struct gpm_cursor sites = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&sites));) {
    site_kind[sites.number] = (uint8_t)s->kind;
    site_spans[sites.number] = s->kind == GPUMEMPROF_SITE_CALL && s->flags & GPUMEMPROF_SITE_SPANS;
  }
  struct gpm_cursor nodes = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&nodes));) {
    uint32_t id = (uint32_t)nodes.number;
    gpm_ancestors_add(&p->tree, id, id ? n->parent : 0);
    p->site[id] = n->site;
    p->kind[id] = n->site == GPUMEMPROF_NONE ? 0 : site_kind[n->site];
    p->spans[id] = n->site == GPUMEMPROF_NONE ? 0 : site_spans[n->site];
    p->events[id] = n->failed_calls != 0;
    p->scope[id] = gpm_profile_is_scope(p, id) ? id : id ? p->scope[n->parent] : GPUMEMPROF_NONE;
  }
  free(site_kind);
  free(site_spans);
}

static void load_cells(struct gpm_profile *p, const struct gpm_filter *filter) {
  p->all_cells_shown = true;
  bool all = filter->device == GPM_ALL_DEVICES && filter->kind == GPM_ALL_KINDS;
  uint8_t *left = p->patterns ? gpm_patterns_apply(p->patterns, p) : NULL;
  struct gpm_cursor cells = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    p->cell_node[cells.number] = c->node;
    bool shown = (filter->device == GPM_ALL_DEVICES || filter->device == c->device) &&
                 (filter->kind == GPM_ALL_KINDS || filter->kind == c->kind) &&
                 (!left || left[cells.number]);
    bool piece = c->kind == GPUMEMPROF_KIND_CUSTOM;
    if (piece && all) { /* only on request, because its bytes are in another cell already */
      p->pieces_left_out = true;
      continue;
    }
    p->cell_shown[cells.number] = shown;
    p->events[c->node] = 1;
    if (!shown) p->all_cells_shown = false;
  }
  free(left);
  struct gpm_cursor pairs = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&pairs));)
    if (p->cell_shown[pair->cell] || !p->all_cells_shown) p->events[pair->free_node] = 1;
}

struct gpm_profile *gpm_profile_new(const struct gpm_reader *reader,
                                    const struct gpm_filter *filter) {
  struct gpm_profile *p = gpm_memory_array(1, sizeof *p);
  p->reader = reader;
  p->patterns = filter->patterns && filter->patterns->count ? filter->patterns : NULL;
  p->window = filter->window;
  p->node_count = (uint32_t)reader->nodes.count;
  p->cell_count = (uint32_t)reader->cells.count;
  gpm_ancestors_make(&p->tree, p->node_count);
  p->site = gpm_memory_array(p->node_count, sizeof *p->site);
  p->kind = gpm_memory_array(p->node_count, sizeof *p->kind);
  p->events = gpm_memory_array(p->node_count, sizeof *p->events);
  p->spans = gpm_memory_array(p->node_count, sizeof *p->spans);
  p->scope = gpm_memory_array(p->node_count, sizeof *p->scope);
  p->cell_node = gpm_memory_array(p->cell_count, sizeof *p->cell_node);
  p->cell_shown = gpm_memory_array(p->cell_count, sizeof *p->cell_shown);
  load_nodes(p);
  load_cells(p, filter);
  gpm_fold_open(p);
  return p;
}

void gpm_profile_free(struct gpm_profile *p) {
  gpm_ancestors_free(&p->tree);
  free(p->site);
  free(p->kind);
  free(p->events);
  free(p->spans);
  free(p->scope);
  free(p->cell_node);
  free(p->cell_shown);
  free(p->ended);
  free(p);
}

uint64_t gpm_profile_at_peak(const struct gpm_reader *reader,
                             const struct gpumemprof_capture_cell *cell) {
  if (cell->peak_epoch == reader->devices[cell->device].peak_epoch) return cell->at_peak.bytes;
  return cell->allocated.bytes - cell->freed.bytes;
}
