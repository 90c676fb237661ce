/* labels.c - names that a program gives to stretches of time, thread by thread (control.h:
 * gpumemprof_label_push): what was allocated under which.
 *
 * A label stands beside the call path, not in it: it may begin in one function and end in another.
 * What is allocated goes to the cell of its path and label (call_tree.c), so nothing is counted
 * twice and the path of again.c compares nothing more: a frame remembers a cell only until its
 * thread's label changes. Labels inside each other have the text of all, "epoch/forward".
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
  const struct gpm_label *at[DEPTH];
  uint32_t depth;
};

static struct gpm_lock labels_lock; /* protects what follows */
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
    l->next = *bucket;
    *bucket = l;
  }
  gpm_lock_release(&labels_lock);
  return l;
}

/* What is allocated from now on goes to other cells: no frame knows one. */
static void set_label(struct gpm_thread *thread, const struct gpm_label *label) {
  thread->label = label;
  for (struct gpm_open *open = thread->latest; open->frame; open--) open->frame->cell = NULL;
}

static struct gpm_thread *enter_labels(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread)) return NULL;
  gpm_set_busy(thread, true);
  return thread;
}

int __gpumemprof_label_push(const char *text) {
  int saved = errno, depth = 0;
  struct gpm_thread *thread = enter_labels();
  if (!thread) return 0;
  struct gpm_labels *labels = thread->labels;
  if (!labels) labels = thread->labels = gpm_memory_get(sizeof *labels);
  if (labels) {
    depth = (int)++labels->depth;
    if (labels->depth <= DEPTH) {
      const struct gpm_label *label = find_label(thread->label, text && *text ? text : "(unnamed)");
      labels->at[labels->depth - 1] = thread->label;
      if (label) set_label(thread, label);
    }
  }
  gpm_set_busy(thread, false);
  errno = saved;
  return depth;
}

int __gpumemprof_label_pop(void) {
  struct gpm_thread *thread = enter_labels();
  if (!thread) return -1;
  struct gpm_labels *labels = thread->labels;
  int depth = labels && labels->depth ? (int)--labels->depth : -1;
  if (depth >= 0 && depth < (int)DEPTH) set_label(thread, labels->at[depth]);
  gpm_set_busy(thread, false);
  return depth;
}

/* Another thread begins with this record. */
void gpm_labels_end(struct gpm_thread *thread) {
  thread->label = NULL;
  if (thread->labels) thread->labels->depth = 0;
}

void gpm_labels_forked(void) {
  atomic_store(&labels_lock.held, 0);
}
