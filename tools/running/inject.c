/* inject.c - see inject.h.
 *
 * CUDA loads the library of CUDA_INJECTION64_PATH in each process that uses it. Prebuilt libraries
 * tell their NVTX ranges only the tool of NVTX_INJECTION64_PATH. A value of the user stays. A
 * program with the runtime linked in as an archive gets neither, because a second runtime in one
 * process cannot record.
 */
#include "running/inject.h"

#include "support/install.h"
#include "support/memory.h"
#include "support/program.h"

#include <stdlib.h>
#include <string.h>

static const char runtime[] = "libgpumemprof.so";

static void offer_file(const char *variable) {
  char *file = gpm_install_library("libgpumemprof.so");
  if (gpm_install_has(file)) setenv(variable, file, 0);
  free(file);
}

void gpm_inject_offer(const char *path) {
  struct gpm_program program = gpm_program_inspect(path);
  const char *preloaded = getenv("LD_PRELOAD");
  bool loaded = program.needs_runtime || (preloaded && strstr(preloaded, runtime));
  if (!loaded && program.instrumented) return;
  static const char *const variables[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (loaded) setenv(variables[i], runtime, 0); /* stands for the file that it has loaded */
    else offer_file(variables[i]);
}

bool gpm_inject_is_taken(void) {
  const char *value = getenv("CUDA_INJECTION64_PATH");
  return value && !strstr(value, runtime);
}
