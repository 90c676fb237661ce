/* observers.c - what the program asked to be told of: who asks, and the events that wait to be
 * told.
 *
 *   event under way   ledger.c, under its locks   -> note: appended to the thread's list
 *   event done        gpm_observers_leave, busy no more -> tell: each set's hook, one after another
 *
 * So a hook may do whatever the program may. What a thread does while it tells is noted nowhere. A
 * set that is removed stays in its place until the last thread has
 * left its hooks: each counts itself in before it looks whether the set is still there, and whoever
 * removes it takes it out before looking for those inside.
 */
#include "observers.h"

#include "bias.h"
#include "ledger.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <time.h>

struct gpm_noted {
  struct gpumemprof_event event; /* without its texts */
  uint32_t site;                 /* GPUMEMPROF_NONE: the place is not known */
};
#define NOTED_ROOM 64u   /* at first */
#define NOTED_KEPT 4096u /* a longer list is given back */

struct gpm_observer {
  _Atomic int handle; /* 0: the place is free once nobody is inside */
  _Atomic int inside; /* threads */
  int uses;           /* how often the place was given out */
  struct gpumemprof_hooks hooks;
  void *data;
};
#define MOST_SETS 16
#define NOT_KNOWN INT32_MIN /* device of a failed allocation, before it is asked for */

_Atomic unsigned gpm_observers;
static struct gpm_observer sets[MOST_SETS];
static struct gpm_lock sets_lock; /* of whoever adds or removes */

/* ---- noting ------------------------------------------------------------------------------------
 */

static bool more_room(struct gpm_noted_list *list) {
  uint32_t room = list->room ? list->room * 2 : NOTED_ROOM;
  struct gpm_noted *larger = gpm_memory_map(room * sizeof *larger);
  if (!larger) return false;
  if (list->count) memcpy(larger, list->first, list->count * sizeof *larger);
  gpm_memory_unmap(list->first, list->room * sizeof *larger);
  list->first = larger;
  list->room = room;
  return true;
}

/* Null: nobody is to be told. */
static struct gpm_noted *note(struct gpm_thread *thread, enum gpumemprof_what what, uint32_t site) {
  struct gpm_noted_list *list = &thread->noted;
  if (list->telling || (list->count == list->room && !more_room(list))) return NULL;
  struct gpm_noted *noted = &list->first[list->count++];
  *noted = (struct gpm_noted){.event = {.size = sizeof noted->event, .what = what}, .site = site};
  return noted;
}

/* Keys of blocks without an address have the highest bit; those of pieces the address below. */
static uint64_t address_of_key(uint64_t key, uint16_t kind) {
  if (!(key >> 63)) return key;
  return kind == GPUMEMPROF_KIND_CUSTOM ? key & (((uint64_t)1 << 48) - 1) : 0;
}

static struct gpm_noted *note_block(struct gpm_thread *thread, enum gpumemprof_what what,
                                    const struct gpm_cell *cell, const struct gpm_node *place,
                                    uint64_t key, const struct gpm_block *block) {
  struct gpm_noted *noted = note(thread, what, place->record->site);
  if (!noted) return NULL;
  struct gpumemprof_event *e = &noted->event;
  e->kind = cell->kind;
  e->device = cell->device->record->ordinal;
  e->requested = e->acquired = block->bytes;
  e->address = address_of_key(key, cell->kind);
  e->block = block->clock;
  return noted;
}

void gpm_observers_allocated(struct gpm_thread *thread, const struct gpm_cell *cell,
                             uint64_t address, const struct gpm_block *block, uint64_t requested) {
  struct gpm_noted *noted =
      note_block(thread, GPUMEMPROF_ON_ALLOCATED, cell, cell->node, address, block);
  if (!noted) return;
  noted->event.requested = requested;
  noted->event.clock = block->clock;
}

void gpm_observers_freed(struct gpm_thread *thread, const struct gpm_pair *pair, uint64_t address,
                         const struct gpm_block *block, uint64_t clock) {
  struct gpm_noted *noted =
      note_block(thread, GPUMEMPROF_ON_FREE_REQUESTED, pair->cell, pair->from, address, block);
  if (noted) noted->event.clock = clock;
}

void gpm_observers_free_failed(struct gpm_thread *thread, const struct gpm_pair *pair,
                               uint64_t address, const struct gpm_block *block, uint64_t clock,
                               int result) {
  struct gpm_noted *noted =
      note_block(thread, GPUMEMPROF_ON_FREE_FAILED, pair->cell, pair->from, address, block);
  if (!noted) return;
  noted->event.clock = clock;
  noted->event.result = result;
}

