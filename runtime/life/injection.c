/* injection.c - recording of programs that were not rebuilt.
 *
 * CUDA loads the library that CUDA_INJECTION64_PATH names, in each process in which it starts, and
 * calls InitializeInjection, before the first call of the program returns. `gpumemprof run` sets
 * that variable. Then CUPTI reports the calls (cupti.c), and the machine stack says who made them
 * (native_scopes.c). If objects of the process were rebuilt, recording has begun before, with the
 * options as the user gave them, and nothing is to be done here.
 */
#include "base/compiler.h"
#include "base/state.h"
#include "life/one_runtime.h"
#include "options/options.h"
#include "threads/threads.h"

#include <errno.h>

GPM_EXPORT int InitializeInjection(void);

/* Returns 1, as CUDA expects it of a tool that is ready. */
int InitializeInjection(void) {
  int saved = errno;
  bool first = atomic_load(&gpm_own.state) == GPM_UNSTARTED && gpm_one_runtime_is_only();
  if (first) {
    gpm_options_record_all_code();
    gpm_thread_self(); /* starts recording, and CUPTI */
  }
  errno = saved;
  return 1;
}
