/* capture.c - the capture's chunks and record tables: an append-only arena over the mapped file.
 *
 * Every record the rest of the runtime keeps for reports is allocated here and then updated in
 * place: the file is the memory. capture_file.c maps and grows the file. A record becomes visible
 * to readers when its chunk's `used` covers it, a chunk when the header's `used` does (release
 * stores).
 */
#include "capture/capture.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture_file.h"

#include <errno.h>
#include <string.h>

#define CHUNK_SMALLEST 4096u
#define CHUNK_LARGEST (4u << 20)

struct gpumemprof_capture_header *gpm_capture;

static struct gpm_lock capture_lock =
    GPM_LOCK(capture); /* protects header->used and the growth of the file */

bool gpm_capture_open(const char *path, char *error, size_t error_size) {
  void *base = gpm_capture_file_open(path, error, error_size);
  if (!base) return false;
  struct gpumemprof_capture_header *header = base;
  header->byte_order = GPUMEMPROF_CAPTURE_BYTE_ORDER;
  header->major = GPUMEMPROF_CAPTURE_MAJOR;
  header->minor = GPUMEMPROF_CAPTURE_MINOR;
  header->header_size = GPUMEMPROF_CAPTURE_HEADER_SIZE;
  header->used = GPUMEMPROF_CAPTURE_HEADER_SIZE;
  gpm_capture = header;
  return true;
}

void gpm_capture_publish(void) {
  uint64_t magic;
  memcpy(&magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof magic);
  __atomic_store_n((uint64_t *)(void *)gpm_capture->magic, magic, __ATOMIC_RELEASE);
}

void gpm_capture_abandon(void) {
  gpm_capture_file_remove();
  gpm_capture = NULL;
}

void gpm_capture_complete(void) {
  /* history.c may set a flag as well */
  __atomic_fetch_or(&gpm_capture->flags, GPUMEMPROF_CAPTURE_COMPLETE, __ATOMIC_RELEASE);
}

void gpm_capture_close(void) {
  gpm_lock_take(&capture_lock);
  gpm_capture_file_finish(gpm_capture->used);
  gpm_lock_release(&capture_lock);
}

void gpm_capture_calibrate(void) {
  struct gpumemprof_capture_header *h = gpm_capture;
  __atomic_store_n(&h->last_ns, gpm_ticks_monotonic_ns(), __ATOMIC_RELAXED);
  __atomic_store_n(&h->last_ticks, gpm_ticks(), __ATOMIC_RELAXED);
}

double gpm_capture_tick_ns(void) {
  const struct gpumemprof_capture_header *h = gpm_capture;
  uint64_t ticks = gpm_ticks() - h->first_ticks, ns = gpm_ticks_monotonic_ns() - h->first_ns;
  return ticks ? (double)ns / (double)ticks : 0;
}

void gpm_capture_forget(bool inside) {
  atomic_store(&capture_lock.held, 0);
  gpm_capture_file_forget(inside);
  if (!inside) gpm_capture = NULL;
}

struct gpumemprof_chunk *gpm_capture_chunk(uint32_t type, uint32_t record_size, uint32_t owner,
                                           uint64_t bytes) {
  if (!gpm_capture) return NULL;
  uint64_t size = (sizeof(struct gpumemprof_chunk) + bytes + 63) & ~(uint64_t)63;
  struct gpumemprof_chunk *chunk = NULL;
  char error[256];
  int saved = errno;
  gpm_lock_take(&capture_lock);
  uint64_t used = gpm_capture->used;
  if (gpm_capture_file_reserve(used + size, error, sizeof error)) {
    chunk = (struct gpumemprof_chunk *)(void *)((char *)gpm_capture + used);
    GPM_ASSERT(gpm_lock_is_mine(&capture_lock) && !chunk->size && !chunk->used); /* fresh zeros */
    chunk->type = type;
    chunk->record_size = record_size;
    chunk->owner = owner;
    chunk->size = size;
    __atomic_store_n(&gpm_capture->used, used + size, __ATOMIC_RELEASE);
  }
  gpm_lock_release(&capture_lock);
  if (!chunk) gpm_process_stop(error);
  errno = saved;
  return chunk;
}

struct gpumemprof_chunk *gpm_capture_next(uint64_t *at, uint64_t end) {
  if (*at >= end) return NULL;
  struct gpumemprof_chunk *chunk = (struct gpumemprof_chunk *)(void *)((char *)gpm_capture + *at);
  *at += chunk->size;
  return chunk;
}

void *gpm_table_next(struct gpm_table *table) {
  struct gpumemprof_chunk *chunk = table->last;
  uint64_t room = chunk ? chunk->size - sizeof *chunk : 0;
  if (!chunk || chunk->used + table->record_size > room) {
    /* Each chunk is as large as all before it, so that large programs have few chunks and small
     * ones small files.
     */
    uint64_t bytes = (uint64_t)table->count * table->record_size;
    if (bytes < CHUNK_SMALLEST) bytes = CHUNK_SMALLEST;
    if (bytes > CHUNK_LARGEST) bytes = CHUNK_LARGEST;
    uint64_t records = bytes / table->record_size;
    if (!records) records = 1;
    uint64_t payload = records * table->record_size;
    chunk = gpm_capture_chunk(table->type, table->record_size, table->owner, payload);
    if (!chunk) return NULL;
    table->last = chunk;
  }
  GPM_ASSERT(chunk->used % table->record_size == 0 &&
             chunk->used + table->record_size <= chunk->size - sizeof *chunk);
  return (char *)(chunk + 1) + chunk->used;
}

void gpm_table_publish(struct gpm_table *table) {
  table->count++;
  __atomic_store_n(&table->last->used, table->last->used + table->record_size, __ATOMIC_RELEASE);
}
