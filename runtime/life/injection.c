/* injection.c - recording of code that was not rebuilt.
 *
 * CUDA loads the library that CUDA_INJECTION64_PATH names, in each process in which it starts, and
 * calls InitializeInjection, before the first call of the program returns. `gpumemprof run` sets
 * that variable. Then CUPTI reports the calls that no thunk makes (cupti.c), and the machine stack
 * says who made them (native_scopes.c), unless the user's options say otherwise.
 */
#include "base/compiler.h"
#include "base/state.h"
#include "foreign/cupti.h"
#include "foreign/native.h"
#include "life/one_runtime.h"
#include "options/options.h"
#include "records/modules.h"
#include "threads/threads.h"

#include <errno.h>

GPM_EXPORT int InitializeInjection(void);

/* Returns 1, as CUDA expects it of a tool that is ready. */
int InitializeInjection(void) {
  int saved = errno;
  if (gpm_one_runtime_is_only()) {
    /* A program that names its scopes itself, such as one in Python, wants no others. */
    bool functions = atomic_load(&gpm_own.state) == GPM_UNSTARTED || gpm_modules_any();
    gpm_options_record_all_code(functions);
    if (gpm_thread_self()) { /* recording starts with it, if it has not begun */
      gpm_native_begin();
      gpm_cupti_start();
    }
  }
  errno = saved;
  return 1;
}
