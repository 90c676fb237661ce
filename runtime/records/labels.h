/* labels.h - names for stretches of time: see labels.c.
 */
#ifndef GPM_LABELS_H
#define GPM_LABELS_H

struct gpm_label;
struct gpm_thread;

/* The text of a label, with the texts of those around it, or without them; null: no label. */
const char *gpm_labels_text(const struct gpm_label *label);
const char *gpm_labels_own(const struct gpm_label *label);
/* Owners push and pop labels independently: the program's calls are owner 0, nvtx.c has one owner
 * for each domain, and kokkos.c has two. */
enum {
  GPM_LABELS_OF_CALLS = 0,
  GPM_LABELS_OF_NVTX = 1, /* the first of them */
  GPM_LABELS_OF_KOKKOS = 64,
  GPM_LABEL_OWNERS = 66
};
/* Called by a thread that is busy. Return how many labels of the owner are open afterwards; push
 * returns 0 when there is no memory, pop returns -1 when no label was open. */
int gpm_labels_push(struct gpm_thread *thread, unsigned owner, const char *text);
int gpm_labels_pop(struct gpm_thread *thread, unsigned owner);
/* The same for ranges of other interfaces (nvtx.c, kokkos.c), called by any thread. The first range
 * of a thread starts the recording. GPM_RANGE_IGNORED: nothing is recorded, or there is no
 * memory. */
enum { GPM_RANGE_IGNORED = -2 };
int gpm_labels_range_push(unsigned owner, const char *text);
int gpm_labels_range_pop(unsigned owner);
/* The label of this text inside `outer`, or with none around it; null: no memory. */
const struct gpm_label *gpm_labels_find(const struct gpm_label *outer, const char *text);
void gpm_labels_forked(void);

#endif /* GPM_LABELS_H */
