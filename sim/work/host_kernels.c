/* host_kernels.c - kernels and variables of the library that the option kernels= names
 * (gpumemprof_host_kernels.h). Without it, kernels compute nothing.
 */
#include "base/lock.h"
#include "base/options.h"
#include "work/work.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>

typedef int (*run_kernel)(const char *name, void **arguments, const unsigned grid[3],
                          const unsigned block[3]);

/* Ends the program if there is no such library, as a wrong option does. */
static void *library(void) {
  static void *handle;
  GPM_SIM_LOCKED;
  const char *file = gpm_sim_options()->kernels;
  if (handle || !*file) return handle;
  handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle && dlsym(handle, "gpumemprof_sim_kernel")) return handle;
  gpm_sim_say("GPUMEMPROF_SIM_OPTIONS: kernels=%s cannot be used: %s", file, dlerror());
  exit(2);
}

bool gpm_sim_host_kernel_run(const char *name, void **arguments, const unsigned grid[3],
                             const unsigned block[3]) {
  void *from = arguments ? library() : NULL;
  run_kernel run = from ? (run_kernel)dlsym(from, "gpumemprof_sim_kernel") : NULL;
  return run && run(name, arguments, grid, block);
}

bool gpm_sim_host_kernel_variable(const char *name, uint64_t *address, uint64_t *size) {
  void *from = library(), *at = from ? dlsym(from, name) : NULL;
  Dl_info where;
  const ElfW(Sym) *symbol = NULL;
  if (!at || !dladdr1(at, &where, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return false;
  GPM_SIM_LOCKED;
  *address = (uintptr_t)at;
  *size = symbol->st_size;
  if (gpm_sim_block_find(*address)) return true;
  struct gpm_sim_block *block = gpm_sim_block_add(*address, *size, GPM_SIM_REGISTERED_MEMORY);
  if (block) block->context = NULL; /* the library has it as long as the program runs */
  return block;
}
