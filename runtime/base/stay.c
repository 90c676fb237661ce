/* stay.c - the code of the runtime stays mapped, also where it is an archive in a library that the
 * program closes: CUPTI, NVTX and signal handlers hold pointers to functions of the runtime.
 */
#include "base/stay.h"
#include "base/state.h"

#include <dlfcn.h>
#include <errno.h>

void gpm_stay(void) {
  Dl_info info;
  int saved = errno;
  if (dladdr(&gpm_own, &info) && info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  errno = saved;
}
