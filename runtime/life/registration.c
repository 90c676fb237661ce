/* registration.c - an object that the plugin compiled is loaded, or is closed.
 *
 * The object's constructor and destructor call here. Before an object is unmapped, each room that
 * has addresses of the object forgets what it stores under them.
 */
#include "base/compiler.h"
#include "base/loaded.h"
#include "base/signals.h"
#include "base/state.h"
#include "core/operands.h"
#include "core/shadow_stack.h"
#include "cuda/driver.h"
#include "pages/pages.h"
#include "records/assumptions.h"
#include "records/call_tree.h"
#include "records/modules.h"
#include "uses/uses.h"

#include <signal.h>
#include <stddef.h>

GPM_EXPORT void __gpumemprof_abi_v5(struct gpumemprof_module *module) {
  bool recording = gpm_recording(); /* the first start finds an empty list */
  sigset_t held;
  gpm_signals_hold(&held);
  gpm_modules_add(module);
  if (recording) gpm_modules_record(module);
  gpm_signals_let_come(&held);
  if (module->size >= offsetof(struct gpumemprof_module, nvtx) + sizeof module->nvtx)
    __gpumemprof_nvtx(module->nvtx);
  if (gpm_recording()) gpm_driver_stay(); /* a library that loaded the driver may unload it */
}

/* Forgets what frames, records and tables have stored under addresses of the object. */
static void forget_object(const struct gpumemprof_module *module) {
  struct gpm_loaded gone;
  if (!gpm_loaded_at(module, &gone)) { /* a test's module, which owns only its sites */
    gone.begin = (uintptr_t)module->sites_begin;
    gone.end = (uintptr_t)module->sites_end;
  }
  gpm_thread_leave((const void *)gone.begin, (const void *)gone.end);
  gpm_tree_forget((const void *)gone.begin, (const void *)gone.end);
  gpm_operands_forget((const void *)gone.begin, (const void *)gone.end);
  gpm_assumptions_forget((const void *)gone.begin, (const void *)gone.end);
  gpm_pages_forget();
  gpm_uses_forget((const void *)gone.begin, (const void *)gone.end);
}

GPM_EXPORT void __gpumemprof_unregister(struct gpumemprof_module *module) {
  sigset_t held;
  gpm_signals_hold(&held);
  if (gpm_recording()) forget_object(module); /* before its sites are removed */
  gpm_modules_remove(module);
  gpm_signals_let_come(&held);
}
