/* export_massif.c - writes massif's own format, for ms_print and massif-visualizer: about a hundred
 * moments of the run, the exact peak, and for some of these moments the live memory by call path,
 * from the allocation outwards.
 *
 * The history is read twice, by one listener after the other: which moments are written follows
 * from the peak and from the length, which are known only after the last event. Figures are those
 * of all GPUs together, or of the memory that --device and --kind select.
 */
#include "events/walk.h"
#include "export/clean_text.h"
#include "export/export.h"

#include "input/command.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SNAPSHOTS = 100, DETAILED = 10, DEEPEST = 64 };

struct item { /* a call path on its way outwards */
  uint32_t node, frame;
  uint64_t bytes;
};
struct group { /* of items with one frame */
  size_t begin, end;
  uint64_t bytes;
};

struct massif {
  const struct gpm_export *x;
  uint64_t time_ns; /* of the latest event */
  bool by_bytes;    /* time is bytes allocated and freed, not milliseconds */
  uint64_t total, moved, steps;
  uint64_t peak, peak_step; /* of the first walk */
  uint64_t last_ns, length; /* of the first walk: the last time */
  uint64_t next_time;       /* when the next snapshot is due */
  unsigned snapshots;
  uint64_t written_step; /* the latest step with a snapshot, plus 1 */
  uint64_t *live;        /* bytes by node */
};

static uint64_t time_of(const struct massif *m) {
  return m->by_bytes ? m->moved : m->time_ns / 1000000;
}

/* Counts an event. Returns false if it does not change the counted memory. */
static bool count(struct massif *m, const struct gpm_step *s) {
  const struct gpm_export *x = m->x;
  const struct gpm_walk_block *b = s->block;
  m->time_ns = s->time_ns;
  if (!b || (x->profile->all_cells_shown && x->reader->devices[b->device].ordinal < 0))
    return false;
  uint64_t change = s->event.kind == GPM_EVENT_FREED ? 0 - b->bytes : b->bytes;
  m->total += change;
  m->moved += b->bytes;
  if (m->live) m->live[x->profile->cell_node[b->cell]] += change;
  m->steps++;
  return true;
}

static bool walk(struct massif *m, bool (*step)(void *self, const struct gpm_step *s)) {
  struct gpm_listener listener = {.self = m, .profile = m->x->profile, .step = step};
  return gpm_walk_read(m->x->reader, &listener, 1);
}

/* ---- the tree of a snapshot -------------------------------------------------------------------
 */

