/* dump.c - a copy of the capture as it is at a moment, as a file of its own that all commands read:
 * gpumemprof_dump, and triggers.c.
 *
 * Events go on meanwhile. The copy has the original's layout: each chunk has the same offset. A
 * record that refers to others is copied before these, in the order in which the tools read the
 * file of a running program (tools/capture/reader_chunks.c), and records appended meanwhile are
 * left out, so that every id in the copy has its record. The tools complete its sums like those of
 * a running program. Its checksums are computed over what was written. The file is written without
 * a name, or under a temporary name beside its place, and gets its name when it is complete, so a
 * file that has the name is a complete copy.
 */
#include "control/dump.h"
#include "base/compiler.h"
#include "base/private_files.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "base/ticks.h"
#include "base/two_words.h"
#include "capture/capture.h"
#include "capture/capture_file.h"
#include "capture/replace.h"
#include "control/baseline.h"
#include "core/ended_frames.h"
#include "options/options.h"

#include "gpumemprof/capture_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

/* Small enough for the stack of any thread. */
#define PIECE sizeof(struct gpumemprof_capture_header)

static _Atomic uint32_t dump_number, dump_count; /* of dumps whose name is chosen here */

struct copying {
  int fd;
  _Alignas(16) char piece[PIECE];
  uint64_t end;                     /* of the part of the original that was read so far */
  uint64_t not_full;                /* one bit per type: its records ended in an earlier chunk */
  uint64_t figures, events, summed; /* sums (capture_checksum.h), and bytes of events */
  bool by_helper;
};

/* ---- chunks -------------------------------------------------------------------------------------
 */

/* A type that is not named here, such as one newer than this list, is copied first. */
static const uint8_t copied_last[] = {
    GPUMEMPROF_CHUNK_UNACCOUNTED,  GPUMEMPROF_CHUNK_SAMPLES,     GPUMEMPROF_CHUNK_POOLS,
    GPUMEMPROF_CHUNK_PAIRS,        GPUMEMPROF_CHUNK_ACTIVATIONS, GPUMEMPROF_CHUNK_MAXIMA,
    GPUMEMPROF_CHUNK_CUSTOM_POOLS, GPUMEMPROF_CHUNK_CELLS,       GPUMEMPROF_CHUNK_STREAMS,
    GPUMEMPROF_CHUNK_DEVICES,      GPUMEMPROF_CHUNK_NODES,       GPUMEMPROF_CHUNK_SITES,
    GPUMEMPROF_CHUNK_LINES,        GPUMEMPROF_CHUNK_MODULES,     GPUMEMPROF_CHUNK_NATIVE_MODULES,
    GPUMEMPROF_CHUNK_STRINGS};
enum { TURNS = sizeof copied_last + 1 };

static unsigned turn_of(uint32_t type) {
  for (unsigned i = 0; i < sizeof copied_last; i++)
    if (copied_last[i] == type) return i + 1;
  return 0;
}

/* Copies memory that other threads may be changing; two words that change in one store are copied
 * in one load. */
__attribute__((no_sanitize("thread"))) static void copy_words(char *to, const char *from,
                                                              size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(gpm_two))
    *(gpm_two *)(void *)(to + i) = gpm_two_load(from + i);
}

/* *checksum: the seed, and afterwards the checksum of these bytes. */
static int copy_bytes(struct copying *c, const void *from, uint64_t bytes, uint64_t to,
                      uint64_t *checksum) {
  struct gpumemprof_checksum sum;
  int error = 0;
  size_t rest = 0, blocks = 0;
  gpumemprof_checksum_begin(&sum, *checksum);
  for (uint64_t done = 0; done < bytes && !error; done += PIECE) {
    size_t size = bytes - done < PIECE ? (size_t)(bytes - done) : PIECE;
    copy_words(c->piece, (const char *)from + done, (size + 15) & ~(size_t)15);
    rest = size % GPUMEMPROF_CHECKSUM_BLOCK;
    blocks = size - rest;
    gpumemprof_checksum_blocks(&sum, c->piece, blocks);
    error = gpm_private_files_write(c->fd, c->piece, size, to + done);
  }
  *checksum = gpumemprof_checksum_end(&sum, c->piece + blocks, rest);
  return error;
}