void gpm_observers_failed(struct gpm_thread *thread, const struct gpm_node *node, uint16_t kind,
                          uint64_t requested, int result) {
  struct gpm_noted *noted =
      note(thread, GPUMEMPROF_ON_ALLOCATION_FAILED, node ? node->record->site : GPUMEMPROF_NONE);
  if (!noted) return;
  struct gpumemprof_event *e = &noted->event;
  e->kind = kind;
  e->device = kind == GPUMEMPROF_KIND_PINNED ? GPUMEMPROF_HOST : NOT_KNOWN;
  e->requested = requested;
  e->clock = __atomic_load_n(&__gpumemprof_clock, __ATOMIC_RELAXED);
  e->result = result;
}

/* The allocation that made the pool grow is what the thread noted last, if there is one. */
void gpm_observers_acquired(const struct gpm_device *device, uint16_t kind, uint64_t handle,
                            uint64_t bytes) {
  struct gpm_thread *thread = gpm_thread_current;
  const struct gpm_noted_list *list = &thread->noted;
  uint32_t site = list->count ? list->first[list->count - 1].site : GPUMEMPROF_NONE;
  struct gpm_noted *noted = note(thread, GPUMEMPROF_ON_ACQUIRED, site);
  if (!noted) return;
  struct gpumemprof_event *e = &noted->event;
  e->kind = kind;
  e->device = device->record->ordinal;
  e->requested = e->acquired = bytes;
  e->address = handle;
  e->clock = __atomic_load_n(&__gpumemprof_clock, __ATOMIC_RELAXED);
}

/* ---- telling -----------------------------------------------------------------------------------
 */

/* Busy meanwhile: a signal handler that came to the lock would wait for what it interrupted. */
static void complete(struct gpm_thread *thread, struct gpm_noted *noted) {
  struct gpumemprof_event *e = &noted->event;
  e->file = e->function = "";
  if (e->device == NOT_KNOWN) e->device = gpm_cuda_device_or(0);
  if (noted->site == GPUMEMPROF_NONE) return;
  gpm_set_busy(thread, true);
  gpm_lock_take(&gpm_tree_lock);
  const struct gpumemprof_capture_site *site = gpm_sites_record(noted->site);
  e->line = site->line;
  e->file = gpm_strings_keep(site->file);
  e->function = gpm_strings_keep(site->function);
  gpm_lock_release(&gpm_tree_lock);
  gpm_set_busy(thread, false);
}

static void call_hook(const struct gpm_observer *set, const struct gpumemprof_event *e) {
  void (*hook)(const struct gpumemprof_event *, void *) = NULL;
  switch (e->what) {
  case GPUMEMPROF_ON_ALLOCATED:
  case GPUMEMPROF_ON_ALLOCATION_FAILED:
    hook = set->hooks.allocated;
    break;
  case GPUMEMPROF_ON_FREE_REQUESTED:
    hook = set->hooks.free_requested;
    break;
  case GPUMEMPROF_ON_FREE_FAILED:
    hook = set->hooks.free_failed;
    break;
  case GPUMEMPROF_ON_ACQUIRED:
    hook = set->hooks.acquired;
    break;
  }
  if (hook) hook(e, set->data);
}

static void tell_set(struct gpm_thread *thread, struct gpm_observer *set,
                     const struct gpumemprof_event *e) {
  if (!atomic_load(&set->handle)) return;
  thread->noted.inside = set;
  atomic_fetch_add(&set->inside, 1);
  if (atomic_load(&set->handle)) call_hook(set, e);
  atomic_fetch_sub(&set->inside, 1);
  thread->noted.inside = NULL;
}

/* A hook's events are the thread's: what the event under way has still to look at is put aside. In
 * a child that a hook forked nothing of the parent's is told, and no free of it is pending. */
