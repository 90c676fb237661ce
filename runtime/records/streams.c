/* streams.c - the streams that memory was allocated for: a record for each device and handle.
 *
 * cells.c asks when it makes a cell, under gpm_tree_lock; an event only compares handles. The end
 * of a stream is not recorded: CUDA reuses its handle for a later stream, and both share one
 * record. The first STREAMS_MOST streams have records of their own, as programs have few at once;
 * all others of a device share one more record, "(other streams)".
 */
#include "records/streams.h"
#include "base/text.h"
#include "capture/capture.h"
#include "records/cells.h"
#include "records/devices.h"
#include "tables/map.h"

#define STREAMS_MOST (1u << 14)

static struct gpm_table stream_table;
static struct gpm_map stream_numbers; /* (device, handle) -> number of the record, from 1 */

void gpm_streams_start(void) {
  stream_table = (struct gpm_table){GPUMEMPROF_CHUNK_STREAMS,
                                    sizeof(struct gpumemprof_capture_stream), 0, 0, NULL};
  stream_numbers = (struct gpm_map){NULL, 0, 0};
}

bool gpm_streams_is_own(const void *stream) {
  return (uintptr_t)stream > 2 && (uintptr_t)stream != GPUMEMPROF_STREAM_OTHERS;
}

static uint32_t add_stream(const struct gpm_device *device, uint64_t handle, uint64_t key) {
  struct gpumemprof_capture_stream *record = gpm_table_next(&stream_table);
  if (!record || !gpm_map_put(&stream_numbers, key, (void *)(uintptr_t)(stream_table.count + 1)))
    return 0;
  *record = (struct gpumemprof_capture_stream){.handle = handle, .device = device->index};
  gpm_table_publish(&stream_table);
  return stream_table.count;
}

void gpm_streams_lumped(void) {
  static _Atomic bool said;
  gpm_capture_count(GPUMEMPROF_COUNTER_streams_lumped);
  if (!atomic_exchange(&said, true))
    gpm_text_say(
        "memory is allocated for more streams than gpumemprof distinguishes, 16384, or "
        "1024 with 131072 call paths for them: that of new ones is one line, (other streams), "
        "and totals stay exact; streams that are used again avoid that",
        NULL);
}

uint32_t gpm_streams_record(const struct gpm_device *device, const void **stream) {
  uint64_t handle = *stream ? (uintptr_t)*stream : 1; /* CU_STREAM_LEGACY */
  uint64_t key = handle ^ (uint64_t)device->index << 48;
  uintptr_t number = (uintptr_t)gpm_map_get(&stream_numbers, key);
  if (number) return (uint32_t)number;
  bool room = stream_table.count < STREAMS_MOST && gpm_cells_may_split(stream_table.count);
  if (room || !gpm_streams_is_own(*stream)) return add_stream(device, handle, key);
  *stream = (const void *)GPUMEMPROF_STREAM_OTHERS;
  return gpm_streams_record(device, stream);
}
