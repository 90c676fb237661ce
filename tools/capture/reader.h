/* reader.h - a capture file, read into memory and checked once.
 *
 * After gpm_reader_open succeeded, every id in the records is in range, every parent is smaller
 * than its child and every string ends in its chunk, so that no other code has to check. Nothing
 * changes afterwards, even if the program is still running: the figures are of the moment when they
 * were read.
 */
#ifndef GPM_TOOLS_READER_H
#define GPM_TOOLS_READER_H

#include "support/host.h"

#include "gpumemprof/capture.h"
#include "gpumemprof/hooks.h" /* for enum gpumemprof_site_kind and the GPUMEMPROF_SITE_ flags */

#include <stdbool.h>
#include <stddef.h>

/* Records of one chunk. */
struct gpm_span {
  const unsigned char *records; /* after their chunk's header, in memory that the reader owns */
  uint64_t first;               /* number of the first record */
  uint64_t count;
  uint64_t at; /* offset of the chunk in the file; 0: the reader made the records */
};

/* All records of one type, in the order of their numbers. */
struct gpm_records {
  struct gpm_span *spans;
  size_t span_count;
  uint64_t count;
  size_t size;   /* of one record */
  uint64_t room; /* bytes of the chunks, headers included */
};

enum gpm_state {
  GPM_STATE_COMPLETE, /* ended by returning from main or exit() */
  GPM_STATE_STOPPED,  /* recording stopped early */
  GPM_STATE_RUNNING,
  GPM_STATE_ENDED,     /* killed, _exit(), abort() */
  GPM_STATE_RESTARTED, /* ended in the same way, and the machine was restarted before or after */
  GPM_STATE_COPY,      /* a copy that was made while the program ran */
  GPM_STATE_ELSEWHERE  /* recorded on another host: may still run there */
};

/* Another call tree takes the place of the recorded one, which has machine functions (symbols/
 * native_sites.h). */
struct gpm_made_nodes {
  uint32_t *now;     /* by recorded node: the node that stands for it */
  uint8_t *left_out; /* by recorded node: it was a scope, which is not in the tree any more */
  uint32_t recorded; /* how many there were */
  uint8_t *inlined; /* by node: a scope of a function that was inlined wherever the node is: nothing
                       is known of its activations */
};

struct gpm_split;

struct gpm_reader {
  char *path;
  struct gpm_host *host; /* the host that the capture was opened for; may be null */
  int fd;                /* -1 once opened */
  bool ends_early;       /* the part that is shown (events/split.h) ends before the last event */
  enum gpm_state state;  /* the state just before the records were read */
  uint64_t file_size;
  uint64_t inode;
  uint64_t modified_ns;  /* when the file was changed last, as it was opened */
  uint64_t loaded, most; /* bytes of records read so far, and those the file can hold */
  uint64_t checksum;     /* capture_checksum.h: of the header and the chunks read so far */
  struct gpumemprof_capture_header header; /* a copy; its texts are terminated */
  struct gpm_records strings, sites, lines, nodes, cells, pairs, modules, pools, samples;
  struct gpm_records native_modules, unaccounted, custom_pools, ooms, steps, marks, violations;
  struct gpm_records operands, streams, uses, kernels, kernel_words, pages, names, name_texts;
  struct gpm_records named;
  struct gpumemprof_capture_device *devices;
  uint32_t device_count;
  uint32_t *device_order; /* record numbers: GPUs by ordinal, then the separate totals */
  struct gpumemprof_capture_activation *activations; /* thread by thread, outermost first */
  struct gpm_range *threads;
  uint32_t thread_count;
  struct gpumemprof_capture_maximum *maxima; /* device by device */
  struct gpm_range *device_maxima;           /* one per device */
  uint64_t *device_at; /* by device: where its record is in the file, for reader_refresh.c */
  struct gpm_open_chunk {
    uint64_t at, payload;
    uint32_t owner;
  } *open_chunks; /* those of ACTIVATIONS, thread by thread, for reader_refresh.c */
  size_t open_chunk_count;
  struct gpm_event_chunk {
    uint64_t at, sequence; /* capture_events.h; sequence 0: it had no events */
    uint64_t used;         /* what the program adds later is of another moment than the figures */
    uint32_t thread;
  } *events; /* those of EVENTS, for history.c */
  size_t event_chunks;
  bool events_checked;   /* by gpm_reader_check_events */
  uint64_t events_until; /* events of a later clock are not part of what was read */
  bool events_failed; /* they could not be read, and a message said so (events/walk.h, split.c) */
  bool is_of_events;  /* figures were made from the events (events/moment.h) */
  bool has_machine_scopes; /* a site has GPUMEMPROF_SITE_AT_ADDRESS */
  /* The first program or library whose functions are scopes and have no names, because the file
   * that ran is not there any more, and its build-id (symbols.c); null: none. Texts of the capture.
   */
  const char *nameless, *nameless_build;
  struct gpm_kept_names
      *kept; /* receives the names that are found (symbols/kept_names.h), or null */
  struct gpm_made_nodes *made; /* null: the call tree is the recorded one */
  uint64_t chunk_count, skipped_chunks;
  uint64_t under_way; /* events in progress when the program was killed or its capture was read */
  uint8_t *via;       /* by site: model/wrappers.h; null: no memory was moved */
  uint32_t *callers;  /* by node: model/wrappers.h; null: wrappers are shown */
  uint32_t *responsible; /* the same while wrappers are shown; null: nothing is in one */
  struct gpm_charged {
    uint32_t recorded, caller; /* nodes; caller 0: the cell was not moved */
  } *charged;                  /* by recorded cell; null as via */
  uint64_t charged_count;
  struct gpm_split *split; /* model/split_cells.h; null: cells are the recorded ones */
  void (*free_split)(struct gpm_split *split); /* set with it */
};
struct gpm_range {
  uint64_t begin, end;
  uint32_t owner; /* of threads: the number, as the owner of EVENTS */
};

