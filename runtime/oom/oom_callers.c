/* oom_callers.c - moves what wrappers of allocations hold to the lines that call them, for the
 * message about a failure.
 *
 * oom.c calls it under the tree lock when the record is complete, which names the lines as they
 * were recorded. It follows the tool (tools/model/wrappers_oom.c): memory of the call paths that
 * are known moves from the line of the wrapper to those of its callers, and what other paths hold
 * stays there. For each line that lost or got memory, the callers are searched again.
 */
#include "oom/oom.h"
#include "records/call_tree.h"
#include "records/sites.h"

#include "gpumemprof/capture_wrappers.h"

/* The path from a node up to the root. The rule asks for nodes in this order only. */
struct upward {
  const struct gpm_node *at;
};

static const struct gpumemprof_capture_node *node_upward(const void *upward, uint32_t number) {
  struct upward *up = (struct upward *)(uintptr_t)upward;
  while (up->at->id != number) up->at = up->at->parent;
  return up->at->record;
}

static const struct gpumemprof_capture_site *site_upward(const void *upward, uint32_t site) {
  (void)upward;
  return gpm_sites_record(site);
}

static const struct gpumemprof_capture_site *site_of_node(const struct gpm_node *node) {
  return node->record->site == GPUMEMPROF_NONE ? NULL : gpm_sites_record(node->record->site);
}

const struct gpm_node *gpm_oom_charged(const struct gpm_node *node) {
  while (gpumemprof_wrappers_is_marked(site_of_node(node))) {
    struct upward up = {node};
    const struct gpumemprof_call_tree tree = {.of = &up, .node = node_upward, .site = site_upward};
    uint32_t caller = gpumemprof_wrappers_caller(&tree, node->record);
    if (caller == GPUMEMPROF_NONE) break;
    while (node->id != caller) node = node->parent;
  }
  return node;
}

/* GPUMEMPROF_OOM_LINES: the line is not in the list. */
static uint32_t number_of_line(const struct gpumemprof_capture_oom *o, uint32_t line) {
  for (uint32_t i = 0; i < o->lines; i++)
    if (o->line[i].line == line) return i;
  return GPUMEMPROF_OOM_LINES;
}

static uint32_t add_oom_line(struct gpm_oom *oom, const struct gpm_node *charged) {
  struct gpumemprof_capture_oom *o = &oom->record;
  if (o->lines == GPUMEMPROF_OOM_LINES) return GPUMEMPROF_OOM_LINES;
  oom->line[o->lines] = site_of_node(charged);
  o->line[o->lines] = (struct gpumemprof_capture_oom_line){.line = oom->line[o->lines]->line_id,
                                                           .node = charged->id};
  return o->lines++;
}

static void move_path(struct gpm_oom *oom, const struct gpm_oom_path *path,
                      const struct gpm_node *charged) {
  struct gpumemprof_capture_oom *o = &oom->record;
  uint32_t from = number_of_line(o, site_of_node(path->node)->line_id);
  struct gpumemprof_capture_amount *less = from < o->lines ? &o->line[from].live : &o->other_lines;
  if (less->bytes < path->live.bytes || less->blocks < path->live.blocks) return;
  less->bytes -= path->live.bytes;
  less->blocks -= path->live.blocks;
  uint32_t to = number_of_line(o, site_of_node(charged)->line_id);
  if (to == GPUMEMPROF_OOM_LINES) to = add_oom_line(oom, charged);
  struct gpumemprof_capture_amount *more =
      to < GPUMEMPROF_OOM_LINES ? &o->line[to].live : &o->other_lines;
  more->bytes += path->live.bytes;
  more->blocks += path->live.blocks;
  if (to < GPUMEMPROF_OOM_LINES) o->line[to].kinds |= 1u << path->kind;
}

/* Variables are left out, because nobody can free them. */
static void search_caller(struct gpm_oom *oom, uint32_t number, const struct gpm_oom_path *path,
                          uint32_t paths) {
  struct gpm_oom_way way[GPUMEMPROF_OOM_PATHS];
  uint32_t count = 0;
  uint64_t rest = oom->record.line[number].live.bytes;
  for (uint32_t i = 0; i < paths; i++) {
    const struct gpm_node *charged = gpm_oom_charged(path[i].node);
    const struct gpumemprof_capture_site *site = site_of_node(charged);
    if (!site || site->line_id != oom->record.line[number].line) continue;
    if (GPUMEMPROF_OOM_STAYS >> path[i].kind & 1 || path[i].live.bytes > rest) continue;
    way[count++] = (struct gpm_oom_way){charged, path[i].live.bytes};
    rest -= path[i].live.bytes;
  }
  struct gpm_oom_way through = gpm_oom_through(way, count, rest);
  oom->caller[number] = through.node ? site_of_node(through.node) : NULL;
  oom->caller_bytes[number] = through.bytes;
}

static void swap_oom_lines(struct gpm_oom *oom, uint32_t i, uint32_t k) {
  struct gpumemprof_capture_oom_line line = oom->record.line[i];
  const struct gpumemprof_capture_site *site = oom->line[i];
  oom->record.line[i] = oom->record.line[k];
  oom->record.line[k] = line;
  oom->line[i] = oom->line[k];
  oom->line[k] = site;
}

/* Lines of which nothing is left end the list, and are removed. */
static void sort_oom_lines(struct gpm_oom *oom) {
  struct gpumemprof_capture_oom *o = &oom->record;
  for (uint32_t i = 1; i < o->lines; i++)
    for (uint32_t k = i; k && o->line[k - 1].live.bytes < o->line[k].live.bytes; k--)
      swap_oom_lines(oom, k - 1, k);
  while (o->lines && !o->line[o->lines - 1].live.bytes && !o->line[o->lines - 1].live.blocks)
    o->lines--;
}

void gpm_oom_name_callers(struct gpm_oom *oom, const struct gpm_oom_path *path, uint32_t paths) {
  bool moved = false;
  for (uint32_t i = 0; i < paths; i++) {
    const struct gpm_node *charged = gpm_oom_charged(path[i].node);
    if (charged == path[i].node) continue;
    move_path(oom, &path[i], charged);
    moved = true;
  }
  if (!moved) return;
  sort_oom_lines(oom);
  for (uint32_t i = 0; i < oom->record.lines; i++) search_caller(oom, i, path, paths);
}
