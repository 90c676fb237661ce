/* entries.c - see entries.h; the encoding is that of capture.h. */
#include "events/entries.h"

#include "support/memory.h"

#include "gpumemprof/capture_uses.h"

#include <stdlib.h>
#include <string.h>

void gpm_entries_begin(struct gpm_entries *in, const struct gpumemprof_chunk *chunk,
                       uint64_t used) {
  const struct gpumemprof_capture_events *first = (const void *)(chunk + 1);
  in->at = (const unsigned char *)(first + 1);
  in->stop = (const unsigned char *)first + used;
  in->clock = in->latest = first->clock;
  in->time = first->time;
  in->address = in->size = in->first_value = 0;
  gpm_use_values_next_chunk(&in->uses);
}

void gpm_entries_free(struct gpm_entries *in) {
  for (unsigned slot = 0; slot < 2; slot++) free(in->values[slot]);
  gpm_use_values_free(&in->uses);
}

/* A number of several bytes. It is not inlined, since compilers make larger and slower code of many
 * such loops behind one another. */
__attribute__((noinline)) static uint64_t take_long(struct gpm_entries *in) {
  const unsigned char *at = in->at, *stop = in->stop;
  uint64_t number = 0;
  for (unsigned shift = 0; at < stop && shift < 64; shift += 7) {
    unsigned char byte = *at++;
    number |= (uint64_t)(byte & 127) << shift;
    if (byte >= 128) continue;
    in->at = at;
    return number;
  }
  in->broken = true;
  return 0;
}

/* Returns the next number. If there is none, it sets in->broken, and the number is of no use. */
static inline uint64_t take(struct gpm_entries *in) {
  return in->at == in->stop || *in->at >= 128 ? take_long(in) : *in->at++;
}

/* A record of OPERANDS may be newer than the reading of the file. Its event has no operands then.
 */
static bool decode_operands(struct gpm_entries *in, const struct gpm_reader *r) {
  take(in); /* the clock, which is that of the event */
  uint64_t record = take(in), count = take(in);
  if (in->broken || !count || count > GPUMEMPROF_OPERANDS) return false;
  for (uint64_t i = 0; i < count; i++) in->operand[i] = take(in);
  if (in->broken) return false;
  const struct gpumemprof_capture_operands *o =
      record < r->operands.count ? gpm_reader_record(&r->operands, record) : NULL;
  if (o && o->count != count) return false;
  in->operands = o ? (uint32_t)record : GPUMEMPROF_NONE;
  return true;
}

/* Reads the values of a use, or finds those that it repeats. Null: the event is impossible. */
static const uint64_t *decode_values(struct gpm_entries *in, uint32_t record, uint32_t count,
                                     uint64_t flags) {
  if (flags & GPUMEMPROF_USE_AGAIN && count) return gpm_use_values_repeat(&in->uses, record);
  uint64_t before = in->first_value, *value = gpm_use_values_write(&in->uses, record, count);
  for (uint32_t i = 0; i < count && !in->broken; i++) {
    uint64_t distance = take(in);
    before = value[i] = before + (distance >> 1 ^ (0 - (distance & 1)));
  }
  if (count) in->first_value = value[0];
  return in->broken ? NULL : value;
}

/* The values are copied, because the next event of the record replaces them. */
static void keep_values(struct gpm_entries *in, struct gpm_event *e, const uint64_t *value,
                        uint32_t count) {
  unsigned slot = e == &in->slot[1];
  if (count > in->room[slot]) {
    in->values[slot] = gpm_memory_resize(in->values[slot], count, sizeof *value);
    in->room[slot] = count;
  }
  if (count) memcpy(in->values[slot], value, count * sizeof *value);
  e->value = in->values[slot];
}

static bool decode_use(struct gpm_entries *in, const struct gpm_reader *r, struct gpm_event *e) {
  uint64_t clock = take(in), time = take(in), record = take(in), flags = take(in);
  if (in->broken || record >= r->uses.count) return false;
  const struct gpumemprof_capture_use *use = gpm_reader_record(&r->uses, record);
  const uint64_t *value = decode_values(in, (uint32_t)record, use->values, flags);
  if (!value) return false;
  keep_values(in, e, value, use->values);
  in->time += time;
  e->kind = GPM_EVENT_USED;
  e->clock = in->clock + clock;
  e->ticks = in->time << GPUMEMPROF_EVENT_TIME_BITS;
  e->id = (uint32_t)record;
  return true;
}

/* The ticks of which these are the lowest 48 bits. The latest time is before them, or a little
 * later if it was taken on another core; then that is the time. */
static uint64_t ticks_of(const struct gpm_entries *in, uint64_t low) {
  uint64_t base = in->time << GPUMEMPROF_EVENT_TIME_BITS, later = (low - base) << 16 >> 16;
  uint64_t ticks = later < (uint64_t)1 << 47 ? base + later : base;
  return ticks >> GPUMEMPROF_EVENT_TIME_BITS << GPUMEMPROF_EVENT_TIME_BITS; /* as those of others */
}

