/* add_chunks.h - adds chunks to the capture of a program that has ended. */
#ifndef GPM_TOOLS_ADD_CHUNKS_H
#define GPM_TOOLS_ADD_CHUNKS_H

#include "capture/reader.h"

struct gpm_new_chunk {
  enum gpumemprof_chunk_type type;
  uint32_t record_size;
  const void *records;
  uint64_t size; /* of the records, in bytes */
};

/* Adds them to the file that `as_read` was read from, which keeps its checksum, if it has one.
 * False, with the capture as it was: its process is still there, the file was changed since, or it
 * cannot be written. */
bool gpm_capture_add_chunks(const struct gpm_reader *as_read, const struct gpm_new_chunk *chunks,
                            size_t count);

#endif
