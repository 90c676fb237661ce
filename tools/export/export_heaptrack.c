/* export_heaptrack.c - writes heaptrack's data file, version 3 of its format, as its interpreter
 * makes it: for heaptrack_print and heaptrack_gui from version 1.4 on.
 *
 *   v VERSION FORMAT     X COMMAND        I PAGE-SIZE PAGES, of the GPUs' memory
 *   s LENGTH TEXT        i FRAME MODULE FUNCTION FILE LINE
 *   t FRAME CALLER       a SIZE TRACE     an allocation as such: several may be of one
 *   c MILLISECONDS       + ALLOCATION     - ALLOCATION
 *
 * Numbers are hexadecimal. Texts, frames (i) and traces (t) count from 1, 0 is none; allocations
 * (a) count from 0. The viewers have one total, so it is of all GPUs together, or of the memory
 * that --device and --kind select, as in massif's format.
 */
#include "events/walk.h"
#include "export/clean_text.h"
#include "export/export.h"
#include "export/objects.h"
#include "support/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RECENT ((size_t)1 << 15)

struct heaptrack {
  const struct gpm_export *x;
  FILE *f;
  struct gpm_words texts;
  uint64_t *of_frame;         /* the number of a frame; 0: it has not been written yet */
  uint64_t *of_node;          /* the same for traces, by node */
  struct gpm_map by_caller;   /* the number of a trace by that of its caller, and its frame */
  struct gpm_map by_address;  /* the number of the allocation of the latest block there */
  struct recent {             /* some allocations: a table of all would grow with the events */
    uint64_t size, trace, id; /* trace 0: none */
  } *recent;
  uint64_t frames, traces, allocations, milliseconds;
};

/* ---- where ------------------------------------------------------------------------------------
 */

static uint64_t text(struct heaptrack *h, char *text) {
  bool fresh;
  if (!*text) {
    free(text);
    return 0;
  }
  uint64_t number = gpm_words_own(&h->texts, text, &fresh);
  if (fresh) fprintf(h->f, "s %zx %s\n", strlen(text), text);
  return number + 1;
}

static uint64_t frame(struct heaptrack *h, uint32_t frame) {
  const struct gpm_export *x = h->x;
  if (h->of_frame[frame]) return h->of_frame[frame];
  char *object = gpm_export_object(x, frame), *file = gpm_frames_file(x->frames, frame);
  if (!strcmp(file, object)) *file = 0; /* an address has its object in place of a file */
  uint64_t module = text(h, object), of = text(h, file);
  uint64_t function = text(h, gpm_frames_function(x->frames, frame));
  h->of_frame[frame] = ++h->frames;
  fprintf(h->f, "i %" PRIx64 " %" PRIx64 " %" PRIx64, h->frames, module, function);
  if (of) fprintf(h->f, " %" PRIx64 " %" PRIx32, of, gpm_frames_line(x->frames, frame));
  putc('\n', h->f);
  return h->frames;
}

static uint64_t trace(struct heaptrack *h, uint32_t node) {
  const struct gpm_frames *frames = h->x->frames;
  if (h->of_node[node]) return h->of_node[node];
  uint64_t caller = 0;
  for (uint32_t i = gpm_frames_path(h->x->frames, node); i-- > 0;) {
    uint64_t fresh = h->traces + 1, at = frame(h, frames->stack[i]);
    uint64_t number = *gpm_map_at(&h->by_caller, caller << 32 | at, fresh);
    if (number == fresh) fprintf(h->f, "t %" PRIx64 " %" PRIx64 "\n", at, caller);
    if (number == fresh) h->traces++;
    caller = number;
  }
  return h->of_node[node] = caller;
}

/* ---- what -------------------------------------------------------------------------------------
 */

/* heaptrack_gui wants allocations to be used for the first time in the order of their numbers, so
 * each is written right before that. After a free, heaptrack takes the next free of allocation 0
 * for that of a temporary block: it is of the first block alone. */
static uint64_t allocation(struct heaptrack *h, uint64_t size, uint64_t trace) {
  struct recent *r = &h->recent[gpm_map_mix(gpm_map_mix(size) ^ trace) % RECENT];
  if (r->trace == trace && r->size == size) return r->id;
  fprintf(h->f, "a %" PRIx64 " %" PRIx64 "\n", size, trace);
  uint64_t id = h->allocations++;
  if (id) *r = (struct recent){.size = size, .trace = trace, .id = id};
  return id;
}

/* Threads have clocks that differ a little, but heaptrack's time does not go back. */
static void write_time(struct heaptrack *h, uint64_t ns) {
  if (ns / 1000000 <= h->milliseconds) return;
  h->milliseconds = ns / 1000000;
  fprintf(h->f, "c %" PRIx64 "\n", h->milliseconds);
}

static bool write_step(void *self, const struct gpm_step *s) {
  struct heaptrack *h = self;
  const struct gpm_profile *p = h->x->profile;
  const struct gpm_walk_block *b = s->block;
  if (!b || (p->all_cells_shown && h->x->reader->devices[b->device].ordinal < 0)) return true;
  write_time(h, s->time_ns);
  if (s->event.kind == GPM_EVENT_ALLOCATED) {
    uint64_t id = allocation(h, b->bytes, trace(h, p->cell_node[b->cell]));
    *gpm_map_at(&h->by_address, b->unique_address, id) = id;
  }
  fprintf(h->f, "%c %" PRIx64 "\n", s->event.kind == GPM_EVENT_FREED ? '-' : '+',
          gpm_map_find(&h->by_address, b->unique_address, 0));
  return true;
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static void write_head(struct heaptrack *h) {
  enum { HEAPTRACK = 0x10400, FORMAT = 3, PAGE = 4096 };
  const struct gpm_reader *r = h->x->reader;
  char *command = gpm_export_command(h->x);
  fprintf(h->f, "v %x %x\nX %s\n", (unsigned)HEAPTRACK, (unsigned)FORMAT, command);
  free(command);
  uint64_t memory = 0;
  for (uint32_t i = 0; i < r->device_count; i++)
    if (r->devices[i].ordinal >= 0) memory += r->devices[i].memory_total;
  if (h->x->profile->all_cells_shown)
    fprintf(h->f, "I %x %" PRIx64 "\n", (unsigned)PAGE, memory / PAGE);
  /* heaptrack was attached later: blocks from before it are not in the file */
  if (!gpm_walk_is_whole(r)) fputs("A\n", h->f);
}

bool gpm_export_heaptrack(const struct gpm_export *x) {
  struct heaptrack h = {.x = x, .f = x->file};
  struct gpm_listener listener = {.self = &h, .profile = x->profile, .step = write_step};
  h.of_frame = gpm_memory_array(x->frames->keys.count, sizeof *h.of_frame);
  h.of_node = gpm_memory_array(x->profile->node_count, sizeof *h.of_node);
  h.recent = gpm_memory_array(RECENT, sizeof *h.recent);
  write_head(&h);
  bool ok = gpm_walk_read(x->reader, &listener, 1);
  write_time(&h, x->reader->header.last_ns - x->reader->header.first_ns);
  free(h.of_frame);
  free(h.of_node);
  free(h.recent);
  gpm_words_free(&h.texts);
  gpm_map_free(&h.by_caller);
  gpm_map_free(&h.by_address);
  return ok;
}
