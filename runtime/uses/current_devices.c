/* current_devices.c - which devices the program makes current (GPUMEMPROF_USE_CURRENT_DEVICE). The
 * default stream is one of each device, so uses of two such streams look alike where several
 * devices were current.
 */
#include "options/options.h"
#include "threads/threads.h"
#include "uses/unseen.h"
#include "uses/uses.h"

#define MOST_CURRENT 64u

static _Atomic uint64_t
    current_device[MOST_CURRENT]; /* one more than each that is recorded; 0: none */

void gpm_uses_current_devices_start(void) {
  for (unsigned i = 0; i < MOST_CURRENT; i++) atomic_store(&current_device[i], 0);
}

/* Whether it is new. */
static bool is_new_device(uint64_t which) {
  for (unsigned i = 0; i < MOST_CURRENT; i++) {
    uint64_t known = 0;
    if (atomic_load_explicit(&current_device[i], memory_order_relaxed) == which + 1) return false;
    if (atomic_compare_exchange_strong(&current_device[i], &known, which + 1)) return true;
    if (known == which + 1) return false;
  }
  return false;
}

static void record_device(uint64_t which) {
  if (is_new_device(which))
    gpm_uses_add_known(
        &(struct gpm_known_use){.what = GPUMEMPROF_USE_CURRENT_DEVICE, .number = which});
}

void gpm_uses_current_device(uint64_t which) {
  if (atomic_load_explicit(&current_device[0], memory_order_relaxed) == which + 1) return;
  struct gpm_thread *thread = gpm_options.uses && gpm_recording() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  if (gpm_unseen_has_checked() && !atomic_load(&current_device[0])) record_device(0);
  record_device(which);
  gpm_end(thread);
}
