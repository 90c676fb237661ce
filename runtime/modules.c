/* modules.c - the instrumented objects of the process, and the CUDA functions they link.
 *
 * Each object's constructor registers here. Its weak references to the program's CUDA functions
 * tell cuda_query.c whom to ask for the current device: with a static cudart no look-up by name
 * would find them.
 */
#include "runtime.h"

#include <dlfcn.h>

static struct gpm_lock modules_lock;      /* protects the list */
static struct gpumemprof_module *modules; /* linked through runtime_data */
static struct gpm_table module_table;
static void
    *_Atomic answers[GPUMEMPROF_QUERY_COUNT]; /* found so far; cleared when an object goes */
static _Atomic int asked[GPUMEMPROF_QUERY_COUNT];

static void record(const struct gpumemprof_module *module) {
  Dl_info info = {0};
  dladdr(module, &info);
  gpm_lock_take(&gpm_tree_lock); /* strings */
  struct gpumemprof_capture_module *r = gpm_table_next(&module_table);
  if (r) {
    r->path = gpm_strings_intern(info.dli_fname);
    r->plugin_version = gpm_strings_intern(module->plugin_version);
    r->address = (uintptr_t)module->sites_begin;
    r->sites = (uint64_t)(module->sites_end - module->sites_begin);
    gpm_table_publish(&module_table);
  }
  gpm_lock_release(&gpm_tree_lock);
}

void gpm_modules_record_all(void) {
  module_table = (struct gpm_table){GPUMEMPROF_CHUNK_MODULES,
                                    sizeof(struct gpumemprof_capture_module), 0, 0, NULL};
  for (struct gpumemprof_module *m = modules; m; m = m->runtime_data) record(m);
}

void gpm_modules_forked(void) {
  atomic_store(&modules_lock.held, 0);
}

GPM_EXPORT void __gpumemprof_abi_v1(struct gpumemprof_module *module) {
  bool recording = gpm_recording(); /* a first start finds an empty list */
  gpm_lock_take(&modules_lock);
  module->runtime_data = modules;
  modules = module;
  gpm_lock_release(&modules_lock);
  for (int i = 0; i < GPUMEMPROF_QUERY_COUNT; i++)
    if (!atomic_load(&answers[i])) atomic_store(&asked[i], 0); /* it may know more */
  if (recording) record(module);
}

GPM_EXPORT void __gpumemprof_unregister(struct gpumemprof_module *module) {
  gpm_lock_take(&modules_lock);
  struct gpumemprof_module **at = &modules;
  while (*at && *at != module) at = (struct gpumemprof_module **)&(*at)->runtime_data;
  if (*at) *at = module->runtime_data;
  for (int i = 0; i < GPUMEMPROF_QUERY_COUNT; i++) {
    atomic_store(&asked[i], 0);
    atomic_store(&answers[i], NULL);
  }
  gpm_lock_release(&modules_lock);
  if (gpm_recording()) gpm_tree_forget(module->sites_begin, module->sites_end);
}

static GPM_COLD void *search(enum gpumemprof_query query) {
  static const char *const names[] = {
#define GPUMEMPROF_QUERY(name, prototype) #name,
#include "gpumemprof/cuda_api.def"
  };
  void *found = NULL;
  gpm_lock_take(&modules_lock);
  for (struct gpumemprof_module *m = modules; m && !found; m = m->runtime_data)
    if (m->size >= sizeof *m) found = m->queries[query];
  gpm_lock_release(&modules_lock);
  if (!found) found = dlsym(RTLD_DEFAULT, names[query]);
  if (!found && names[query][2] != 'd') { /* cu..., not cuda...: the driver, if it is loaded */
    void *driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
    if (driver) {
      found = dlsym(driver, names[query]);
      dlclose(driver);
    }
  }
  if (found) atomic_store(&answers[query], found);
  atomic_store(&asked[query], 1);
  return found;
}

void *gpm_modules_query(enum gpumemprof_query query) {
  void *found = atomic_load_explicit(&answers[query], memory_order_relaxed);
  if (GPM_LIKELY(found != NULL)) return found;
  return atomic_load(&asked[query]) ? NULL : search(query);
}