static void add_checksum(struct copying *c, const struct gpumemprof_chunk *head, uint64_t payload) {
  bool is_events = head->type == GPUMEMPROF_CHUNK_EVENTS;
  if (is_events && (c->summed += head->used) > GPUMEMPROF_CAPTURE_EVENTS_SUMMED) return;
  *(is_events ? &c->events : &c->figures) += gpumemprof_checksum(head, sizeof *head, payload);
}

static uint64_t sequence_of(const struct gpumemprof_chunk *chunk) {
  const struct gpumemprof_capture_events *events = (const void *)(chunk + 1);
  return __atomic_load_n(&events->sequence, __ATOMIC_ACQUIRE);
}

static int copy_chunk(struct copying *c, const struct gpumemprof_chunk *chunk, uint64_t at,
                      bool empty) {
  struct gpumemprof_chunk head = {.type = chunk->type,
                                  .record_size = chunk->record_size,
                                  .size = chunk->size,
                                  .owner = __atomic_load_n(&chunk->owner, __ATOMIC_RELAXED)};
  uint64_t type = (uint64_t)1 << (head.type & 63), payload = head.size - sizeof head;
  bool is_events = head.type == GPUMEMPROF_CHUNK_EVENTS;
  bool shrinks = head.type == GPUMEMPROF_CHUNK_ACTIVATIONS || head.type == GPUMEMPROF_CHUNK_MAXIMA;
  uint64_t sequence = is_events ? sequence_of(chunk) : 0;
  if (!empty && !(c->not_full & type)) head.used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
  if (!is_events && !shrinks && payload - head.used >= head.record_size) c->not_full |= type;
  uint64_t checksum = at;
  int error = copy_bytes(c, chunk + 1, head.used, at + sizeof head, &checksum);
  if (is_events && sequence_of(chunk) != sequence) { /* the ring reused it */
    head.used = 0;
    checksum = gpumemprof_checksum(NULL, 0, at);
  }
  add_checksum(c, &head, checksum);
  return error ? error : gpm_private_files_write(c->fd, &head, sizeof head, at);
}

/* Copies all chunks of the turn's types, and chunks of earlier turns' types that were added
 * since. */
static int copy_turn(struct copying *c, unsigned turn) {
  uint64_t before = c->end, at = gpm_capture->header_size, here = at;
  c->end = gpm_capture_used();
  for (const struct gpumemprof_chunk *one; (one = gpm_capture_next(&at, c->end)); here = at) {
    unsigned own = turn_of(one->type);
    int error = 0;
    if (own == turn) error = copy_chunk(c, one, here, false);
    else if (own < turn && here >= before) error = copy_chunk(c, one, here, true);
    if (!error && c->by_helper && atomic_load(&gpm_exiting)) error = ECANCELED;
    if (error) return error;
  }
  return 0;
}

static int copy_header(struct copying *c, uint64_t clock, const char *reason) {
  struct gpumemprof_capture_header *h = (void *)c->piece;
  copy_words(c->piece, (const char *)gpm_capture, sizeof *h);
  h->flags |= GPUMEMPROF_CAPTURE_DUMP;
  h->used = c->end;
  if (!(h->flags & (GPUMEMPROF_CAPTURE_COMPLETE | GPUMEMPROF_CAPTURE_STOPPED))) {
    h->last_ns = gpm_ticks_monotonic_ns();
    h->last_ticks = gpm_ticks();
  }
  h->dump_clock = clock;
  gpm_text_add(h->dump_reason, sizeof h->dump_reason, 0, reason);
  c->figures += gpumemprof_checksum_header(h);
  h->figures_checksum = gpumemprof_checksum_written(c->figures);
  h->events_checksum =
      c->summed > GPUMEMPROF_CAPTURE_EVENTS_SUMMED ? 0 : gpumemprof_checksum_written(c->events);
  if (gpm_capture_file_beyond_limit(c->end)) return EFBIG;
  if (gpm_syscall(SYS_ftruncate, c->fd, c->end)) return errno;
  return gpm_private_files_write(c->fd, h, sizeof *h, 0);
}

static int copy_once(struct copying *c, const char *reason) {
  c->end = c->not_full = 0;
  c->figures = c->events = c->summed = 0;
  uint64_t clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  int error = gpm_capture_file_beyond_limit(gpm_capture_used()) ? EFBIG : 0;
  for (unsigned turn = 0; turn < TURNS && !error; turn++) error = copy_turn(c, turn);
  return error ? error : copy_header(c, clock, reason);
}

