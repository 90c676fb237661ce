/* measure_slots.c - measured scopes by number (measures.c), from their begin until the program has
 * their result.
 *
 * The program has a number instead of a pointer: a slot, and how many scopes were begun before. A
 * number that is wrong, used twice, or from before a fork finds nothing. Slots are reused. A scope
 * whose result the program never asks for keeps its slot until WAITING_MOST others have ended after
 * it, which bounds the memory of a program that never asks.
 */
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "control/measures.h"

#define SLOT_BITS 20 /* the low bits of a handle; the bits above are never reused */
#define SLOTS_PER_PART 1024u
#define WAITING_MOST 16384u                             /* results of 2.5 KB */
struct gpm_lock gpm_measures_lock = GPM_LOCK(measures); /* protects what follows */
static struct gpm_measure **parts[(1u << SLOT_BITS) / SLOTS_PER_PART];
static uint32_t measure_slots;
static struct gpm_measure *free_measures;
static struct gpm_measure *oldest_waiting, **newest_waiting = &oldest_waiting; /* ended, by next */
static uint32_t waiting;
struct gpm_measure *gpm_measures_open;
static uint64_t next_handle = 1;
_Atomic uint32_t gpm_measures_open_count;

static struct gpm_measure **slot_at(uint32_t slot) {
  struct gpm_measure ***part = &parts[slot / SLOTS_PER_PART];
  if (!*part) *part = gpm_memory_get(SLOTS_PER_PART * sizeof **part);
  return *part ? &(*part)[slot % SLOTS_PER_PART] : NULL;
}

/* The caller holds the lock. Returns null when there is no room. */
static struct gpm_measure *make_measure(void) {
  struct gpm_measure *m = free_measures;
  if (m) free_measures = m->outer;
  else if (measure_slots < 1u << SLOT_BITS) {
    struct gpm_measure **slot = slot_at(measure_slots);
    if (!slot || !(m = gpm_memory_get(sizeof *m))) return NULL;
    m->slot = measure_slots++;
    *slot = m;
  } else return NULL;
  GPM_ASSERT(gpm_lock_is_mine(&gpm_measures_lock));
  uint32_t slot = m->slot;
  *m = (struct gpm_measure){.slot = slot, .handle = next_handle++ << SLOT_BITS | slot};
  return m;
}

struct gpm_measure *gpm_measures_take(void) {
  gpm_lock_take(&gpm_measures_lock);
  struct gpm_measure *m = make_measure();
  gpm_lock_release(&gpm_measures_lock);
  return m;
}

/* The caller holds the lock. */
static struct gpm_measure *find_measure(uint64_t handle) {
  uint32_t slot = (uint32_t)handle & ((1u << SLOT_BITS) - 1);
  if (!handle || slot >= measure_slots) return NULL;
  struct gpm_measure *m = *slot_at(slot);
  return m->handle == handle ? m : NULL;
}

static void free_measure(struct gpm_measure *m) {
  m->outer = free_measures;
  free_measures = m;
}

void gpm_measures_give(struct gpm_measure *m) {
  gpm_lock_take(&gpm_measures_lock);
  free_measure(m);
  gpm_lock_release(&gpm_measures_lock);
}

/* The caller holds the lock. */
static void stop_waiting(struct gpm_measure *m) {
  *m->link = m->next;
  if (m->next) m->next->link = m->link;
  else newest_waiting = m->link;
  m->handle = 0;
  waiting--;
}

void gpm_measures_wait(struct gpm_measure *m) {
  m->next = NULL;
  m->link = newest_waiting;
  *newest_waiting = m;
  newest_waiting = &m->next;
  if (++waiting <= WAITING_MOST) return;
  struct gpm_measure *first = oldest_waiting;
  stop_waiting(first);
  free_measure(first);
}

/* Returns the scope of a handle. If it has ended, the caller owns it from now on, and its handle
 * becomes 0. */
struct gpm_measure *gpm_measures_claim(uint64_t handle) {
  gpm_lock_take(&gpm_measures_lock);
  struct gpm_measure *m = find_measure(handle);
  if (m && !m->thread) stop_waiting(m);
  gpm_lock_release(&gpm_measures_lock);
  return m;
}

/* The parent's measured scopes never end in the child, because their threads and figures are the
 * parent's. */
void gpm_measures_forked(void) {
  atomic_store(&gpm_measures_lock.held, 0);
  gpm_measures_open = free_measures = oldest_waiting = NULL;
  newest_waiting = &oldest_waiting;
  waiting = 0;
  atomic_store(&gpm_measures_open_count, 0);
  for (uint32_t i = 0; i < measure_slots; i++) {
    (*slot_at(i))->handle = 0;
    gpm_measures_give(*slot_at(i));
  }
}
