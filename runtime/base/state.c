/* state.c - the page that says whether this process records (state.h).
 *
 * It is a page of its own so that the kernel can clear it in a child for which no handler of fork
 * was called: process.c requests that (MADV_WIPEONFORK).
 */
#include "base/state.h"

struct gpm_own gpm_own __attribute__((aligned(sizeof gpm_own)));
_Atomic bool gpm_exiting;

/* A child goes on with its parent's number, because what threads remember is there, too. */
static _Atomic unsigned latest_generation;

void gpm_own_next_generation(void) {
  atomic_store(&gpm_own.generation, atomic_fetch_add(&latest_generation, 1) + 1);
}
