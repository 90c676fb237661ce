/* resident.c - the resident memory of the process (RSS), as the kernel reports it. snapshot.c and
 * monitor.c call it, in any thread. It reads the file of the calling thread, because the main
 * thread may have ended.
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
