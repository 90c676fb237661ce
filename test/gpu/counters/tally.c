/* tally.c - see tally.h. A walk keeps one running sum per (source, device, kind), and per device
 * the sum and peak of the memory on it, with and without what closed libraries took for themselves.
 */
#include "tally.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 64, DEVICES = 64, RESET = 2 };

struct operation {
  uint64_t time;
  uint64_t address;
  uint64_t bytes;
  uint64_t order;
  int device;
  uint8_t what; /* 0 allocation, 1 free, RESET */
  uint8_t kind;
  uint8_t source;
};

struct block {
  uint64_t address; /* 0: never used */
  uint64_t bytes;
  int device;
  uint8_t kind;
  uint8_t source;
  uint8_t live;
};

struct sum {
  uint64_t allocated;
  uint64_t allocations;
  uint64_t freed;
  uint64_t frees;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects operations and sources */
static struct operation *operations;
static size_t count;
static size_t room;
static char sources[SOURCES][256];
static unsigned source_count;

static const char *const kind_names[TALLY_KINDS] = {"device", "pool",   "managed", "pinned",
                                                    "array",  "static", "vmm",     "other"};

static uint8_t source_index(const char *source) {
  const char *slash = source ? strrchr(source, '/') : NULL;
  const char *base = slash ? slash + 1 : (source ? source : "");
  unsigned i;
  for (i = 0; i < source_count; i++)
    if (!strncmp(sources[i], base, sizeof sources[i] - 1)) return (uint8_t)i;
  if (source_count == SOURCES) return SOURCES - 1;
  snprintf(sources[source_count], sizeof sources[0], "%s", base);
  return (uint8_t)source_count++;
}

static void append(struct operation op, const char *source) {
  pthread_mutex_lock(&lock);
  if (count == room) {
    size_t wanted = room ? room * 2 : 1024;
    struct operation *more = realloc(operations, wanted * sizeof *more);
    if (!more) {
      fprintf(stderr, "tally: out of memory\n");
      abort();
    }
    operations = more;
    room = wanted;
  }
  op.source = source_index(source);
  op.order = count;
  operations[count++] = op;
  pthread_mutex_unlock(&lock);
}

void tally_add(int is_free, enum tally_kind kind, int device, uint64_t address, uint64_t bytes,
               const char *source, uint64_t time) {
  append((struct operation){.time = time,
                            .address = address,
                            .bytes = bytes,
                            .device = device,
                            .what = is_free ? 1 : 0,
                            .kind = (uint8_t)kind},
         source);
}

void tally_reset(int device, uint64_t time) {
  append((struct operation){.time = time, .device = device, .what = RESET}, NULL);
}

static int by_time(const void *a, const void *b) {
  const struct operation *x = a;
  const struct operation *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Closed libraries bring a CUDA runtime of their own: no instrumented code sees their calls. */
static int is_closed_library(const char *source) {
  static const char *const names[] = {"libcublas", "libcusparse", "libcudnn",  "libnccl",
                                      "libcufft",  "libcusolver", "libcurand", "libnvJitLink"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(source, names[i], strlen(names[i]))) return 1;
  return 0;
}

struct walk {
  struct block *blocks;
  size_t mask;
  struct sum sums[SOURCES][DEVICES][TALLY_KINDS];
  int64_t total[2][DEVICES + 1]; /* [0] all, [1] without closed libraries; last device: host */
  int64_t peak[2][DEVICES + 1];
  uint64_t unknown_frees;
  uint64_t size_mismatches; /* frees that named another size than their allocation */
  uint64_t replaced;        /* allocations at an address still live */
  uint64_t replaced_bytes;  /* what was there */
  uint64_t reset_bytes;     /* what device resets freed */
  uint64_t invalid_devices;
};

/* Linear probing; entries are never removed, only marked dead, and the table has twice the room. */
static struct block *find(struct walk *w, uint64_t address) {
  size_t i = (size_t)(address * 0x9e3779b97f4a7c15u >> 20) & w->mask;
  while (w->blocks[i].address && w->blocks[i].address != address) i = (i + 1) & w->mask;
  return &w->blocks[i];
}

static void move(struct walk *w, const struct block *b, int64_t delta) {
  int own;
  int device = b->kind == TALLY_PINNED ? DEVICES : b->device;
  for (own = 0; own < 2; own++) {
    if (own && is_closed_library(sources[b->source])) continue;
    w->total[own][device] += delta;
    if (w->total[own][device] > w->peak[own][device]) w->peak[own][device] = w->total[own][device];
  }
}

static void take(struct walk *w, struct block *b) {
  struct sum *s = &w->sums[b->source][b->device][b->kind];
  s->freed += b->bytes;
  s->frees++;
  b->live = 0;
  if (b->kind != TALLY_STATIC) move(w, b, -(int64_t)b->bytes);
}

static void step(struct walk *w, const struct operation *op) {
  struct block *b;
  size_t i;
  if (op->what == RESET) {
    for (i = 0; i <= w->mask; i++)
      if (w->blocks[i].live && w->blocks[i].device == op->device) {
        w->reset_bytes += w->blocks[i].bytes;
        take(w, &w->blocks[i]);
      }
    return;
  }
  b = find(w, op->address);
  if (op->what == 1) {
    if (!b->live) {
      w->unknown_frees++;
      return;
    }
    if (op->bytes && op->bytes != b->bytes) w->size_mismatches++;
    take(w, b);
    return;
  }
  if (op->device < 0 || op->device >= DEVICES) {
    w->invalid_devices++;
    return;
  }
  if (b->live) {
    w->replaced++;
    w->replaced_bytes += b->bytes;
    take(w, b);
  }
  *b = (struct block){.address = op->address,
                      .bytes = op->bytes,
                      .device = op->device,
                      .kind = op->kind,
                      .source = op->source,
                      .live = 1};
  w->sums[b->source][b->device][b->kind].allocated += b->bytes;
  w->sums[b->source][b->device][b->kind].allocations++;
  if (b->kind != TALLY_STATIC) move(w, b, (int64_t)b->bytes);
}

static void write_json(FILE *out, const char *counter, const struct walk *w, uint64_t lost) {
  const char *comma = "";
  unsigned s, d, k;
  fprintf(out, "{\"counter\":\"%s\",\"operations\":%zu,\"sums\":[", counter, count);
  for (s = 0; s < source_count; s++)
    for (d = 0; d < DEVICES; d++)
      for (k = 0; k < TALLY_KINDS; k++) {
        const struct sum *x = &w->sums[s][d][k];
        if (!x->allocations) continue;
        fprintf(out,
                "%s{\"source\":\"%s\",\"closed\":%s,\"device\":%u,\"kind\":\"%s\",\"allocated\":"
                "%" PRIu64 ",\"allocations\":%" PRIu64 ",\"freed\":%" PRIu64 ",\"frees\":%" PRIu64
                ",\"live\":%" PRId64 "}",
                comma, sources[s], is_closed_library(sources[s]) ? "true" : "false", d,
                kind_names[k], x->allocated, x->allocations, x->freed, x->frees,
                (int64_t)(x->allocated - x->freed));
        comma = ",";
      }
  fprintf(out, "],\"peaks\":[");
  comma = "";
  for (d = 0; d <= DEVICES; d++)
    if (w->peak[0][d] || w->total[0][d]) {
      fprintf(out,
              "%s{\"device\":%d,\"peak\":%" PRId64 ",\"live\":%" PRId64 ",\"program_peak\":%" PRId64
              ",\"program_live\":%" PRId64 "}",
              comma, d == DEVICES ? -1 : (int)d, w->peak[0][d], w->total[0][d], w->peak[1][d],
              w->total[1][d]);
      comma = ",";
    }
  fprintf(out,
          "],\"unknown_frees\":%" PRIu64 ",\"size_mismatches\":%" PRIu64 ",\"replaced\":%" PRIu64
          ",\"replaced_bytes\":%" PRIu64 ",\"reset_bytes\":%" PRIu64 ",\"invalid_devices\":%" PRIu64
          ",\"lost\":%" PRIu64 "}\n",
          w->unknown_frees, w->size_mismatches, w->replaced, w->replaced_bytes, w->reset_bytes,
          w->invalid_devices, lost);
}

void tally_print(const char *counter, const char *variable, uint64_t lost) {
  const char *path = getenv(variable);
  FILE *out = path && *path ? fopen(path, "w") : stderr;
  struct walk *w = calloc(1, sizeof *w);
  size_t size = 64;
  size_t i;
  pthread_mutex_lock(&lock);
  while (size < count * 2 + 2) size *= 2;
  if (w) w->blocks = calloc(size, sizeof *w->blocks);
  if (!out || !w || !w->blocks) {
    fprintf(stderr, "%s: cannot write the count to %s\n", counter, path ? path : "stderr");
    pthread_mutex_unlock(&lock);
    return;
  }
  w->mask = size - 1;
  qsort(operations, count, sizeof *operations, by_time);
  for (i = 0; i < count; i++) step(w, &operations[i]);
  write_json(out, counter, w, lost);
  if (out != stderr) fclose(out);
  free(w->blocks);
  free(w);
  pthread_mutex_unlock(&lock);
}
