/* native_tree.c - see native_sites.h. The call tree as it would be if the code had been rebuilt.
 *
 *   recorded  root > scope _start > ... > scope main > call a > scope f > call b > scope cudaMalloc
 *   made      root > scope main > call main:40 > scope f > call f:31 > scope g > call g:17
 *
 * Each recorded node has a node that stands for it. Functions that libraries.c leaves out have none
 * of their own: what happened in them belongs to the call above, and what they called hangs below
 * that call. Nodes that come to the same path (two addresses of one line, the two parts of a
 * function whose unlikely code is elsewhere) become one.
 */
#include "symbols/native_sites.h"

#include "support/text.h"

#include <string.h>

struct making {
  const struct gpm_reader *reader;
  const struct gpm_native_sites *sites;
  struct gpm_made_nodes *made;
  struct gpumemprof_capture_node *node; /* the new ones */
  uint32_t count, room;
  struct gpm_map children; /* (parent, site) -> node */
  uint32_t *below;         /* by recorded node: the node below which those below it are */
  uint8_t *is_used;        /* by recorded node: memory was allocated or freed there, or asked for */
};

/* The node of a site below another, which is new if there was none. */
static uint32_t child(struct making *m, uint32_t parent, uint32_t site) {
  uint64_t *at = gpm_map_at(&m->children, (uint64_t)parent << 32 | site, m->count);
  if (*at != m->count) return (uint32_t)*at;
  if (m->count == m->room) {
    m->room = 2 * m->room;
    m->node = gpm_memory_resize(m->node, m->room, sizeof *m->node);
    m->made->inlined = gpm_memory_resize(m->made->inlined, m->room, 1);
  }
  m->made->inlined[m->count] = 0;
  m->node[m->count] = (struct gpumemprof_capture_node){.parent = parent, .site = site};
  return m->count++;
}

static uint64_t higher(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void add_figures(struct gpumemprof_capture_node *to,
                        const struct gpumemprof_capture_node *from, bool with_activations) {
  to->failed_calls += from->failed_calls;
  to->failed_bytes += from->failed_bytes;
  to->oom_calls += from->oom_calls;
  if (!to->machine_stack) to->machine_stack = from->machine_stack;
  if (!with_activations) return;
  to->active_calls += from->active_calls;
  to->calls += from->calls;
  to->wall_ticks += from->wall_ticks;
  to->own_peak_sum += from->own_peak_sum;
  to->own_peak_max = higher(to->own_peak_max, from->own_peak_max);
  to->device_peak = higher(to->device_peak, from->device_peak);
}

static bool leaves_out(enum gpm_left_out when, uint32_t above) {
  return when == GPM_LEFT_OUT_ALWAYS || (when == GPM_LEFT_OUT_AT_BOTTOM && !above);
}

/* The nodes of a call in a function: one call for each function that was inlined there, and their
 * scopes in between, which have no activations. */
static uint32_t put_chain(struct making *m, const struct gpm_chain *chain, uint32_t above) {
  for (uint32_t i = 0; i < chain->count; i++) {
    uint32_t known = m->count;
    bool is_scope = i % 2 != chain->from_scope;
    above = child(m, above, m->sites->step[chain->first + i]);
    m->made->inlined[above] |= above == known && is_scope;
  }
  return above;
}

static bool is_native_scope(const struct making *m, uint32_t site) {
  return site != GPUMEMPROF_NONE && gpm_native_is_scope(gpm_reader_site(m->reader, site));
}

static uint32_t place(struct making *m, uint32_t number, const struct gpumemprof_capture_node *n) {
  uint32_t above = m->below[n->parent];
  const struct gpumemprof_capture_node *parent = gpm_reader_record(&m->reader->nodes, n->parent);
  const struct gpm_chain *chain = n->site == GPUMEMPROF_NONE ? NULL : &m->sites->chain[n->site];
  if (chain && chain->count && is_native_scope(m, n->site)) {
    m->made->left_out[number] = leaves_out(chain->left_out, above);
    if (m->made->left_out[number]) return above;
    uint32_t scope = child(m, above, m->sites->step[chain->first]);
    m->made->inlined[scope] = 0;
    return scope;
  }
  if (!chain || !chain->itself || !is_native_scope(m, parent->site)) /* as it was recorded */
    return child(m, above, n->site);
  bool in_scope = !m->made->left_out[n->parent];
  if (in_scope != chain->from_scope) return put_chain(m, chain, above);
  return in_scope ? child(m, above, chain->itself) : above;
}

/* ---- paths of which nothing is left -------------------------------------------------------------
 */

static int tells(const struct making *m, uint32_t step) {
  const struct gpumemprof_capture_site *made = &m->sites->made[step - m->sites->recorded];
  if (gpm_text_is_address(gpm_reader_string(m->reader, made->function))) return 1;
  return made->file ? 3 : 2;
}

/* A library's own thread may have functions only that are left out. Then the innermost one of which
 * most is known stays, with its call. */
static uint32_t kept_path(struct making *m, uint32_t number) {
  uint32_t scope = GPUMEMPROF_NONE, call = GPUMEMPROF_NONE, in = GPUMEMPROF_NONE;
  for (uint32_t at = number; at;) {
    const struct gpumemprof_capture_node *n = gpm_reader_record(&m->reader->nodes, at);
    const struct gpm_chain *chain = n->site == GPUMEMPROF_NONE ? NULL : &m->sites->chain[n->site];
    if (m->made->left_out[at] && chain->count) {
      uint32_t step = m->sites->step[chain->first];
      if (scope == GPUMEMPROF_NONE || tells(m, step) > tells(m, scope)) scope = step, call = in;
    }
    in = chain && chain->itself ? chain->itself : GPUMEMPROF_NONE;
    at = n->parent;
  }
  if (scope == GPUMEMPROF_NONE) return 0;
  uint32_t known = m->count, node = child(m, 0, scope);
  m->made->inlined[node] |= node == known;
  return call == GPUMEMPROF_NONE ? node : child(m, node, call);
}

static void find_used(struct making *m) {
  const struct gpm_reader *r = m->reader;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (c->node < r->nodes.count) m->is_used[c->node] = 1;
  at = (struct gpm_cursor){.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&at));)
    if (p->free_node < r->nodes.count) m->is_used[p->free_node] = 1;
  at = (struct gpm_cursor){.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    m->is_used[at.number] |= n->failed_calls || n->oom_calls;
}

