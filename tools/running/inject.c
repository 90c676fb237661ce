/* inject.c - see inject.h.
 *
 * CUDA loads the library of CUDA_INJECTION64_PATH in each process that uses it. Prebuilt libraries
 * tell their NVTX ranges only the tool of NVTX_INJECTION64_PATH. Kokkos loads the library that
 * KOKKOS_TOOLS_LIBS names when it is initialized; other programs do not read that variable. A value
 * of the user stays. A program with the runtime linked in as an archive gets none of them, because
 * a second runtime in one process cannot record.
 */
#include "running/inject.h"

#include "support/install.h"
#include "support/memory.h"
#include "support/program.h"

#include <stdlib.h>
#include <string.h>

static const char runtime[] = "libgpumemprof.so";

static void offer_file(const char *variable) {
  char *file = gpm_install_library(runtime);
  if (gpm_install_has(file)) setenv(variable, file, 0);
  free(file);
}

/* The name by which a program has loaded a runtime: of the library that it links, or as LD_PRELOAD
 * has it. Null if there is neither. The dynamic linker finds a loaded library by such a name. */
static char *loaded_name(const struct gpm_program *program) {
  if (*program->runtime) return gpm_memory_format("%s", program->runtime);
  const char *preloaded = getenv("LD_PRELOAD");
  const char *name = preloaded ? strstr(preloaded, runtime) : NULL;
  if (!name) return NULL;
  static const char between[] = " :";
  const char *end = name + strcspn(name, between);
  while (name > preloaded && !strchr(between, name[-1])) name--;
  return gpm_memory_format("%.*s", (int)(end - name), name);
}

void gpm_inject_offer(const char *path) {
  struct gpm_program program = gpm_program_inspect(path);
  char *loaded = loaded_name(&program);
  static const char *const variables[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
                                          "KOKKOS_TOOLS_LIBS"};
  /* Kokkos ends the program if both its variables are set, and not to the same. */
  size_t count = getenv("KOKKOS_PROFILE_LIBRARY") ? 2 : 3;
  for (size_t i = 0; i < count; i++)
    if (loaded) setenv(variables[i], loaded, 0);
    else if (!program.instrumented) offer_file(variables[i]);
  free(loaded);
}

bool gpm_inject_is_taken(void) {
  const char *value = getenv("CUDA_INJECTION64_PATH");
  return value && !strstr(value, runtime);
}
