/* top_model.c - see top_model.h.
 *
 * No sum says how long a block has been live. But the sums say what was allocated since an earlier
 * refresh: if a line has more bytes live than that, the rest was allocated before it. So the
 * allocated bytes of lines are kept for some refreshes, and the latest one that is at least
 * `old_ns` old is used. Memory grows with the number of lines, not of refreshes.
 */
#include "top/top_model.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static int64_t difference(uint64_t now, uint64_t before) {
  return (int64_t)(now - before);
}

static void make_room(struct gpm_top_model *m, uint32_t count) {
  if (count > m->room) {
    uint32_t room = count > m->room * 2 ? count : m->room * 2;
    m->line = gpm_memory_resize(m->line, room, sizeof *m->line);
    m->first = gpm_memory_resize(m->first, room, sizeof *m->first);
    memset(m->line + m->room, 0, (room - m->room) * sizeof *m->line);
    memset(m->first + m->room, 0, (room - m->room) * sizeof *m->first);
    m->room = room;
  }
  m->count = count;
}

/* ---- what lines had allocated ------------------------------------------------------------------
 */

static void drop(struct gpm_top_model *m, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) free(m->kept[i].allocated);
  m->kept_count -= count;
  memmove(m->kept, m->kept + count, m->kept_count * sizeof *m->kept);
}

/* Keeps a refresh only as often as needed, so that the latest one that is old enough is older than
 * necessary by an eighth at most. */
static void keep(struct gpm_top_model *m, const struct gpm_top_sample *s) {
  uint64_t distance = m->old_ns / (GPM_TOP_KEPT - 2);
  if (m->kept_count && s->time_ns - m->kept[m->kept_count - 1].time_ns < distance) return;
  if (m->kept_count == GPM_TOP_KEPT) drop(m, 1);
  struct gpm_top_kept *k = &m->kept[m->kept_count++];
  *k =
      (struct gpm_top_kept){s->time_ns, gpm_memory_array(s->count, sizeof *k->allocated), s->count};
  for (uint32_t i = 0; i < s->count; i++) k->allocated[i] = s->line[i].allocated;
}

/* The latest refresh that is old enough; null: there is none. */
static const struct gpm_top_kept *find_kept(struct gpm_top_model *m, uint64_t time_ns) {
  uint32_t fits = 0;
  while (fits < m->kept_count && time_ns - m->kept[fits].time_ns >= m->old_ns) fits++;
  if (!fits) return NULL;
  drop(m, fits - 1);
  return &m->kept[0];
}

static uint64_t old_bytes(const struct gpm_top_kept *then, const struct gpm_top_sums *now,
                          uint32_t line) {
  uint64_t before = line < then->count ? then->allocated[line] : 0;
  uint64_t since = now->allocated - before;
  return now->live > since ? now->live - since : 0;
}

/* ---- two refreshes
 * ----------------------------------------------------------------------------------
 */

static void set_change(struct gpm_top_change *c, const struct gpm_top_sums *now, uint64_t first,
                       bool has_before, double seconds) {
  const struct gpm_top_sums *before = &c->now;
  c->growth = difference(now->live, first);
  c->change = has_before ? difference(now->live, before->live) : 0;
  if (c->change < 0) c->rises = 0;
  else if (c->change) c->rises++;
  c->allocations = c->frees = c->bytes = c->freed = 0;
  if (seconds > 0) {
    c->allocations = (double)(now->allocated_blocks - before->allocated_blocks) / seconds;
    c->frees = (double)(now->freed_blocks - before->freed_blocks) / seconds;
    c->bytes = (double)(now->allocated - before->allocated) / seconds;
    c->freed = (double)(now->freed - before->freed) / seconds;
  }
  c->now = *now;
}

void gpm_top_model_add(struct gpm_top_model *m, const struct gpm_top_sample *s) {
  bool restarted = m->refreshes && s->resets != m->resets; /* earlier sums cannot be compared */
  if (restarted) drop(m, m->kept_count);
  make_room(m, s->count > m->count ? s->count : m->count);
  m->has_before = m->refreshes > 0;
  m->interval_ns = m->refreshes ? s->time_ns - m->time_ns : 0;
  m->has_rates = m->refreshes && !restarted && m->interval_ns;
  double seconds = m->has_rates ? (double)m->interval_ns / 1e9 : 0;
  if (!m->refreshes) {
    m->first_of_all = s->all.live;
    for (uint32_t i = 0; i < s->count; i++) m->first[i] = s->line[i].live;
  }
  const struct gpm_top_kept *then = find_kept(m, s->time_ns);
  m->has_old = then != NULL;
  m->all.old = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    set_change(&m->line[i], &s->line[i], m->first[i], m->has_before, seconds);
    m->line[i].old = then ? old_bytes(then, &s->line[i], i) : 0;
    m->all.old += m->line[i].old;
  }
  set_change(&m->all, &s->all, m->first_of_all, m->has_before, seconds);
  keep(m, s);
  m->history[m->refreshes % GPM_TOP_HISTORY] = s->live;
  m->time_ns = s->time_ns;
  m->resets = s->resets;
  m->refreshes++;
}

void gpm_top_model_free(struct gpm_top_model *m) {
  drop(m, m->kept_count);
  free(m->line);
  free(m->first);
  *m = (struct gpm_top_model){0};
}