/* Opens and checks a capture. Null on failure: `error` then holds one sentence that names the file.
 */
struct gpm_reader *gpm_reader_open(const char *path, struct gpm_host *host, char *error,
                                   size_t error_size);
void gpm_reader_close(struct gpm_reader *reader);
/* reader_refresh.c: reads the current figures of the same records: cells, pairs, lines, devices and
 * open scopes. Nodes and everything else stay unchanged. False: something other than figures has
 * changed or was added, or the program no longer runs; the capture has to be opened from the start,
 * and the figures of this reader may mix two moments. */
bool gpm_reader_refresh(struct gpm_reader *reader);

/* reader_nodes.c: takes over another call tree, and its nodes, and changes all records that refer
 * to recorded nodes. */
void gpm_reader_take_nodes(struct gpm_reader *reader, struct gpm_made_nodes *made,
                           struct gpm_records *nodes);
void gpm_reader_free_nodes(struct gpm_made_nodes *made);
/* The same for what reader_refresh.c has read again: cells or pairs, and all open scopes. */
void gpm_reader_renumber(const struct gpm_reader *reader, const struct gpm_records *of,
                         unsigned char *records, uint64_t count);
void gpm_reader_renumber_open(struct gpm_reader *reader);
/* How many nodes the capture itself has, and which node stands for one of them. */
static inline uint64_t gpm_reader_recorded_nodes(const struct gpm_reader *reader) {
  return reader->made ? reader->made->recorded : reader->nodes.count;
}
static inline uint32_t gpm_reader_node(const struct gpm_reader *reader, uint32_t recorded) {
  return reader->made && recorded < reader->made->recorded ? reader->made->now[recorded] : recorded;
}
static inline bool gpm_reader_left_out(const struct gpm_reader *reader, uint32_t recorded) {
  return reader->made && recorded < reader->made->recorded && reader->made->left_out[recorded];
}
/* CUDA itself has loaded the runtime, and no code of the program was rebuilt. */
static inline bool gpm_reader_has_nothing_rebuilt(const struct gpm_reader *reader) {
  return !reader->modules.count && reader->native_modules.count;
}
static inline bool gpm_reader_is_inlined(const struct gpm_reader *reader, uint32_t node) {
  return reader->made && reader->made->inlined[node];
}

void gpm_reader_free_records(struct gpm_records *records);
/* Appends zeroed records, for those that are derived from the recorded ones. */
void *gpm_reader_append(struct gpm_records *records, uint64_t count);
/* Record number `id` (has to be in range). Constant time for captures of few chunks. */
const void *gpm_reader_record_of_spans(const struct gpm_records *records, uint64_t id);
static inline const void *gpm_reader_record(const struct gpm_records *records, uint64_t id) {
  if (records->span_count != 1) return gpm_reader_record_of_spans(records, id);
  return records->spans[0].records + (id - records->spans[0].first) * records->size;
}
const char *gpm_reader_string(const struct gpm_reader *reader, uint32_t offset);
static inline const struct gpumemprof_capture_site *gpm_reader_site(const struct gpm_reader *r,
                                                                    uint32_t id) {
  return gpm_reader_record(&r->sites, id);
}

/* Events are missing from its history because the program switched it. */
static inline bool gpm_reader_has_part_of_history(const struct gpm_reader *reader) {
  return reader->header.flags & GPUMEMPROF_CAPTURE_HISTORY_PART;
}

