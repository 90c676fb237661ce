/* reader.c - opens a capture and judges its header.
 *
 * reader_file.c reads its bytes, reader_chunks.c finds the records in them, reader_checksum.c
 * verifies the checksums, and reader_check.c checks each record.
 */
#include "capture/reader.h"

#include "support/memory.h"
#include "support/text.h"

#include "gpumemprof/capture_checksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fail(char *error, size_t size, const char *path, const char *text) {
  snprintf(error, size, "%s %s", path, text);
  return false;
}

/* ---- the header --------------------------------------------------------------------------------
 */

static bool check_magic(const struct gpumemprof_capture_header *h, uint64_t size, const char *path,
                        char *error, size_t error_size) {
  size_t have = size < sizeof h->magic ? (size_t)size : sizeof h->magic;
  if (!memcmp(h->magic, GPUMEMPROF_CAPTURE_MAGIC, have)) return true;
  if (have > 6 && !memcmp(h->magic, GPUMEMPROF_CAPTURE_MAGIC, 6))
    return fail(error, error_size, path,
                "was changed by a copy in text mode (its line ends were converted); copy it again "
                "in binary mode");
  static const char zeros[sizeof h->magic];
  if (!memcmp(h->magic, zeros, have))
    return fail(
        error, error_size, path,
        "has no header yet: its program was just starting, or ended before it recorded anything");
  return fail(error, error_size, path, "is not a gpumemprof capture (they end in .gmprof)");
}

static bool check_header(struct gpm_reader *r, char *error, size_t error_size) {
  const struct gpumemprof_capture_header *h = &r->header;
  uint64_t size = r->file_size < sizeof *h ? r->file_size : sizeof *h;
  char text[384];
  if (!gpm_reader_file_get(r, 0, &r->header, size, error, error_size)) return false;
  if (!check_magic(h, r->file_size, r->path, error, error_size)) return false;
  r->checksum = gpumemprof_checksum_header(h);
  if (r->file_size < GPUMEMPROF_CAPTURE_HEADER_SIZE) {
    snprintf(text, sizeof text,
             "is truncated: it has %llu byte%s, its header alone takes %d; copy it again",
             (unsigned long long)r->file_size, gpm_text_s(r->file_size),
             GPUMEMPROF_CAPTURE_HEADER_SIZE);
    return fail(error, error_size, r->path, text);
  }
  if (h->byte_order == __builtin_bswap32(GPUMEMPROF_CAPTURE_BYTE_ORDER))
    return fail(
        error, error_size, r->path,
        "was written in the other byte order; read it on a machine like the one that wrote it");
  if (h->byte_order != GPUMEMPROF_CAPTURE_BYTE_ORDER)
    return fail(error, error_size, r->path,
                "is damaged: its byte order mark is wrong; record it again");
  if (h->major != GPUMEMPROF_CAPTURE_MAJOR) {
    snprintf(text, sizeof text, "has the %s format %u.%u, and this tool reads %d.x; %s",
             h->major > GPUMEMPROF_CAPTURE_MAJOR ? "newer" : "older", h->major, h->minor,
             GPUMEMPROF_CAPTURE_MAJOR,
             h->major > GPUMEMPROF_CAPTURE_MAJOR
                 ? "use the gpumemprof it was recorded with"
                 : "use the gpumemprof it was recorded with, or record it again");
    return fail(error, error_size, r->path, text);
  }
  if (h->header_size != GPUMEMPROF_CAPTURE_HEADER_SIZE)
    return fail(error, error_size, r->path,
                "is damaged: its header has a wrong size; record it again");
#define GPM_TERMINATE(field) r->header.field[sizeof r->header.field - 1] = 0
  GPM_TERMINATE(boot_id);
  GPM_TERMINATE(host);
  GPM_TERMINATE(runtime_version);
  GPM_TERMINATE(executable);
  GPM_TERMINATE(command_line);
  GPM_TERMINATE(directory);
  GPM_TERMINATE(stop_reason);
  GPM_TERMINATE(dump_reason);
#undef GPM_TERMINATE
  if (r->header.used < GPUMEMPROF_CAPTURE_HEADER_SIZE || r->header.used % 64)
    return fail(error, error_size, r->path,
                "is damaged: its header states an impossible size; record it again");
  if (r->header.used > r->file_size) {
    snprintf(text, sizeof text, "is truncated: it has %llu of %llu bytes; copy it again",
             (unsigned long long)r->file_size, (unsigned long long)r->header.used);
    return fail(error, error_size, r->path, text);
  }
  r->state = gpm_state_now(&r->header);
  /* A dump has some events that other threads made while it was written. */
  bool is_dump = r->header.flags & GPUMEMPROF_CAPTURE_DUMP;
  r->events_until = is_dump ? r->header.dump_clock : UINT64_MAX;
  return true;
}

