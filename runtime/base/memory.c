/* memory.c - private memory of the runtime.
 *
 * Every other file gets its working memory here. It comes straight from mmap, because the program's
 * malloc may be interposed, instrumented or locked when a hook runs. Only whole mappings are freed;
 * all other memory is kept until the process ends. When there is no memory, recording stops,
 * because tables that cannot grow would lose events silently.
 *
 * Memory that grows but must not move (the capture, the shadow stacks) lies far below all other
 * mappings. The kernel chooses new addresses next to existing mappings, downwards or upwards
 * (ulimit -s unlimited), so that the addresses behind this memory stay free without being reserved.
 * Reserved memory would count in programs that limit their address space or lock their memory:
 * docs/decisions/10-address-space.md.
 */
#include "base/memory.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/system_calls.h"
#include "base/taps.h"

#include <errno.h>
#include <string.h>

#define GPM_MEMORY_STEP ((size_t)256 << 10)

static struct gpm_lock memory_lock = GPM_LOCK(memory);
static char *memory_next; /* under memory_lock */
static size_t memory_left;

void *gpm_memory_try(size_t bytes) {
  int saved = errno;
  void *p = gpm_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = saved;
  return p != MAP_FAILED ? p : NULL;
}

static int flags_of(int fd) {
  return (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_NORESERVE;
}

bool gpm_memory_behind(void *at, size_t bytes, int fd, uint64_t offset) {
  void *p =
      gpm_mmap(at, bytes, PROT_READ | PROT_WRITE, flags_of(fd) | MAP_FIXED_NOREPLACE, fd, offset);
  if (p == at) return true;
  if (p != MAP_FAILED) gpm_munmap(p, bytes); /* before Linux 4.17 the address is only a hint */
  if (p != MAP_FAILED || errno == EEXIST) errno = EADDRINUSE;
  return false;
}

/* ThreadSanitizer expects no memory of the program much further below. */
#define TSAN_BELOW ((uint64_t)256 << 30)
#pragma weak __tsan_init
void __tsan_init(void);

void *gpm_memory_map_below(size_t bytes, uint64_t distance, int fd) {
  while (__tsan_init && distance > TSAN_BELOW) distance /= 8;
  char *near = gpm_mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags_of(fd), fd, 0);
  if (near == MAP_FAILED) return near;
  for (; distance >= bytes; distance /= 8) {
    if (distance >= (uintptr_t)near) continue;
    if (!gpm_memory_behind(near - distance, bytes, fd, 0)) continue;
    gpm_munmap(near, bytes);
    return near - distance;
  }
  return near;
}

void *gpm_memory_map(size_t bytes) {
  void *p = gpm_memory_try(bytes);
  if (!p) gpm_process_stop("there is no memory for the profiler's tables");
  return p;
}

void gpm_memory_unmap(void *p, size_t bytes) {
  int saved = errno;
  if (p) gpm_munmap(p, bytes);
  errno = saved;
}

void *gpm_memory_larger(void *array, size_t used, size_t held, size_t bytes) {
  void *larger = gpm_memory_map(bytes);
  if (!larger) return NULL;
  if (used) memcpy(larger, array, used);
  gpm_memory_unmap(array, held);
  return larger;
}

void gpm_memory_forked(bool inside) {
  atomic_store(&memory_lock.held, 0);
  if (!inside) memory_left = 0; /* another thread of the parent may have been between two stores */
}

void *gpm_memory_get(size_t bytes) {
  bytes = (bytes + 63) & ~(size_t)63;
  if (bytes > GPM_MEMORY_STEP / 4) return gpm_memory_map(bytes);
  void *result = NULL;
  gpm_lock_take(&memory_lock);
  if (memory_left < bytes) {
    char *step = gpm_memory_map(GPM_MEMORY_STEP);
    if (step) {
      memory_next = step;
      memory_left = GPM_MEMORY_STEP;
    }
  }
  GPM_ASSERT(gpm_lock_is_mine(&memory_lock));
  if (memory_left >= bytes) {
    result = memory_next;
    memory_next += bytes;
    memory_left -= bytes;
  }
  gpm_lock_release(&memory_lock);
  return result;
}
