/* other_uses.c - operations that are neither launches nor copies, what becomes a node of a graph,
 * and calls of libraries.
 *
 * Compiled code calls __gpumemprof_use_library before a function of a library that is closed
 * (kernels.h), with the pointers that it passes.
 */
#include "base/compiler.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "options/options.h"
#include "uses/copies.h"
#include "uses/uses.h"

#include "gpumemprof/library_calls.h"

#include <sys/uio.h>

/* Values of a call, or addresses, in one event. Records have a fixed number of them. */
#define LISTED 8u

static void record_list(enum gpumemprof_use what, const struct gpumemprof_site *site,
                        uint32_t count, const uint64_t *value) {
  uint32_t done = 0;
  do {
    uint64_t list[LISTED] = {0};
    for (uint32_t i = 0; i < LISTED && done < count; i++) list[i] = value[done++];
    gpm_uses_record(what, site, NULL, LISTED, list);
  } while (done < count);
}

void gpm_uses_addresses(const struct gpumemprof_site *site, uint32_t count, const uint64_t *value) {
  if (count) record_list(GPUMEMPROF_USE_ADDRESSES, site, count, value);
}

/* Of calls in cuda_api.def, which are followed without uses, too. */
static void record_followed(enum gpumemprof_use what) {
  if (gpm_options.uses) gpm_uses_record(what, NULL, NULL, 0, NULL);
}

void gpm_uses_capture_begins(void) {
  record_followed(GPUMEMPROF_USE_CAPTURE_BEGINS);
}

void gpm_uses_capture_ends(void) {
  record_followed(GPUMEMPROF_USE_CAPTURE_ENDS);
}

void gpm_uses_node_added(void) {
  record_followed(GPUMEMPROF_USE_ANY);
}

void gpm_uses_any(const struct gpumemprof_site *site, gpm_stream stream) {
  if (!gpm_uses_captured(stream)) gpm_uses_record(GPUMEMPROF_USE_ANY, site, stream, 0, NULL);
}

void gpm_uses_stream_ends(const struct gpumemprof_site *site, gpm_stream stream) {
  gpm_uses_record(GPUMEMPROF_USE_STREAM_ENDS, site, stream, 0, NULL);
}

void gpm_uses_address(const struct gpumemprof_site *site, const void *address) {
  gpm_uses_addresses(site, 1, (const uint64_t[]){(uintptr_t)address});
}

void gpm_uses_shared(const struct gpumemprof_site *site, const void *address) {
  gpm_uses_record(GPUMEMPROF_USE_SHARED, site, NULL, 1, (const uint64_t[]){(uintptr_t)address});
}

/* ---- libraries ---------------------------------------------------------------------------------
 */

/* The word at an address of the host; 0 if there is none. */
static uint64_t word_at(const void *address) {
  uint64_t word = 0;
  struct iovec here = {&word, sizeof word}, there = {(void *)(uintptr_t)address, sizeof word};
  long done = gpm_syscall(SYS_process_vm_readv, gpm_getpid(), &here, 1, &there, 1, 0);
  return done == (long)sizeof word ? word : 0;
}

GPM_EXPORT void __gpumemprof_use_library(const struct gpumemprof_site *site, uint32_t how,
                                         uint32_t count, const uint64_t *pointer) {
  switch (how) {
  case GPUMEMPROF_LIBRARY_CALL:
    return record_list(GPUMEMPROF_USE_LIBRARY_CALL, site, count, pointer);
  case GPUMEMPROF_LIBRARY_ARGUMENTS:
    return record_list(GPUMEMPROF_USE_LIBRARY_ARGUMENTS, site, count, pointer);
  case GPUMEMPROF_LIBRARY_KEEPS:
    return record_list(GPUMEMPROF_USE_LIBRARY, site, count, pointer);
  case GPUMEMPROF_LIBRARY_POINTS_TO: {
    uint64_t word[LISTED];
    uint32_t read = 0;
    for (uint32_t i = 0; i < count && read < LISTED; i++)
      word[read++] = word_at((const void *)(uintptr_t)pointer[i]);
    return record_list(GPUMEMPROF_USE_LIBRARY, site, read, word);
  }
  default:
    gpm_uses_record(GPUMEMPROF_USE_ANY, site, NULL, 0, NULL);
  }
}