/* ---- opening -----------------------------------------------------------------------------------
 */

/* The program reset its figures during the read, so those that were read mix two periods. */
static bool was_reset(struct gpm_reader *r, char *error, size_t error_size) {
  struct gpumemprof_capture_header now;
  if (gpm_reader_state(r) != GPM_STATE_RUNNING ||
      !gpm_reader_file_get(r, 0, &now, sizeof now, error, error_size))
    return false;
  return now.resets != r->header.resets || now.flags & GPUMEMPROF_CAPTURE_RESETTING;
}

static struct gpm_reader *read_capture(const char *path, struct gpm_host *host, bool *reset,
                                       char *error, size_t error_size) {
  struct gpm_reader *r = gpm_memory_array(1, sizeof *r);
  r->path = gpm_memory_text(path);
  r->host = host;
  bool ok = gpm_reader_file_open(r, error, error_size) && check_header(r, error, error_size) &&
            gpm_reader_find_records(r, error, error_size) &&
            gpm_reader_check_figures(r, error, error_size) &&
            gpm_reader_check(r, error, error_size);
  *reset = ok && was_reset(r, error, error_size);
  gpm_reader_file_close(r);
  bool ended = r->header.flags & GPUMEMPROF_CAPTURE_COMPLETE && !gpm_reader_is_midway(r) &&
               !(r->header.flags & GPUMEMPROF_CAPTURE_RESETTING);
  if (ok && (!ended || gpm_reader_went_on(r))) gpm_reader_settle(r, gpm_reader_is_midway(r));
  if (ok) return r;
  gpm_reader_close(r);
  return NULL;
}

struct gpm_reader *gpm_reader_open(const char *path, struct gpm_host *host, char *error,
                                   size_t error_size) {
  bool reset;
  struct gpm_reader *r = read_capture(path, host, &reset, error, error_size);
  for (int attempt = 1; r && reset && attempt < 20; attempt++) {
    gpm_reader_close(r);
    usleep(1000);
    r = read_capture(path, host, &reset, error, error_size);
  }
  return r;
}

void gpm_reader_close(struct gpm_reader *r) {
  struct gpm_records *all[] = {
      &r->strings,      &r->sites,        &r->lines,   &r->nodes,      &r->cells,
      &r->pairs,        &r->modules,      &r->pools,   &r->samples,    &r->native_modules,
      &r->unaccounted,  &r->custom_pools, &r->ooms,    &r->steps,      &r->marks,
      &r->violations,   &r->operands,     &r->streams, &r->uses,       &r->kernels,
      &r->kernel_words, &r->pages,        &r->names,   &r->name_texts, &r->named};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) gpm_reader_free_records(all[i]);
  if (r->split) r->free_split(r->split);
  if (r->made) gpm_reader_free_nodes(r->made);
  free(r->devices);
  free(r->device_order);
  free(r->device_at);
  free(r->open_chunks);
  free(r->events);
  free(r->activations);
  free(r->via);
  free(r->charged);
  free(r->callers);
  free(r->responsible);
  free(r->threads);
  free(r->maxima);
  free(r->device_maxima);
  free(r->path);
  free(r);
}

void gpm_reader_free_records(struct gpm_records *records) {
  for (size_t i = 0; i < records->span_count; i++)
    if (records->spans[i].records)
      free((void *)(uintptr_t)(records->spans[i].records - sizeof(struct gpumemprof_chunk)));
  free(records->spans);
}

void *gpm_reader_append(struct gpm_records *records, uint64_t count) {
  struct gpumemprof_chunk *chunk = gpm_memory_array(1, sizeof *chunk + count * records->size);
  records->spans =
      gpm_memory_resize(records->spans, records->span_count + 1, sizeof *records->spans);
  records->spans[records->span_count++] =
      (struct gpm_span){(const unsigned char *)(chunk + 1), records->count, count, 0};
  records->count += count;
  return chunk + 1;
}

const void *gpm_reader_record_of_spans(const struct gpm_records *records, uint64_t id) {
  size_t low = 0, high = records->span_count - 1; /* the last span that starts at or before id */
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (records->spans[middle].first <= id) low = middle;
    else high = middle - 1;
  }
  while (records->spans[low].first + records->spans[low].count <= id)
    low--; /* skips empty spans that follow it */
  return records->spans[low].records + (id - records->spans[low].first) * records->size;
}

const char *gpm_reader_string(const struct gpm_reader *reader, uint32_t offset) {
  return offset ? gpm_reader_record(&reader->strings, offset) : "";
}
