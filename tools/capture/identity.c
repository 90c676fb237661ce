/* identity.c - see identity.h.
 *
 * A process id does not identify a process, because it is reused: the host, its boot, and when the
 * process started are part of it. The program may have started another by exec: that one has a
 * capture of its own with its own start.
 */
#include "capture/identity.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *gpm_identity_text(const struct gpumemprof_capture_header *h) {
  return gpm_memory_format("%llu:%llu:%llu:%.*s:%.*s", (unsigned long long)h->pid,
                           (unsigned long long)h->pid_start,
                           (unsigned long long)h->start_realtime_ns, (int)sizeof h->host, h->host,
                           (int)sizeof h->boot_id, h->boot_id);
}

bool gpm_identity_is_same(const struct gpumemprof_capture_header *a,
                          const struct gpumemprof_capture_header *b) {
  return a->pid == b->pid && a->pid_start == b->pid_start &&
         a->start_realtime_ns == b->start_realtime_ns &&
         !strncmp(a->host, b->host, sizeof a->host) &&
         !strncmp(a->boot_id, b->boot_id, sizeof a->boot_id);
}

static bool are_one_file(const struct gpm_reader *a, const struct gpm_reader *b) {
  struct stat x, y;
  return !stat(a->path, &x) && !stat(b->path, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

enum gpm_identity gpm_identity_compare(const struct gpm_reader *a, const struct gpm_reader *b) {
  if (are_one_file(a, b)) return GPM_IDENTITY_SAME_CAPTURE;
  if (!gpm_identity_is_same(&a->header, &b->header)) return GPM_IDENTITY_OTHER;
  return a->checksum == b->checksum ? GPM_IDENTITY_SAME_CAPTURE : GPM_IDENTITY_SAME_PROCESS;
}

bool gpm_identity_are_two(const struct gpm_reader *reader, const struct gpm_reader *base,
                          bool named, const char *command) {
  if (gpm_identity_compare(reader, base) != GPM_IDENTITY_SAME_CAPTURE) return true;
  char *name = gpm_text_clean(base->path), *other = gpm_text_clean(reader->path);
  if (!named && are_one_file(reader, base))
    gpm_host_say(reader->host,
                 "%s is itself the newest capture of this folder, and does not differ from itself; "
                 "name the capture of the other run: gpumemprof %s CAPTURE --against %s",
                 name, command, name);
  else if (are_one_file(reader, base))
    gpm_host_say(reader->host,
                 "%s does not differ from itself; --against wants the capture of another run",
                 name);
  else
    gpm_host_say(reader->host,
                 "%s and %s are captures of the same process at the same moment and do not differ; "
                 "--against wants the capture of another run",
                 other, name);
  free(name);
  free(other);
  return false;
}
