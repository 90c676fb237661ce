/* injection.c - recording of code that was not rebuilt.
 *
 * CUDA loads the library that CUDA_INJECTION64_PATH names, in each process in which it starts, and
 * calls InitializeInjection, before the first call of the program returns. `gpumemprof run` sets
 * that variable. Then CUPTI reports the calls that no thunk makes (cupti.c), and the machine stack
 * says who made them (native_scopes.c), unless the user's options say otherwise.
 *
 * Kokkos loads the library that KOKKOS_TOOLS_LIBS names, and calls kokkosp_init_library, when it
 * has started CUDA. Where no code was rebuilt and CUDA did not load the runtime, nothing would be
 * recorded, so what the program allocates from then on is recorded in the same way.
 */
#include "base/compiler.h"
#include "base/loaded.h"
#include "base/state.h"
#include "base/stay.h"
#include "foreign/cupti.h"
#include "foreign/native.h"
#include "life/one_runtime.h"
#include "options/options.h"
#include "records/modules.h"
#include "threads/threads.h"

#include <errno.h>
#include <stdint.h>

GPM_EXPORT int InitializeInjection(void);
__attribute__((weak, visibility("default"))) void
kokkosp_init_library(int turn, uint64_t version, uint32_t count, void *devices);

static void record_all_code(void) {
  /* A program that names its scopes itself, such as one in Python, wants no others. */
  bool functions = atomic_load(&gpm_own.state) == GPM_UNSTARTED || gpm_modules_any();
  gpm_options_record_all_code(functions);
  if (gpm_thread_self()) { /* recording starts with it, if it has not begun */
    gpm_native_begin();
    gpm_cupti_start();
  }
}

/* Returns 1, as CUDA expects it of a tool that is ready. */
int InitializeInjection(void) {
  int saved = errno;
  if (gpm_one_runtime_is_only()) record_all_code();
  errno = saved;
  return 1;
}

/* A program with rebuilt code records that; the rest of it is for those who ask for cupti=on. Nor
 * is there anything to record for a Kokkos that uses no CUDA. */
void kokkosp_init_library(int turn, uint64_t version, uint32_t count, void *devices) {
  (void)turn, (void)version, (void)count, (void)devices;
  int saved = errno;
  bool recorded = gpm_modules_any() || atomic_load(&gpm_own.state) == GPM_RECORDING;
  bool has_cuda = gpm_loaded_functions("libcuda.so.1", NULL, NULL, 0);
  if (!recorded && has_cuda && gpm_one_runtime_is_only()) record_all_code();
  gpm_stay(); /* Kokkos calls into the runtime from now on */
  errno = saved;
}
