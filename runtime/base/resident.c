/* resident.c - how much memory the process has (RSS), as the kernel says it. snapshot.c and
 * monitor.c ask, which may be in any thread: the thread's own file is read, because main's thread
 * may have ended.
 */
#include "base/resident.h"
#include "base/system_calls.h"
#include "base/text.h"

#include <stdlib.h>

uint64_t gpm_resident_bytes(void) {
  char statm[256];
  gpm_text_read_file("/proc/thread-self/statm", statm, sizeof statm);
  char *rest;
  strtoull(statm, &rest, 10); /* pages of address space */
  return strtoull(rest, NULL, 10) * gpm_getauxval(AT_PAGESZ);
}
