/* kokkos.c - the runtime as a tool of Kokkos: names of views, regions and kernels.
 *
 * Kokkos loads the library that KOKKOS_TOOLS_LIBS names when it is initialized, and calls those of
 * the functions below that it finds there (kokkosp_init_library is in injection.c, because it may
 * start the recording). These declarations repeat Kokkos_Profiling_C_Interface.h of Kokkos 4, which
 * Kokkos keeps compatible. Regions and the kernels in them are labels, as NVTX ranges are. Kokkos
 * says the label of a view after it has allocated the memory, on the same thread and with nothing
 * in between; so the block is found by its address and gets its name then (named_blocks.c).
 *
 * Sections may overlap and belong to no thread, and events are moments, so neither are labels.
 * Nothing is to be done when a view is freed: its block has its name. All functions are weak,
 * because another tool of Kokkos may be linked into the program beside the archive.
 */
#include "base/compiler.h"
#include "base/state.h"
#include "core/ledger.h"
#include "records/blocks.h"
#include "records/labels.h"
#include "records/modules.h"
#include "threads/threads.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Regions, and what is under way in them: a pop without a push ends no kernel. */
enum { KOKKOS_REGIONS = GPM_LABELS_OF_KOKKOS, KOKKOS_KERNELS };
_Static_assert((unsigned)KOKKOS_KERNELS < GPM_LABEL_OWNERS, "both have labels");

/* Kokkos puts a header of its own before the data of a view. Since version 3.2 it says where the
 * header is, which is the block's address; before it said where the data is. */
#define VIEW_HEADER 128u

struct kokkos_space { /* Kokkos_Profiling_SpaceHandle */
  char name[64];
};
struct kokkos_settings { /* Kokkos_Tools_ToolSettings */
  bool fences;
  bool padding[255];
};

#define KOKKOS_TOOL __attribute__((weak, visibility("default")))
#define KOKKOS_KERNEL(kind)                                                                        \
  KOKKOS_TOOL void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *number);      \
  KOKKOS_TOOL void kokkosp_end_##kind(uint64_t number);                                            \
  void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *number) {                 \
    (void)device;                                                                                  \
    begin_kernel(name, number);                                                                    \
  }                                                                                                \
  void kokkosp_end_##kind(uint64_t number) {                                                       \
    (void)number;                                                                                  \
    kokkos_pop(KOKKOS_KERNELS);                                                                    \
  }

KOKKOS_TOOL void kokkosp_request_tool_settings(uint32_t count, struct kokkos_settings *settings);
KOKKOS_TOOL void kokkosp_push_profile_region(const char *name);
KOKKOS_TOOL void kokkosp_pop_profile_region(void);
KOKKOS_TOOL void kokkosp_allocate_data(struct kokkos_space where, const char *label,
                                       const void *pointer, uint64_t bytes);
KOKKOS_TOOL void kokkosp_begin_deep_copy(struct kokkos_space to_space, const char *to_label,
                                         const void *to, struct kokkos_space from_space,
                                         const char *from_label, const void *from, uint64_t bytes);
KOKKOS_TOOL void kokkosp_end_deep_copy(void);

/* Kokkos would wait for the device at each call below, if it were not told that nobody needs it. */
void kokkosp_request_tool_settings(uint32_t count, struct kokkos_settings *settings) {
  if (count && settings) settings->fences = false;
}

/* A range would start the recording, also in a program that uses no CUDA. In a forked child the
 * thread has its labels before that. */
static bool may_have_labels(void) {
  return gpm_thread_current || gpm_modules_any() || atomic_load(&gpm_own.state) != GPM_UNSTARTED;
}

static void kokkos_push(unsigned owner, const char *name) {
  if (may_have_labels()) (void)gpm_labels_range_push(owner, name);
}

static void kokkos_pop(unsigned owner) {
  if (may_have_labels()) (void)gpm_labels_range_pop(owner);
}

void kokkosp_push_profile_region(const char *name) {
  kokkos_push(KOKKOS_REGIONS, name);
}

void kokkosp_pop_profile_region(void) {
  kokkos_pop(KOKKOS_REGIONS);
}

static void begin_kernel(const char *name, uint64_t *number) {
  if (number) *number = 0;
  kokkos_push(KOKKOS_KERNELS, name);
}

KOKKOS_KERNEL(parallel_for)
KOKKOS_KERNEL(parallel_reduce)
KOKKOS_KERNEL(parallel_scan)

/* All copies have one name, because each pair of views would be a label of its own. */
void kokkosp_begin_deep_copy(struct kokkos_space to_space, const char *to_label, const void *to,
                             struct kokkos_space from_space, const char *from_label,
                             const void *from, uint64_t bytes) {
  (void)to_space, (void)to_label, (void)to, (void)from_space, (void)from_label, (void)from;
  (void)bytes;
  kokkos_push(KOKKOS_KERNELS, "deep_copy");
}

void kokkosp_end_deep_copy(void) {
  kokkos_pop(KOKKOS_KERNELS);
}

/* ---- views --------------------------------------------------------------------------------------
 */

/* Whether the block is the view's own: it may also be a pool that the view is a part of. */
static bool holds_view(uint64_t address, uint64_t bytes) {
  const struct gpm_block *block = gpm_blocks_find(address);
  return block && block->bytes >= bytes;
}

void kokkosp_allocate_data(struct kokkos_space where, const char *label, const void *pointer,
                           uint64_t bytes) {
  (void)where;
  int saved = errno;
  struct gpm_thread *thread = may_have_labels() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  uint64_t address = (uintptr_t)pointer;
  if (!holds_view(address, bytes)) address -= VIEW_HEADER;
  if (holds_view(address, bytes)) gpm_ledger_named(address, label && *label ? label : "(unnamed)");
  gpm_set_busy(thread, false);
  errno = saved;
}