/* A reset during the copy would mix figures from before and after it, so the copy is repeated
 * then. */
static int copy_all(struct copying *c, const char *reason) {
  for (int attempt = 0;; attempt++) {
    uint64_t before = gpm_baseline_number();
    int error = copy_once(c, reason);
    if (error || attempt == 9 || (gpm_baseline_number() == before && !(before & 1))) return error;
    gpm_yield();
  }
}

/* ---- files --------------------------------------------------------------------------------------
 */

/* Opens a file without a name, which disappears if this process is killed. */
static int open_nameless(const char *path) {
  char folder[GPM_PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  memcpy(folder, path, length);
  gpm_text_add(folder, sizeof folder, length, ".");
  if (!gpm_is_there("/proc/thread-self/fd")) return -ENOENT; /* the file could not get a name */
  return gpm_private_files_open(folder, O_TMPFILE | O_WRONLY, 0644);
}

/* Where files without a name are not supported, opens PATH.PID.TASK.tmp, which is locked while it
 * is written (replace.c). */
static int open_beside(const char *path, char *beside, size_t size) {
  int error = gpm_replace_beside(path, beside, size);
  int fd = error ? -error : gpm_private_files_open(beside, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (fd >= 0) gpm_syscall(SYS_flock, fd, LOCK_EX | LOCK_NB);
  else beside[0] = 0;
  return fd;
}

static int write_copy(const char *path, struct copying *c, const char *reason) {
  char beside[GPM_PATH_MAX] = "";
  int error = *path ? gpm_replace_check(path) : ENOENT;
  if (error) return error;
  c->fd = open_nameless(path);
  if (c->fd < 0) c->fd = open_beside(path, beside, sizeof beside);
  if (c->fd < 0) return -c->fd;
  error = copy_all(c, reason);
  if (!error && *beside) error = gpm_replace_put(beside, path);
  else if (*beside) gpm_unlink(beside);
  else if (!error) error = gpm_replace_link(c->fd, path);
  int closed = -gpm_private_files_close(c->fd);
  return error || closed == EINTR ? error : closed;
}

struct dump {
  const char *path, *reason;
  bool by_helper;
  int error;
};

static void write_dump(void *argument) {
  struct dump *d = argument;
  struct copying c = {.fd = -1, .by_helper = d->by_helper};
  d->error = write_copy(d->path, &c, d->reason);
}

/* NAME.gmprof > NAME.dump1.gmprof, or NAME > NAME.dump1.gmprof. */
static void next_name(char *path, size_t size) {
  size_t n = gpm_text_add(path, size, 0, gpm_capture_path());
  if (n > 7 && !strcmp(path + n - 7, ".gmprof")) n -= 7;
  n = gpm_text_add(path, size, n, ".dump");
  n = gpm_text_add_number(path, size, n, atomic_fetch_add(&dump_number, 1) + 1);
  gpm_text_add(path, size, n, ".gmprof");
}

int gpm_dump(const char *path, const char *reason, bool by_helper) {
  static _Atomic int latest_error;
  char name[GPM_PATH_MAX], text[512];
  int saved = errno, cancelling;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
  if (!path) next_name(name, sizeof name);
  gpm_threads_count_ended();
  struct dump d = {.path = path ? path : name, .reason = reason, .by_helper = by_helper};
  int error = gpm_private_files_run(write_dump, &d);
  if (!error) error = d.error;
  if (error && error != atomic_load(&latest_error) && error != ECANCELED) {
    gpm_capture_file_explain(text, sizeof text, "write", path ? path : name, error);
    gpm_text_say(text, "; this dump is not made", NULL);
  }
  if (!path && !error) atomic_fetch_add(&dump_count, 1);
  atomic_store(&latest_error, error);
  pthread_setcancelstate(cancelling, NULL);
  errno = saved;
  return error;
}

uint32_t gpm_dump_count(void) {
  return atomic_load(&dump_count);
}

void gpm_dump_forked(void) {
  atomic_store(&dump_number, 0);
  atomic_store(&dump_count, 0);
}

GPM_EXPORT int __gpumemprof_dump(const char *path) {
  gpm_recording(); /* starts the runtime if this is the first call */
  return gpm_capture ? gpm_system_result(gpm_dump(path, "gpumemprof_dump", false))
                     : GPUMEMPROF_ERROR_OFF;
}
