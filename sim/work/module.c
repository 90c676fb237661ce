/* module.c - modules and libraries. Images are not read, so a kernel or variable exists as soon as
 * the program asks for it by name. Only the image has a variable's size; here it is GLOBAL_SIZE,
 * the largest size of a constant. Of the program's own device code only what the host's kernels
 * have exists (host_kernels.c).
 */
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"
#include "work/work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GLOBAL_SIZE 65536
#define FILE_NOT_FOUND 301
#define NOT_FOUND 500

struct gpm_sim_global {
  struct gpm_sim_global *next;
  uint64_t address;
  char name[];
};

static void release(void *object) {
  struct gpm_sim_module *module = object;
  while (module->functions) {
    struct gpm_sim_function *function = module->functions;
    module->functions = function->next;
    gpm_sim_object_destroy(function);
  }
  while (module->globals) {
    struct gpm_sim_global *global = module->globals;
    module->globals = global->next;
    struct gpm_sim_block *block = gpm_sim_block_find(global->address);
    if (block && block->range.start == global->address) gpm_sim_block_release(block);
    free(global);
  }
}

struct gpm_sim_module *gpm_sim_module_create(void) {
  struct gpm_sim_module *module =
      gpm_sim_object_create(GPM_SIM_MODULE, sizeof *module, gpm_sim_context_current());
  if (module) module->object.release = release;
  return module;
}

struct gpm_sim_module *gpm_sim_module_of_program(void) {
  static struct gpm_sim_module *module;
  GPM_SIM_LOCKED;
  if (!module) module = gpm_sim_object_create(GPM_SIM_MODULE, sizeof *module, NULL);
  if (module) module->of_program = true;
  return module;
}

int gpm_sim_module_open(const char *file, struct gpm_sim_module **module) {
  if (!file || access(file, R_OK)) return FILE_NOT_FOUND;
  *module = gpm_sim_module_create();
  return *module ? GPM_SIM_OK : GPM_SIM_OUT_OF_MEMORY;
}

struct gpm_sim_function *gpm_sim_module_function(struct gpm_sim_module *module, const char *name) {
  GPM_SIM_LOCKED;
  for (struct gpm_sim_function *f = module->functions; f; f = f->next)
    if (!strcmp(f->name, name)) return f;
  struct gpm_sim_function *function = gpm_sim_function_create(name, module);
  if (!function) return NULL;
  function->next = module->functions;
  module->functions = function;
  return function;
}

int gpm_sim_module_global(struct gpm_sim_module *module, const char *name, uint64_t *address,
                          uint64_t *size) {
  if (module->of_program)
    return gpm_sim_host_kernel_variable(name, address, size) ? GPM_SIM_OK : NOT_FOUND;
  GPM_SIM_LOCKED;
  *size = GLOBAL_SIZE;
  for (struct gpm_sim_global *g = module->globals; g; g = g->next)
    if (!strcmp(g->name, name)) {
      *address = g->address;
      return GPM_SIM_OK;
    }
  struct gpm_sim_global *global = calloc(1, sizeof *global + strlen(name) + 1);
  if (!global) return GPM_SIM_OUT_OF_MEMORY;
  int error = gpm_sim_block_allocate(GPM_SIM_STATIC_MEMORY, GLOBAL_SIZE, 0, &global->address);
  if (error) {
    free(global);
    return error;
  }
  strcpy(global->name, name);
  global->next = module->globals;
  module->globals = global;
  *address = global->address;
  return GPM_SIM_OK;
}
