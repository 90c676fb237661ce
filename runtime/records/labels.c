/* labels.c - names that a program gives to stretches of time, thread by thread (control.h:
 * gpumemprof_label_push; nvtx.c: its NVTX ranges; kokkos.c: regions and kernels of Kokkos), so that
 * reports show which memory was allocated under which name.
 *
 * A label is no part of the call path, because it may begin in one function and end in another. An
 * allocation goes to the cell of its path and label (cells.c), so nothing is counted twice, and the
 * fast path of repeats.c needs no further comparison: a frame remembers a cell only until its
 * thread's label changes. The text of a nested label has the texts of those around it,
 * "epoch/forward". Each owner pops its own labels; those that others have pushed since then move
 * out by one level. Labels are never freed, and each path that allocates under a label gets a cell.
 * So the number of names is limited: all names beyond the limit are the one label "(other labels)",
 * and the figures of each label with its own name are complete.
 */
#include "records/labels.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "capture/capture.h"
#include "records/cells.h"
#include "tables/index.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

#define DEPTH 64u              /* nested labels; deeper ones are counted, not named */
#define LONGEST 1000u          /* bytes of a label's whole text */
#define LABELS_MOST (1u << 16) /* labels with their own names; about 128 bytes each */

struct gpm_label { /* never freed, because cells refer to it */
  const struct gpm_label *outer;
  const char *own; /* the last part of the text */
  uint32_t length; /* of the text */
  char text[];
};
struct gpm_labels { /* a thread's */
  struct {
    const struct gpm_label *label; /* the innermost label, whose text has those around it */
    unsigned owner;
  } named[DEPTH];
  uint32_t count;                     /* entries of `named` in use */
  uint32_t all[GPM_LABEL_OWNERS];     /* open labels of each owner, named or not */
  uint32_t unnamed[GPM_LABEL_OWNERS]; /* those of them without an entry in `named` */
};

static struct gpm_lock labels_lock = GPM_LOCK(labels); /* protects what follows */
static struct gpm_index label_index;
static struct gpm_label *_Atomic other_labels; /* null while every label has its own name */

const char *gpm_labels_text(const struct gpm_label *label) {
  return label ? label->text : NULL;
}

const char *gpm_labels_own(const struct gpm_label *label) {
  return label ? label->own : NULL;
}

static struct gpm_label *make_label(const struct gpm_label *outer, const char *text,
                                    size_t length) {
  size_t before = outer ? outer->length + 1 : 0;
  struct gpm_label *l = gpm_memory_get(sizeof *l + before + length + 1);
  if (!l) return NULL;
  l->outer = outer;
  if (outer) memcpy(l->text, outer->text, before - 1), l->text[before - 1] = '/';
  memcpy(l->text + before, text, length);
  l->own = l->text + before;
  l->length = (uint32_t)(before + length);
  return l;
}

/* The one label for all names beyond the limit. Under the lock. */
static GPM_COLD struct gpm_label *lump_label(void) {
  static const char name[] = "(other labels)";
  struct gpm_label *l = atomic_load(&other_labels);
  if (!l) atomic_store(&other_labels, l = make_label(NULL, name, sizeof name - 1));
  return l;
}

static GPM_COLD const struct gpm_label *lumped(const struct gpm_label *label) {
  static _Atomic bool said;
  gpm_capture_count(GPUMEMPROF_COUNTER_labels_lumped);
  if (!atomic_exchange(&said, true))
    gpm_text_say(
        "more different labels (NVTX ranges, gpumemprof_label_push) than gpumemprof "
        "distinguishes, 65536, or 1024 with 131072 call paths under them: what is allocated under "
        "new ones is one line, (other labels), and totals stay exact; labels without a "
        "number in their names avoid that",
        NULL);
  return label;
}

static bool is_other(const struct gpm_label *label) {
  return label && label == atomic_load_explicit(&other_labels, memory_order_relaxed);
}

/* Under the lock. */
static GPM_COLD struct gpm_label *add_label(const struct gpm_label *outer, const char *text,
                                            size_t length, uint32_t hash) {
  uint32_t count = label_index.count;
  if (count >= LABELS_MOST || !gpm_cells_may_split(count)) return lump_label();
  struct gpm_label *l = make_label(outer, text, length);
  return l && gpm_index_add(&label_index, hash, l, false) ? l : NULL;
}

const struct gpm_label *gpm_labels_find(const struct gpm_label *outer, const char *text) {
  if (GPM_UNLIKELY(is_other(outer))) return lumped(outer); /* so is every label inside it */
  size_t before = outer ? outer->length + 1 : 0, room = before < LONGEST ? LONGEST - before : 0;
  uint32_t hash = gpm_index_hash((uint32_t)((uintptr_t)outer >> 6), text, &room), at = hash;
  size_t length = room; /* of the part that is kept */
  struct gpm_label *l;
  gpm_lock_take(&labels_lock);
  do l = gpm_index_next(&label_index, hash, &at);
  while (l && (l->outer != outer || l->length != before + length || memcmp(l->own, text, length)));
  if (GPM_UNLIKELY(!l)) l = add_label(outer, text, length, hash);
  gpm_lock_release(&labels_lock);
  return GPM_UNLIKELY(is_other(l)) ? lumped(l) : l;
}