static int by_frame(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static int by_bytes(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Groups the items by frame, and sorts the groups by size, the largest first. */
static struct group *group(struct item *items, size_t count, size_t *groups) {
  struct group *list = gpm_memory_array(count, sizeof *list);
  *groups = 0;
  if (count) qsort(items, count, sizeof *items, by_frame);
  for (size_t i = 0; i < count; i++) {
    if (!i || items[i].frame != items[i - 1].frame) list[(*groups)++].begin = i;
    list[*groups - 1].end = i + 1;
    list[*groups - 1].bytes += items[i].bytes;
  }
  if (*groups) qsort(list, *groups, sizeof *list, by_bytes);
  return list;
}

/* Moves each item to its caller, and removes items without a caller. */
static size_t outwards(const struct massif *m, struct item *items, size_t count) {
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    struct item item = items[i];
    item.frame = gpm_frames_above(m->x->frames, &item.node);
    if (item.frame != GPUMEMPROF_NONE) items[left++] = item;
  }
  return left;
}

/* Writes one line: a blank for each level, the number of lines below it, bytes, and the frame. */
static void write_line(const struct massif *m, unsigned depth, size_t below, uint64_t bytes,
                       uint32_t frame) {
  char *text = gpm_frames_text(m->x->frames, frame);
  fprintf(m->x->file, "%*sn%zu: %" PRIu64 " 0x%" PRIX32 ": %s\n", (int)depth, "", below, bytes,
          frame + 1, text);
  free(text);
}

/* Returns how many groups have lines of their own: massif leaves out groups below 1 %. */
static size_t large(const struct massif *m, const struct group *groups, size_t count) {
  size_t n = 0;
  while (n < count && groups[n].bytes >= m->total / 100) n++;
  return n;
}

static void write_groups(const struct massif *m, struct item *items, struct group *groups,
                         size_t count, unsigned depth) {
  size_t shown = large(m, groups, count);
  for (size_t i = 0; i < shown; i++) {
    struct group *g = &groups[i];
    uint32_t frame = items[g->begin].frame;
    size_t left = depth < DEEPEST ? outwards(m, items + g->begin, g->end - g->begin) : 0, below;
    struct group *inner = group(items + g->begin, left, &below);
    size_t lines = large(m, inner, below);
    write_line(m, depth, lines + (lines < below), g->bytes, frame);
    write_groups(m, items + g->begin, inner, below, depth + 1);
    free(inner);
  }
  uint64_t rest = 0;
  for (size_t i = shown; i < count; i++) rest += groups[i].bytes;
  if (shown < count)
    fprintf(m->x->file,
            "%*sn0: %" PRIu64 " in %zu place%s, all below massif's threshold (1.00%%)\n",
            (int)depth, "", rest, count - shown, count - shown == 1 ? "" : "s");
}

static void write_tree(const struct massif *m) {
  size_t count = 0, groups;
  for (uint32_t n = 0; n < m->x->profile->node_count; n++) count += m->live[n] != 0;
  struct item *items = gpm_memory_array(count, sizeof *items);
  count = 0;
  for (uint32_t n = 0; n < m->x->profile->node_count; n++) {
    if (!m->live[n]) continue;
    uint32_t frame = gpm_frames_innermost(m->x->frames, n);
    items[count++] = (struct item){.node = n, .frame = frame, .bytes = m->live[n]};
  }
  struct group *list = group(items, count, &groups);
  size_t lines = large(m, list, groups);
  fprintf(m->x->file, "n%zu: %" PRIu64 " (%s)\n", lines + (lines < groups), m->total,
          m->x->profile->all_cells_shown ? "memory of GPUs" : "memory that was chosen");
  write_groups(m, items, list, groups, 1);
  free(list);
  free(items);
}

/* ---- snapshots --------------------------------------------------------------------------------
 */

static void write_snapshot(struct massif *m, const char *tree) {
  fprintf(m->x->file,
          "#-----------\nsnapshot=%u\n#-----------\ntime=%" PRIu64 "\nmem_heap_B=%" PRIu64
          "\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n",
          m->snapshots++, time_of(m), m->total, tree);
  if (*tree != 'e') write_tree(m);
  m->written_step = m->steps + 1;
}

static void write_due(struct massif *m) {
  bool peak = m->steps == m->peak_step && m->peak;
  if (peak) write_snapshot(m, "peak");
  if (time_of(m) < m->next_time) return;
  if (!peak) write_snapshot(m, m->snapshots % DETAILED == DETAILED - 1 ? "detailed" : "empty");
  uint64_t every = m->length / SNAPSHOTS + 1;
  m->next_time = (time_of(m) / every + 1) * every;
}

static bool write_step(void *self, const struct gpm_step *s) {
  struct massif *m = self;
  if (count(m, s)) write_due(m);
  return true;
}

static bool find_peak(void *self, const struct gpm_step *s) {
  struct massif *m = self;
  if (!count(m, s)) return true;
  if (s->time_ns > m->last_ns) m->last_ns = s->time_ns;
  if (m->total <= m->peak) return true;
  m->peak = m->total;
  m->peak_step = m->steps;
  return true;
}

static bool find_peaks(struct massif *m) {
  if (!walk(m, find_peak)) return false;
  m->by_bytes = m->last_ns < (uint64_t)100 * 1000000;
  m->length = m->by_bytes ? m->moved : m->last_ns / 1000000;
  m->total = m->moved = m->steps = m->time_ns = 0; /* the second walk counts again */
  return true;
}

bool gpm_export_massif(const struct gpm_export *x) {
  struct massif m = {.x = x};
  if (!gpm_walk_is_whole(x->reader)) {
    gpm_say("%s has a part of the events, from which massif's totals cannot be made: run the "
            "program with GPUMEMPROF_OPTIONS=history=all",
            x->reader->path);
    return false;
  }
  if (!find_peaks(&m)) return false;
  m.live = gpm_memory_array(x->profile->node_count, sizeof *m.live);
  char *command = gpm_export_command(x);
  fprintf(x->file, "desc: gpumemprof export --to massif\ncmd: %s\ntime_unit: %s\n", command,
          m.by_bytes ? "B" : "ms");
  write_snapshot(&m, "empty");
  m.next_time = m.length / SNAPSHOTS + 1;
  bool ok = walk(&m, write_step);
  if (m.written_step != m.steps + 1) write_snapshot(&m, "detailed");
  free(command);
  free(m.live);
  return ok;
}
