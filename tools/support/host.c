/* host.c - see host.h. */
#include "support/host.h"

#include "support/memory.h"

#include <stdlib.h>

void gpm_host_say(const struct gpm_host *host, const char *format, ...) {
  if (!host || !host->say) return;
  va_list list;
  va_start(list, format);
  char *sentence = gpm_memory_format_list(format, list);
  va_end(list);
  host->say(host->to, sentence);
  free(sentence);
}

void gpm_host_doing(const struct gpm_host *host, const char *what) {
  if (host && host->doing) host->doing(host->to, what);
}

void gpm_host_share(const struct gpm_host *host, uint64_t done, uint64_t of) {
  if (host && host->share) host->share(host->to, done, of);
}
