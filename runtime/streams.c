/* streams.c - the streams that memory was allocated for: a record for each device and handle.
 *
 * call_tree.c asks when it makes a cell, under its lock; events compare handles alone. That a
 * stream was destroyed is not followed: CUDA gives its handle to a later one, and both are one
 * record.
 */
#include "call_tree.h"
#include "ledger.h"

static struct gpm_table stream_table;
static struct gpm_map stream_numbers; /* (device, handle) -> number of the record, from 1 */

void gpm_streams_start(void) {
  stream_table = (struct gpm_table){GPUMEMPROF_CHUNK_STREAMS,
                                    sizeof(struct gpumemprof_capture_stream), 0, 0, NULL};
  stream_numbers = (struct gpm_map){NULL, 0, 0};
}

uint32_t gpm_streams_record(const struct gpm_device *device, const void *stream) {
  uint64_t handle = stream ? (uintptr_t)stream : 1; /* CU_STREAM_LEGACY */
  uint64_t key = handle ^ (uint64_t)device->index << 48;
  uintptr_t number = (uintptr_t)gpm_map_get(&stream_numbers, key);
  if (number) return (uint32_t)number;
  struct gpumemprof_capture_stream *record = gpm_table_next(&stream_table);
  if (!record || !gpm_map_put(&stream_numbers, key, (void *)(uintptr_t)(stream_table.count + 1)))
    return 0;
  *record = (struct gpumemprof_capture_stream){.handle = handle, .device = device->index};
  gpm_table_publish(&stream_table);
  return stream_table.count;
}