/* Where all is left out that was not rebuilt, reports have nothing to say of it. */
static bool has_scopes(const struct making *m) {
  const struct gpm_native_sites *s = m->sites;
  for (uint32_t i = 1; i < m->count; i++) {
    uint32_t site = m->node[i].site;
    if (site == GPUMEMPROF_NONE) continue;
    if (gpm_native_is_scope(site < s->recorded ? gpm_reader_site(m->reader, site)
                                               : &s->made[site - s->recorded]))
      return true;
  }
  return false;
}

void gpm_native_tree_make(struct gpm_reader *r, const struct gpm_native_sites *sites) {
  struct making m = {.reader = r, .sites = sites, .room = (uint32_t)r->nodes.count + 16};
  m.made = gpm_memory_array(1, sizeof *m.made);
  m.made->recorded = (uint32_t)r->nodes.count;
  m.made->now = gpm_memory_array(r->nodes.count, sizeof *m.made->now);
  m.made->left_out = gpm_memory_array(r->nodes.count, 1);
  m.made->inlined = gpm_memory_array(m.room, 1);
  m.node = gpm_memory_array(m.room, sizeof *m.node);
  m.below = gpm_memory_array(r->nodes.count, sizeof *m.below);
  m.is_used = gpm_memory_array(r->nodes.count, 1);
  find_used(&m);
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    uint32_t number = (uint32_t)at.number;
    uint32_t to = number ? place(&m, number, n) : child(&m, GPUMEMPROF_NONE, n->site);
    m.below[number] = to;
    if (!to && number && m.is_used[number]) to = kept_path(&m, number);
    m.made->now[number] = to;
    add_figures(&m.node[to], n, !m.made->left_out[number]);
  }
  r->has_machine_scopes = has_scopes(&m);
  gpm_native_lines_name(r, sites, m.made, m.node);
  struct gpm_records nodes = {.size = sizeof *m.node, .room = r->nodes.room};
  memcpy(gpm_reader_append(&nodes, m.count), m.node, m.count * sizeof *m.node);
  gpm_reader_take_nodes(r, m.made, &nodes);
  gpm_native_lines_of_ooms(r);
  free(m.node);
  free(m.below);
  free(m.is_used);
  gpm_map_free(&m.children);
}
