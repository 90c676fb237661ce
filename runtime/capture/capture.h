/* capture.h - the file that all records are kept in, its chunks and record tables: see capture.c.
 */
#ifndef GPM_CAPTURE_H
#define GPM_CAPTURE_H

#include "base/compiler.h"
#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <stddef.h>

extern struct gpumemprof_capture_header *gpm_capture; /* null while there is none */
bool gpm_capture_open(const char *path, char *error, size_t error_size);
void gpm_capture_publish(void);  /* the header is complete, and readers may open the file */
void gpm_capture_abandon(void);  /* at start, when recording cannot begin; removes the file */
void gpm_capture_complete(void); /* the program has ended */
void gpm_capture_close(void);    /* after the seal; records stay mapped */
/* In a forked child: detaches from the parent's file. inside: the fork interrupted the runtime, and
 * the interrupted code may still write to these addresses. */
void gpm_capture_forget(bool inside);
const char *gpm_capture_path(void);
/* A new chunk with room for `bytes` of payload; null (and recording stopped) when there is no room.
 */
GPM_COLD struct gpumemprof_chunk *gpm_capture_chunk(uint32_t type, uint32_t record_size,
                                                    uint32_t owner, uint64_t bytes);
/* Visits the chunks up to `end`, an earlier value of gpm_capture->used: returns the chunk at *at
 * and advances *at, or returns null. */
struct gpumemprof_chunk *gpm_capture_next(uint64_t *at, uint64_t end);
static inline uint64_t gpm_capture_used(void) {
  return __atomic_load_n(&gpm_capture->used, __ATOMIC_ACQUIRE);
}
static inline void gpm_capture_count(enum gpumemprof_counter counter) {
  if (gpm_capture) __atomic_fetch_add(&gpm_capture->counters[counter], 1, __ATOMIC_RELAXED);
}

/* An append-only table of fixed-size records. Callers serialise appends per table. */
struct gpm_table {
  uint32_t type;
  uint32_t record_size;
  uint32_t owner;
  uint32_t count; /* records published */
  struct gpumemprof_chunk *last;
};
/* Room for the next record (zeroed, not yet visible to readers); its number is table->count. */
void *gpm_table_next(struct gpm_table *table);
void gpm_table_publish(struct gpm_table *table);
/* Brings the tick calibration of the header up to date. */
GPM_COLD void gpm_capture_calibrate(void);
double gpm_capture_tick_ns(void); /* nanoseconds of one tick, while recording */

#endif /* GPM_CAPTURE_H */
