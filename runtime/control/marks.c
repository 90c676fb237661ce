/* marks.c - moments that the program names, and what it allocated between two of them and still
 * has.
 *
 * A mark is a value of the allocation clock. Each block has the clock of its allocation, so nothing
 * else has to be stored to ask later. The live blocks are visited one by one under their device's
 * lock and gathered in temporary memory, and the program sees them when no lock is held.
 */
#include "control/marks.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "control/measures.h"
#include "control/observers.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <errno.h>

#define MOST_MARKS (1u << 20) /* 64 MiB of capture */

static struct gpm_table mark_table; /* under gpm_tree_lock */

void gpm_marks_start(void) {
  mark_table = (struct gpm_table){GPUMEMPROF_CHUNK_MARKS, sizeof(struct gpumemprof_capture_mark), 0,
                                  0, NULL};
}

static void append_mark(const struct gpm_thread *thread, const char *name, uint64_t clock) {
  struct gpumemprof_capture_mark *record = gpm_table_next(&mark_table);
  if (!record) return;
  *record = (struct gpumemprof_capture_mark){.clock = clock,
                                             .ticks = gpm_ticks(),
                                             .name = gpm_strings_intern(name),
                                             .thread = thread->number};
  gpm_table_publish(&mark_table);
}

uint64_t __gpumemprof_mark(const char *name) {
  int saved = errno;
  struct gpm_thread *thread = gpm_thread_enter();
  if (!thread) return 0;
  gpm_lock_take(&gpm_tree_lock);
  uint64_t clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  if (mark_table.count < MOST_MARKS) append_mark(thread, name, clock);
  else gpm_capture_count(GPUMEMPROF_COUNTER_marks_left_out);
  gpm_lock_release(&gpm_tree_lock);
  gpm_set_busy(thread, false);
  errno = saved;
  return clock;
}

/* ---- what is left -------------------------------------------------------------------------------
 */

struct left_block {
  uint64_t address, bytes, clock;
  uint32_t site;
  int32_t device;
  uint16_t kind;
};
struct left_search {
  struct gpm_thread *thread;
  bool gathers;
  uint64_t from, to;
  struct gpumemprof_remaining sum;
  struct left_block *found;
  uint64_t count, room;
};

static bool room_for_left(struct left_search *s) {
  if (s->count < s->room) return true;
  uint64_t room = s->room ? s->room * 2 : 1024;
  struct left_block *larger = gpm_memory_larger(s->found, s->count * sizeof *larger,
                                                s->room * sizeof *larger, room * sizeof *larger);
  if (!larger) return false;
  s->found = larger;
  s->room = room;
  return true;
}

static void note_left(struct left_search *s, const struct left_block *one) {
  s->sum.blocks++;
  s->sum.bytes += one->bytes;
  if (s->gathers && room_for_left(s)) s->found[s->count++] = *one;
}

static void mark_block(uint64_t key, struct gpm_block *block, void *data) {
  struct left_search *s = data;
  struct gpm_cell *cell = atomic_load(&block->cell);
  if (!cell || cell->kind == GPUMEMPROF_KIND_STATIC) return;
  struct left_block one = {.address = key >> 63 ? 0 : key,
                           .site = cell->node->record->site,
                           .device = cell->device->record->ordinal,
                           .kind = cell->kind};
  gpm_lock_take(cell->device->lock);
  bool same = atomic_load(&block->cell) == cell;
  one.bytes = block->bytes;
  one.clock = block->clock;
  gpm_lock_release(cell->device->lock);
  if (same && one.clock > s->from && one.clock <= s->to) note_left(s, &one);
}

/* A child that `visit` forks has another capture, so no more blocks are shown there. */
static void show_left(const struct left_search *s,
                      void (*visit)(const struct gpumemprof_block *block, void *data), void *data) {
  uint32_t forks = s->thread->notices.process;
  for (uint64_t i = 0; i < s->count && s->thread->notices.process == forks; i++) {
    const struct left_block *one = &s->found[i];
    struct gpm_texts location = gpm_observers_location(s->thread, one->site);
    struct gpumemprof_block b = {.size = sizeof b,
                                 .kind = one->kind,
                                 .device = one->device,
                                 .line = location.line,
                                 .address = one->address,
                                 .bytes = one->bytes,
                                 .block = one->clock,
                                 .file = location.file,
                                 .function = location.function};
    visit(&b, data);
  }
}

struct gpumemprof_remaining
__gpumemprof_leaks(uint64_t from, uint64_t to,
                   void (*visit)(const struct gpumemprof_block *, void *), void *data) {
  int saved = errno;
  struct left_search s = {.gathers = visit != NULL, .from = from, .to = to};
  s.thread = gpm_thread_enter();
  if (!s.thread) return s.sum;
  gpm_blocks_each(mark_block, &s);
  gpm_set_busy(s.thread, false);
  errno = saved;
  if (visit) show_left(&s, visit, data);
  gpm_memory_unmap(s.found, s.room * sizeof *s.found);
  return s.sum;
}
