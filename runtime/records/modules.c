/* modules.c - the instrumented objects of the process.
 *
 * registration.c adds an object when its constructor runs, and removes it when the object is
 * closed. Until then its table of sites can be read, under the lock of this file: whether an
 * address is one of its sites, and which function has a linkage name.
 */
#include "records/modules.h"
#include "base/lock.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "records/assumptions.h"
#include "records/call_tree.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct gpm_lock modules_lock = GPM_LOCK(modules); /* protects the list */
static struct gpumemprof_module *modules;                /* linked through runtime_data */
static struct gpm_table module_table;
static struct known { /* objects that the capture lists */
  struct gpumemprof_capture_module *record;
  struct known *next;
} *known_modules;
static _Atomic bool ending;

/* The record of an object, found by its content, so that an object that is loaded repeatedly has
 * one record. */
static struct gpumemprof_capture_module *
find_record(const struct gpumemprof_capture_module *content) {
  for (struct known *k = known_modules; k; k = k->next)
    if (k->record->path == content->path && k->record->sites == content->sites &&
        k->record->plugin_version == content->plugin_version)
      return k->record;
  struct known *new = gpm_memory_get(sizeof *new);
  if (!new || !(new->record = gpm_table_next(&module_table))) return NULL;
  new->next = known_modules;
  known_modules = new;
  *new->record = *content;
  gpm_table_publish(&module_table);
  return new->record;
}

void gpm_modules_record(const struct gpumemprof_module *module) {
  Dl_info info = {0};
  gpm_lock_take(&modules_lock);
  gpm_assumptions_compare(module, modules);
  gpm_lock_release(&modules_lock);
  gpm_assumptions_resolve(); /* without the lock, because it asks the loader */
  dladdr(module, &info);
  gpm_lock_take(&gpm_tree_lock); /* for strings and known_modules */
  struct gpumemprof_capture_module content = {
      .path = gpm_strings_intern(info.dli_fname),
      .plugin_version = gpm_strings_intern(module->plugin_version),
      .address = (uintptr_t)module->sites_begin,
      .sites = (uint64_t)(module->sites_end - module->sites_begin)};
  struct gpumemprof_capture_module *r = find_record(&content);
  if (r) r->address = content.address;
  gpm_lock_release(&gpm_tree_lock);
}

void gpm_modules_record_all(void) {
  module_table = (struct gpm_table){GPUMEMPROF_CHUNK_MODULES,
                                    sizeof(struct gpumemprof_capture_module), 0, 0, NULL};
  known_modules = NULL;
  for (struct gpumemprof_module *m = modules; m; m = m->runtime_data) gpm_modules_record(m);
}

void gpm_modules_forked(void) {
  atomic_store(&modules_lock.held, 0);
}

/* exit() has begun: objects that end from now on stay mapped, and calls in them may still be under
 * way. */
static void end_begins(void) {
  atomic_store(&ending, true);
}

void gpm_modules_start(void) {
  atexit(end_begins);
}

/* Under the lock. */
static bool is_in_a_table(const void *site) {
  uintptr_t at = (uintptr_t)site;
  for (const struct gpumemprof_module *m = modules; m; m = m->runtime_data) {
    uintptr_t begin = (uintptr_t)m->sites_begin, end = (uintptr_t)m->sites_end;
    if (at >= begin && at < end) return (at - begin) % sizeof(struct gpumemprof_site) == 0;
  }
  return false;
}

bool gpm_modules_hold(const void *site) {
  gpm_lock_take(&modules_lock);
  bool found = is_in_a_table(site);
  gpm_lock_release(&modules_lock);
  return found;
}

/* The object that holds the site, or null. Under the lock. */
static const struct gpumemprof_module *module_of(const struct gpumemprof_site *site) {
  const struct gpumemprof_module *m = modules;
  while (m && (site < m->sites_begin || site >= m->sites_end)) m = m->runtime_data;
  return m;
}

bool gpm_modules_assume(const void *site, uint32_t name) {
  gpm_lock_take(&modules_lock);
  const struct gpumemprof_module *m = module_of(site);
  bool assumes = m && gpm_assumptions_of(m, name);
  gpm_lock_release(&modules_lock);
  return assumes;
}

bool gpm_modules_any(void) {
  gpm_lock_take(&modules_lock);
  bool any = modules;
  gpm_lock_release(&modules_lock);
  return any;
}

bool gpm_modules_have_site(const void *site) {
  gpm_lock_take(&modules_lock);
  bool found = !modules || atomic_load(&ending) || is_in_a_table(site);
  gpm_lock_release(&modules_lock);
  return found;
}

const struct gpumemprof_site *gpm_modules_find_function(const struct gpumemprof_site *call,
                                                        const char *linkage_name) {
  const struct gpumemprof_site *found = NULL;
  gpm_lock_take(&modules_lock);
  const struct gpumemprof_module *m = module_of(call);
  for (const struct gpumemprof_site *s = m ? m->sites_begin : NULL; m && s < m->sites_end; s++)
    if (s->kind == GPUMEMPROF_SITE_FUNCTION && s->link &&
        !strcmp((const char *)&s->link + s->link, linkage_name)) {
      found = s;
      break;
    }
  gpm_lock_release(&modules_lock);
  return found;
}

/* Objects of older plugins have no kernels. */
static bool lists_kernels(const struct gpumemprof_module *m) {
  return m->size >= offsetof(struct gpumemprof_module, kernels_end) + sizeof m->kernels_end;
}

const struct gpumemprof_kernel *gpm_modules_find_kernel(const void *function) {
  const struct gpumemprof_kernel *found = NULL;
  gpm_lock_take(&modules_lock);
  for (const struct gpumemprof_module *m = modules; m && !found; m = m->runtime_data)
    for (const struct gpumemprof_kernel *k = lists_kernels(m) ? m->kernels_begin : NULL;
         k && k < m->kernels_end && !found; k++)
      if (k->function == function) found = k;
  gpm_lock_release(&modules_lock);
  return found;
}

static const struct gpumemprof_module *module_in(uintptr_t begin, uintptr_t end) {
  const struct gpumemprof_module *m = modules;
  while (m && ((uintptr_t)m < begin || (uintptr_t)m >= end)) m = m->runtime_data;
  return m;
}

bool gpm_modules_are_in(uintptr_t begin, uintptr_t end) {
  gpm_lock_take(&modules_lock);
  bool found = module_in(begin, end) != NULL;
  gpm_lock_release(&modules_lock);
  return found;
}

bool gpm_modules_thunks(uintptr_t begin, uintptr_t end, struct gpm_code_range *thunks) {
  gpm_lock_take(&modules_lock);
  const struct gpumemprof_module *m = module_in(begin, end);
  bool known = m && m->size >= offsetof(struct gpumemprof_module, thunks_end) + sizeof(char *);
  if (known)
    *thunks = (struct gpm_code_range){(uintptr_t)m->thunks_begin, (uintptr_t)m->thunks_end};
  gpm_lock_release(&modules_lock);
  return known;
}

void gpm_modules_add(struct gpumemprof_module *module) {
  gpm_lock_take(&modules_lock);
  module->runtime_data = modules;
  modules = module;
  gpm_lock_release(&modules_lock);
}

void gpm_modules_remove(const struct gpumemprof_module *module) {
  gpm_lock_take(&modules_lock);
  struct gpumemprof_module **at = &modules;
  while (*at && *at != module) at = (struct gpumemprof_module **)&(*at)->runtime_data;
  if (*at) *at = module->runtime_data;
  gpm_lock_release(&modules_lock);
}
