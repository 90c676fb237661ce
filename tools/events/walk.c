/* walk.c - see walk.h. */
#include "events/walk.h"

#include "support/text.h"

#include <stdlib.h>

bool gpm_walk_is_whole(const struct gpm_reader *r) {
  return !r->header.counters[GPUMEMPROF_COUNTER_events_overwritten] &&
         !gpm_reader_has_part_of_history(r);
}

bool gpm_walk_has_all(const struct gpm_reader *r, const char *what) {
  if (gpm_walk_knows_all(r)) return true;
  char *path = gpm_text_clean(r->path);
  gpm_host_say(r->host,
               "%s has %s, and %s needs all: record it with GPUMEMPROF_OPTIONS=history=all", path,
               r->event_chunks ? "a part of the events" : "no events", what);
  free(path);
  return false;
}

bool gpm_walk_read(struct gpm_reader *r, const struct gpm_listener *listener, size_t count) {
  char error[512];
  bool ok = gpm_listeners_read(r, listener, count, error, sizeof error);
  if (!ok) gpm_host_say(r->host, "%s", error);
  r->events_failed |= !ok;
  return ok;
}
