/* changes.c - see changes.h. */
#include "over_time/changes.h"

#include "support/memory.h"

#include <stdlib.h>

void gpm_changes_begin(struct gpm_changes *c, size_t most) {
  *c = (struct gpm_changes){.most = most, .incomplete = !most};
}

void gpm_changes_add(struct gpm_changes *c, struct gpm_change change) {
  if (c->incomplete) return;
  if (c->count == c->most) { /* they will be read again, so those that were kept are of no use */
    gpm_changes_free(c);
    c->incomplete = true;
    return;
  }
  if (c->count == c->room) {
    c->room = c->room ? c->room * 2 : 1024;
    c->change = gpm_memory_resize(c->change, c->room, sizeof *c->change);
  }
  c->change[c->count++] = change;
}

void gpm_changes_free(struct gpm_changes *c) {
  free(c->change);
  *c = (struct gpm_changes){.most = c->most};
}