void gpm_observers_tell(struct gpm_thread *thread) {
  if (thread->noted.telling) return; /* to a signal handler */
  thread->noted.telling = true;
  int saved = errno;
  struct gpm_pending_free pending = thread->pending;
  struct physical *releasing = thread->releasing;
  uint64_t piece_freed_at_call = thread->piece_freed_at_call;
  uint32_t forks = thread->noted.process;
  for (uint32_t i = 0; i < thread->noted.count; i++) {
    struct gpm_noted *noted = &thread->noted.first[i];
    complete(thread, noted);
    struct gpumemprof_event e = noted->event; /* a hook that forks empties the list */
    for (int k = 0; k < MOST_SETS; k++) tell_set(thread, &sets[k], &e);
  }
  thread->noted.count = 0;
  if (thread->noted.room > NOTED_KEPT) {
    gpm_memory_unmap(thread->noted.first, thread->noted.room * sizeof *thread->noted.first);
    thread->noted.first = NULL;
    thread->noted.room = 0;
  }
  if (thread->noted.process == forks) {
    thread->pending = pending;
    thread->releasing = releasing;
  }
  thread->piece_freed_at_call = piece_freed_at_call;
  thread->noted.telling = false;
  errno = saved;
}

/* Of other threads' hooks none goes on in the child, of the forking thread's the one it is in. */
void gpm_observers_forked(void) {
  struct gpm_thread *self = gpm_thread_current;
  atomic_store(&sets_lock.held, 0);
  for (int i = 0; i < MOST_SETS; i++)
    atomic_store(&sets[i].inside, self && self->noted.inside == &sets[i]);
}

/* ---- called by the program ---------------------------------------------------------------------
 */

/* A handle names a place and which of its uses. Under the lock. */
static struct gpm_observer *set_of(int handle) {
  struct gpm_observer *set = &sets[(unsigned)(handle - 1) % MOST_SETS];
  return handle > 0 && atomic_load(&set->handle) == handle ? set : NULL;
}

static struct gpm_observer *free_place(void) {
  for (int i = 0; i < MOST_SETS; i++)
    if (!atomic_load(&sets[i].handle) && !atomic_load(&sets[i].inside)) return &sets[i];
  return NULL;
}

/* False when nothing is recorded. */
static bool end_bias(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread)) return false;
  gpm_bias_end(thread);
  return true;
}

static int put_in_place(const struct gpumemprof_hooks *hooks, void *data) {
  struct gpm_observer *set = free_place();
  if (!set) return 0;
  int handle = set->uses * MOST_SETS + (int)(set - sets) + 1;
  set->uses = (set->uses + 1) % (INT_MAX / MOST_SETS - 1);
  set->hooks = (struct gpumemprof_hooks){0};
  memcpy(&set->hooks, hooks, hooks->size < sizeof *hooks ? hooks->size : sizeof *hooks);
  set->data = data;
  atomic_store(&set->handle, handle);
  atomic_fetch_or(&gpm_observers, GPM_OBSERVING_HOOKS);
  return handle;
}

int __gpumemprof_hooks_add(const struct gpumemprof_hooks *hooks, void *data) {
  if (!hooks || hooks->size < sizeof hooks->size) {
    gpm_text_say("gpumemprof_hooks_add: there are no hooks, or their size is not set; nothing is "
                 "registered",
                 NULL);
    return 0;
  }
  int saved = errno;
  if (!end_bias()) return 0;
  gpm_lock_take(&sets_lock);
  int handle = put_in_place(hooks, data);
  gpm_lock_release(&sets_lock);
  if (!handle)
    gpm_text_say("gpumemprof_hooks_add: 16 sets of hooks are registered, which is the most; remove "
                 "one first",
                 NULL);
  errno = saved;
  return handle;
}

static void wait_until_nobody_is_inside(struct gpm_observer *set) {
  for (unsigned looks = 0; atomic_load(&set->inside); looks++) {
    struct timespec pause = {0, 100000};
    if (looks < 100) sched_yield();
    else nanosleep(&pause, NULL); /* a hook may take its time */
  }
}

int __gpumemprof_hooks_remove(int handle) {
  int saved = errno;
  const struct gpm_thread *thread = gpm_thread_current;
  gpm_lock_take(&sets_lock);
  struct gpm_observer *set = set_of(handle);
  if (set) atomic_store(&set->handle, 0);
  bool others = false;
  for (int i = 0; i < MOST_SETS; i++) others |= atomic_load(&sets[i].handle) != 0;
  if (!others) atomic_fetch_and(&gpm_observers, ~(unsigned)GPM_OBSERVING_HOOKS);
  gpm_lock_release(&sets_lock);
  if (set && !(thread && thread->noted.telling)) wait_until_nobody_is_inside(set);
  errno = saved;
  return set ? 0 : GPUMEMPROF_ERROR_ARGUMENT;
}
