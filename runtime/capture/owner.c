/* owner.c - which process a capture belongs to, and whether that process still writes it.
 *
 * replace.c asks before a file is replaced. A header identifies its process by host, boot, pid and
 * start time, because the pid alone may belong to another process by now.
 */
#include "capture/owner.h"
#include "base/system_calls.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

uint64_t gpm_owner_process_start(uint64_t pid) {
  char path[64], stat[1024];
  size_t n =
      gpm_text_add_number(path, sizeof path, gpm_text_add(path, sizeof path, 0, "/proc/"), pid);
  gpm_text_add(path, sizeof path, n, "/stat");
  gpm_text_read_file(path, stat, sizeof stat);
  const char *field = strrchr(stat, ')'); /* field 2 may hold anything */
  if (!field || !field[1] || field[2] == 'Z' || field[2] == 'X') return 0;
  for (int i = 0; field && i < 20; i++) field = strchr(field + 1, ' ');
  return field ? strtoull(field + 1, NULL, 10) : 0;
}

void gpm_owner_boot_id(char *text, size_t size) {
  gpm_text_read_file("/proc/sys/kernel/random/boot_id", text, size);
  text[strcspn(text, "\n")] = 0;
}

bool gpm_owner_in_use(const struct gpumemprof_capture_header *h) {
  if (h->flags & GPUMEMPROF_CAPTURE_DUMP) return false;
  char boot_id[sizeof h->boot_id] = "", host[sizeof h->host] = "";
  gpm_owner_boot_id(boot_id, sizeof boot_id);
  gpm_gethostname(host, sizeof host - 1);
  bool ended = h->flags & GPUMEMPROF_CAPTURE_COMPLETE;
  if (strncmp(h->host, host, sizeof host)) return !ended; /* it may run on that host */
  if (strncmp(h->boot_id, boot_id, sizeof boot_id)) return false;
  bool runs = h->pid_start && gpm_owner_process_start(h->pid) == h->pid_start;
  return runs && (!ended || h->pid == gpm_getpid());
}
