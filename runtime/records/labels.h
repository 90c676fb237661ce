/* labels.h - names for stretches of time: see labels.c.
 */
#ifndef GPM_LABELS_H
#define GPM_LABELS_H

struct gpm_label;
struct gpm_thread;

const char *gpm_labels_text(const struct gpm_label *label); /* those around it too; null: none */
const char *gpm_labels_own(const struct gpm_label *label);
/* One who pushes and pops labels: the program's calls are 0, nvtx.c has one for each domain. */
enum { GPM_LABELS_OF_CALLS = 0, GPM_LABEL_OWNERS = 64 };
/* By a thread that is busy. How many of the owner's are open after it; of push 0: no memory, of pop
 * -1: there was none. */
int gpm_labels_push(struct gpm_thread *thread, unsigned owner, const char *text);
int gpm_labels_pop(struct gpm_thread *thread, unsigned owner);
const struct gpm_label *gpm_labels_find(const char *text); /* with nothing around it; or null */
void gpm_labels_forked(void);

#endif /* GPM_LABELS_H */