/* Allocations go to other cells from now on, so no frame may remember a cell. */
static void set_label(struct gpm_thread *thread, const struct gpm_label *label) {
  thread->label = label;
  for (struct gpm_open *open = thread->latest; open->frame; open--) open->frame->cell = NULL;
}

static GPM_INLINE int push_label(struct gpm_thread *thread, unsigned owner, const char *text) {
  struct gpm_labels *labels = thread->labels;
  if (GPM_UNLIKELY(!labels)) labels = thread->labels = gpm_memory_get(sizeof *labels);
  if (GPM_UNLIKELY(!labels)) return 0;
  uint32_t i = labels->count;
  if (GPM_UNLIKELY(i == DEPTH || labels->unnamed[owner])) labels->unnamed[owner]++;
  else {
    const struct gpm_label *label =
        gpm_labels_find(thread->label, text && *text ? text : "(unnamed)");
    labels->named[i].label = label ? label : thread->label;
    labels->named[i].owner = owner;
    labels->count = i + 1;
    if (GPM_LIKELY(label != NULL)) set_label(thread, label);
  }
  return (int)++labels->all[owner];
}

/* Removes the owner's latest label, which has labels of others inside it: from now on they are
 * inside the next outer one. */
static GPM_COLD void remove_label(struct gpm_thread *thread, struct gpm_labels *labels,
                                  unsigned owner) {
  int saved = errno;
  uint32_t gone = labels->count - 1;
  while (labels->named[gone].owner != owner) gone--;
  const struct gpm_label *outer = gone ? labels->named[gone - 1].label : NULL;
  const struct gpm_label *was = labels->named[gone].label;
  for (uint32_t i = gone + 1; i < labels->count; i++) {
    const struct gpm_label *label = labels->named[i].label;
    const struct gpm_label *new = label == was ? NULL : gpm_labels_find(outer, label->own);
    if (new) outer = new;
    was = label;
    labels->named[i - 1].label = outer;
    labels->named[i - 1].owner = labels->named[i].owner;
  }
  labels->count--;
  set_label(thread, outer);
  errno = saved;
}

static GPM_INLINE int pop_label(struct gpm_thread *thread, unsigned owner) {
  struct gpm_labels *labels = thread->labels;
  if (!labels || !labels->all[owner]) return -1;
  uint32_t i = labels->count - 1;
  if (GPM_UNLIKELY(labels->unnamed[owner])) labels->unnamed[owner]--;
  else if (GPM_LIKELY(labels->named[i].owner == owner)) {
    labels->count = i;
    set_label(thread, i ? labels->named[i - 1].label : NULL);
  } else remove_label(thread, labels, owner);
  return (int)--labels->all[owner];
}

int gpm_labels_push(struct gpm_thread *thread, unsigned owner, const char *text) {
  return push_label(thread, owner, text);
}

int gpm_labels_pop(struct gpm_thread *thread, unsigned owner) {
  return pop_label(thread, owner);
}

/* In a forked child the labels of its thread are maintained before it records anything. */
static struct gpm_thread *enter_ranges(void) {
  if (atomic_load(&gpm_own.state) == GPM_OFF) return NULL;
  struct gpm_thread *thread = gpm_thread_self();
  if (!thread || gpm_busy(thread)) return NULL;
  gpm_set_busy(thread, true);
  if (atomic_load(&gpm_own.state) != GPM_UNSTARTED) (void)gpm_recording(); /* it may be sealed */
  gpm_count_ended(thread);
  return thread;
}

int gpm_labels_range_push(unsigned owner, const char *text) {
  int saved = errno;
  struct gpm_thread *thread = enter_ranges();
  if (!thread) return GPM_RANGE_IGNORED;
  int count = push_label(thread, owner, text);
  gpm_set_busy(thread, false);
  errno = saved;
  return count ? count : GPM_RANGE_IGNORED;
}

int gpm_labels_range_pop(unsigned owner) {
  struct gpm_thread *thread = enter_ranges();
  if (!thread) return GPM_RANGE_IGNORED;
  int left = pop_label(thread, owner);
  gpm_set_busy(thread, false);
  return left;
}

static struct gpm_thread *enter_labels(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  return thread && !gpm_busy(thread) && gpm_begin(thread) ? thread : NULL;
}

int __gpumemprof_label_push(const char *text) {
  int saved = errno;
  struct gpm_thread *thread = enter_labels();
  if (!thread) return 0;
  int count = push_label(thread, GPM_LABELS_OF_CALLS, text);
  gpm_set_busy(thread, false);
  errno = saved;
  return count;
}

int __gpumemprof_label_pop(void) {
  struct gpm_thread *thread = enter_labels();
  if (!thread) return -1;
  int left = pop_label(thread, GPM_LABELS_OF_CALLS);
  gpm_set_busy(thread, false);
  return left;
}

/* The record will be reused for another thread. */
void gpm_labels_end(struct gpm_thread *thread) {
  thread->label = NULL;
  if (thread->labels) memset(thread->labels, 0, sizeof *thread->labels);
}

void gpm_labels_forked(void) {
  atomic_store(&labels_lock.held, 0);
}
