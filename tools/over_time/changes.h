/* changes.h - the changes of what devices hold, kept in bounded memory until the axis on which they
 * are drawn is known, so that the events need not be read a second time for it.
 */
#ifndef GPM_TOOLS_CHANGES_H
#define GPM_TOOLS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_change {
  uint64_t at, live; /* where on the axis; bytes that the device holds from there on */
  uint32_t device;   /* the caller's number of it */
};

struct gpm_changes {
  size_t count, room, most; /* most: how many may be kept; 0: none are wanted */
  bool incomplete;          /* there were more, or none are wanted */
  struct gpm_change *change;
};

void gpm_changes_begin(struct gpm_changes *changes, size_t most);
void gpm_changes_add(struct gpm_changes *changes, struct gpm_change change);
void gpm_changes_free(struct gpm_changes *changes);

#endif