static bool decode_repeated(struct gpm_entries *in, const struct gpm_reader *r,
                            struct gpm_event *e) {
  if (in->stop - in->at < (ptrdiff_t)GPUMEMPROF_REPEATED_LENGTH - 1) return false;
  uint64_t parts;
  memcpy(&parts, in->at, sizeof parts);
  in->at += sizeof parts;
  uint32_t record = (uint16_t)parts;
  if (record >= r->uses.count) return false;
  const struct gpumemprof_capture_use *use = gpm_reader_record(&r->uses, record);
  const uint64_t *value = use->values ? gpm_use_values_repeat(&in->uses, record) : NULL;
  if (use->values && !value) return false;
  keep_values(in, e, value, use->values);
  e->kind = GPM_EVENT_USED;
  e->clock = in->latest;
  e->ticks = ticks_of(in, parts >> 16);
  e->id = record;
  return true;
}

static bool decode_other(struct gpm_entries *in, const struct gpm_reader *r, uint64_t what,
                         struct gpm_event *e, bool *found) {
  bool failed = what == GPUMEMPROF_OTHER_FAILED;
  if (what == GPUMEMPROF_OTHER_USE) return decode_use(in, r, e);
  uint64_t clock = take(in), node = take(in);
  if (node >= gpm_reader_recorded_nodes(r) || (!failed && what != GPUMEMPROF_OTHER_SCOPE))
    return false;
  e->kind = failed ? GPM_EVENT_FAILED : GPM_EVENT_SCOPE_ENDED;
  e->clock = in->clock + clock;
  e->id = gpm_reader_node(r, (uint32_t)node);
  *found = failed || !gpm_reader_left_out(r, (uint32_t)node);
  e->bytes = failed ? take(in) : 0;
  e->out_of_memory = failed && take(in);
  return !in->broken;
}

/* Gives an event the operands that were recorded right before it. */
static void give_operands(struct gpm_entries *in, struct gpm_event *e) {
  e->operands = e->kind == GPM_EVENT_ALLOCATED || e->kind == GPM_EVENT_FAILED ? in->operands
                                                                              : GPUMEMPROF_NONE;
  if (e->operands != GPUMEMPROF_NONE) memcpy(e->operand, in->operand, sizeof e->operand);
  in->operands = GPUMEMPROF_NONE;
}

static bool decode_event(struct gpm_entries *in, const struct gpm_reader *r, unsigned byte,
                         struct gpm_event *e) {
  unsigned kind = byte & GPUMEMPROF_EVENT_KIND;
  uint64_t between = byte & GPUMEMPROF_EVENT_CLOCK ? take(in) : 0;
  uint64_t time = take(in), id = take(in), distance = take(in);
  bool allocated = kind == GPUMEMPROF_EVENT_ALLOCATED;
  if (id >= (allocated ? r->cells.count : r->pairs.count)) return false;
  uint64_t step = distance >> 1 ^ (0 - (distance & 1));
  in->address += byte & GPUMEMPROF_EVENT_BYTES ? step : step * 512;
  in->clock += 1 + between;
  in->time += time;
  if (byte & GPUMEMPROF_EVENT_SIZE) {
    uint64_t size = take(in);
    in->size = size & 1 ? (size >> 1) * 512 : size >> 1;
  }
  e->padding = byte & GPUMEMPROF_EVENT_PADDING ? take(in) : 0;
  e->kind = allocated                        ? GPM_EVENT_ALLOCATED
            : kind == GPUMEMPROF_EVENT_FREED ? GPM_EVENT_FREED
                                             : GPM_EVENT_TAKEN_BACK;
  e->clock = in->clock;
  e->ticks = in->time << GPUMEMPROF_EVENT_TIME_BITS;
  e->id = (uint32_t)id;
  e->address = in->address;
  e->bytes = allocated ? in->size : 0;
  return !in->broken;
}

bool gpm_entries_decode(struct gpm_entries *in, const struct gpm_reader *r, struct gpm_event *e,
                        bool *found) {
  unsigned byte = *in->at++;
  bool is_other = (byte & GPUMEMPROF_EVENT_KIND) == GPUMEMPROF_EVENT_OTHER;
  bool repeated = is_other && byte & GPUMEMPROF_EVENT_REPEATED;
  uint64_t what = is_other && !repeated ? take(in) : 0;
  *found = what != GPUMEMPROF_OTHER_OPERANDS;
  if (!*found) return decode_operands(in, r);
  *e = (struct gpm_event){.thread = in->thread, .ticks = in->time << GPUMEMPROF_EVENT_TIME_BITS};
  bool possible = repeated   ? decode_repeated(in, r, e)
                  : is_other ? decode_other(in, r, what, e, found)
                             : decode_event(in, r, byte, e);
  if (!possible) return false;
  if (!*found) return true;
  in->latest = e->clock;
  give_operands(in, e);
  return true;
}