/* The program ended by exit(), and threads or destructors went on after that: an event may be under
 * way, as in the capture of a program that was killed. Such an event removes the checksums. */
static inline bool gpm_reader_went_on(const struct gpm_reader *reader) {
  const struct gpumemprof_capture_header *h = &reader->header;
  return reader->state == GPM_STATE_COMPLETE && h->minor >= 6 && !h->figures_checksum &&
         h->counters[GPUMEMPROF_COUNTER_threads] > 1;
}
/* The program ended without returning from main or calling exit(). */
static inline bool gpm_state_is_cut(enum gpm_state state) {
  return state == GPM_STATE_ENDED || state == GPM_STATE_RESTARTED;
}
static inline enum gpm_state gpm_reader_state(const struct gpm_reader *reader) {
  return reader->state;
}
/* Its figures are of a moment before the program's end: it ran when it was read or copied, or they
 * are of a part of the run that ends before. */
static inline bool gpm_reader_is_midway(const struct gpm_reader *reader) {
  return reader->ends_early || reader->state == GPM_STATE_RUNNING ||
         reader->state == GPM_STATE_COPY;
}
/* Nanoseconds since the program's start of a tick count; 0 when the clock was not calibrated. */
uint64_t gpm_reader_time_ns(const struct gpm_reader *reader, uint64_t ticks);
uint64_t gpm_reader_duration_ns(const struct gpm_reader *reader, uint64_t ticks);

/* reader_file.c: the file's bytes. False (or null): `error` says what is wrong. */
bool gpm_reader_file_open(struct gpm_reader *reader, char *error, size_t error_size);
void gpm_reader_file_close(struct gpm_reader *reader);
/* When the open file was changed last; 0: that cannot be found out. */
uint64_t gpm_reader_file_modified_ns(const struct gpm_reader *reader);
bool gpm_reader_file_get(struct gpm_reader *reader, uint64_t at, void *to, uint64_t size,
                         char *error, size_t error_size);
/* The chunk at a byte, its header and `used` bytes of payload; to be freed. */
struct gpumemprof_chunk *gpm_reader_file_chunk(struct gpm_reader *reader, uint64_t at,
                                               uint64_t used, char *error, size_t error_size);

/* reader_checksum.c: adds a chunk of figures that was just read to the checksum. */
void gpm_reader_add_to_checksum(struct gpm_reader *reader, const struct gpumemprof_chunk *chunk,
                                uint64_t at, uint64_t used);
/* Whether the chunks that were read, or the events, are the bytes that the program wrote, as far as
 * the capture has a checksum. False: `error` says that it is damaged. The file has to be open. */
bool gpm_reader_check_figures(struct gpm_reader *reader, char *error, size_t error_size);
bool gpm_reader_check_events(struct gpm_reader *reader, char *error, size_t error_size);

/* reader_chunks.c: fills the records of each type. False: `error` says what is wrong. */
bool gpm_reader_find_records(struct gpm_reader *reader, char *error, size_t error_size);
/* reader_check.c: every record, once. False: `error` says what is wrong. */
bool gpm_reader_check(struct gpm_reader *reader, char *error, size_t error_size);

/* settle.c: completes the events that were in progress. */
void gpm_reader_settle(struct gpm_reader *reader, bool running);

/* state.c: whether the process of the capture is still there, on this machine. */
bool gpm_state_is_alive(const struct gpumemprof_capture_header *header);
/* What has become of the program by now. */
enum gpm_state gpm_state_now(const struct gpumemprof_capture_header *header);
/* The same in words for people: "the capture is complete", "still running", ... */
const char *gpm_state_text(enum gpm_state state);
/* "complete", "running", ...: the names in JSON. */
const char *gpm_state_name(enum gpm_state state);
/* state.c: the path of the newest *.gmprof of a folder, of those that are no copies if it has any;
 * null if there is none. To be freed. */
char *gpm_reader_newest(const char *folder);

/* Visits records in the order of their numbers:
 *   struct gpm_cursor at = {.records = &reader->cells};
 *   for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) ... at.number ...
 */
struct gpm_cursor {
  const struct gpm_records *records;
  size_t span;
  uint64_t in_span;
  uint64_t number;
};
static inline const void *gpm_cursor_next(struct gpm_cursor *c) {
  while (c->span < c->records->span_count && c->in_span == c->records->spans[c->span].count) {
    c->span++;
    c->in_span = 0;
  }
  if (c->span == c->records->span_count) return NULL;
  const struct gpm_span *span = &c->records->spans[c->span];
  c->number = span->first + c->in_span;
  return span->records + c->in_span++ * c->records->size;
}

#endif
