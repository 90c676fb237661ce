/* labels.c - names that a program gives to stretches of time, thread by thread (control.h:
 * gpumemprof_label_push; nvtx.c: its NVTX ranges): what was allocated under which.
 *
 * A label stands beside the call path, not in it: it may begin in one function and end in another.
 * What is allocated goes to the cell of its path and label (call_tree.c), so nothing is counted
 * twice and the path of again.c compares nothing more: a frame remembers a cell only until its
 * thread's label changes. Labels inside each other have the text of all, "epoch/forward".
 * Each owner pops its own: those that others pushed since then move out by one.
 */
#include "program_calls.h"

#include <errno.h>
#include <string.h>

#define DEPTH 64u     /* labels inside each other; deeper ones are counted, not named */
#define LONGEST 1000u /* bytes of a label's whole text */
#define BUCKETS 1024u

struct gpm_label { /* never given back: cells name it */
  const struct gpm_label *outer;
  struct gpm_label *next;
  const char *own; /* the last part of the text */
  char text[];
};
struct gpm_labels { /* a thread's */
  struct {
    const struct gpm_label *label; /* with those around it */
    unsigned owner;
  } named[DEPTH];
  uint32_t count;                     /* of them */
  uint32_t all[GPM_LABEL_OWNERS];     /* each owner's: named, and those it pushed later */
  uint32_t unnamed[GPM_LABEL_OWNERS]; /* of them */
};

static struct gpm_lock labels_lock = GPM_LOCK(labels); /* protects what follows */
static struct gpm_label *label_buckets[BUCKETS];

const char *gpm_labels_text(const struct gpm_label *label) {
  return label ? label->text : NULL;
}

const char *gpm_labels_own(const struct gpm_label *label) {
  return label ? label->own : NULL;
}

static struct gpm_label *make_label(const struct gpm_label *outer, const char *text,
                                    size_t length) {
  size_t before = outer ? strlen(outer->text) + 1 : 0;
  struct gpm_label *l = gpm_memory_get(sizeof *l + before + length + 1);
  if (!l) return NULL;
  l->outer = outer;
  if (outer) memcpy(l->text, outer->text, before - 1), l->text[before - 1] = '/';
  memcpy(l->text + before, text, length);
  l->own = l->text + before;
  return l;
}

static const struct gpm_label *find_label(const struct gpm_label *outer, const char *text) {
  size_t before = outer ? strlen(outer->text) + 1 : 0, length = strnlen(text, LONGEST);
  if (before + length > LONGEST) length = before < LONGEST ? LONGEST - before : 0;
  uint32_t hash = 2166136261u ^ (uint32_t)((uintptr_t)outer >> 6); /* FNV-1a */
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  struct gpm_label **bucket = &label_buckets[hash % BUCKETS], *l;
  gpm_lock_take(&labels_lock);
  for (l = *bucket; l && (l->outer != outer || strncmp(l->own, text, length) || l->own[length]);)
    l = l->next;
  if (!l && (l = make_label(outer, text, length))) {
    GPM_ASSERT(gpm_lock_is_mine(&labels_lock));
    l->next = *bucket;
    *bucket = l;
  }
  gpm_lock_release(&labels_lock);
  return l;
}

const struct gpm_label *gpm_labels_find(const char *text) {
  return find_label(NULL, text);
}

/* What is allocated from now on goes to other cells: no frame knows one. */
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
    const struct gpm_label *label = find_label(thread->label, text && *text ? text : "(unnamed)");
    labels->named[i].label = label ? label : thread->label;
    labels->named[i].owner = owner;
    labels->count = i + 1;
    if (GPM_LIKELY(label != NULL)) set_label(thread, label);
  }
  return (int)++labels->all[owner];
}

/* The owner's latest, with labels of others inside it: they are inside the next outer one from now
 * on. */
static GPM_COLD void remove_label(struct gpm_thread *thread, struct gpm_labels *labels,
                                  unsigned owner) {
  int saved = errno;
  uint32_t gone = labels->count - 1;
  while (labels->named[gone].owner != owner) gone--;
  const struct gpm_label *outer = gone ? labels->named[gone - 1].label : NULL;
  const struct gpm_label *was = labels->named[gone].label;
  for (uint32_t i = gone + 1; i < labels->count; i++) {
    const struct gpm_label *label = labels->named[i].label;
    const struct gpm_label *new = label == was ? NULL : find_label(outer, label->own);
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

static struct gpm_thread *enter_labels(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread)) return NULL;
  gpm_set_busy(thread, true);
  return thread;
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

/* Another thread begins with this record. */
void gpm_labels_end(struct gpm_thread *thread) {
  thread->label = NULL;
  if (thread->labels) memset(thread->labels, 0, sizeof *thread->labels);
}

void gpm_labels_forked(void) {
  atomic_store(&labels_lock.held, 0);
}
