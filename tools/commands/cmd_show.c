/* cmd_show.c - `gpumemprof show ADDRESS_N`: the lifetime of a block, from its events. */
#include "events/listeners.h"
#include "events/replay_state.h"
#include "input/command.h"
#include "output/json.h"
#include "output/operands_json.h"
#include "output/summary.h"
#include "rows/locations.h"
#include "rows/operands.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct story {
  struct gpm_event allocated, freed;
  uint32_t number; /* the N of ADDRESS_N */
  bool was_freed;
  uint32_t failed_frees;
  uint64_t total; /* of its device, right after it was allocated */
};

struct show {
  struct gpm_input input;
  const char *what;
  uint64_t address;
  uint32_t number; /* 0: every block that this address has had */
  const struct gpm_profile *profile;
  struct gpm_replay *replay;
  struct story *story;
  uint32_t count;
};

const struct argp_option gpm_cmd_show_options[] = {
    {0},
};

/* "7f0012_3", "0x7f0012" */
static bool parse_block(struct show *o, const char *text) {
  if (!strncmp(text, "0x", 2)) text += 2;
  char *end;
  if (!strchr("0123456789abcdefABCDEF", *text) || !*text) return false;
  o->address = strtoull(text, &end, 16);
  if (*end == '_') return gpm_text_parse_count(end + 1, UINT32_MAX, &o->number) && o->number;
  return !*end;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct show *o = state->input;
  if (key == ARGP_KEY_ARG && !o->what) {
    o->what = arg;
    if (!parse_block(o, arg))
      argp_error(state, "`%s` is no block; name it as `gpumemprof events` does: 7f0012000000_1",
                 arg);
    return 0;
  }
  if (key == ARGP_KEY_END && !o->what)
    argp_error(state, "name a block as `gpumemprof events` does: 7f0012000000_1");
  return gpm_input_parse(key, arg, state, &o->input);
}

/* ---- from the events ---------------------------------------------------------------------------
 */

static struct story *story_of(const struct show *o, uint64_t address, uint32_t number) {
  for (uint32_t i = o->count; i-- > 0;)
    if (o->story[i].number == number && o->story[i].allocated.address == address)
      return &o->story[i];
  return NULL;
}

static void add_event(struct show *o, const struct gpm_event *e, const struct gpm_life *life) {
  if (!life || (o->number && life->generation != o->number)) return;
  struct story *s = story_of(o, e->address, life->generation);
  if (e->kind == GPM_EVENT_ALLOCATED) {
    o->story = gpm_memory_resize(o->story, (size_t)o->count + 1, sizeof *o->story);
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&o->profile->reader->cells, e->id);
    o->story[o->count++] = (struct story){
        .allocated = *e, .number = life->generation, .total = o->replay->devices[c->device].total};
  } else if (s && e->kind == GPM_EVENT_FREED) {
    s->freed = *e;
    s->was_freed = true;
  } else if (s && e->kind == GPM_EVENT_TAKEN_BACK) {
    s->was_freed = false;
    s->failed_frees++;
  }
}

static bool on_event(void *self, const struct gpm_event *e) {
  struct show *o = self;
  const struct gpm_life *life = gpm_replay_event(o->replay, e);
  if (e->address && gpm_event_address(e) == o->address) add_event(o, e, life);
  return true;
}

/* False after it said what is wrong. */
static bool read_events(struct show *o, struct gpm_reader *reader) {
  char error[512];
  struct gpm_listener listener = {.self = o, .event = on_event};
  o->replay = gpm_replay_new(o->profile);
  bool received = gpm_listeners_read(reader, &listener, 1, error, sizeof error);
  gpm_replay_free(o->replay);
  if (!received) return gpm_say("%s", error), false;
  if (!o->count)
    gpm_say("%s has no allocation of a block %s; `gpumemprof events` lists them", reader->path,
            o->what);
  return o->count;
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static const struct gpumemprof_capture_cell *cell_of(const struct show *o, const struct story *s) {
  return gpm_reader_record(&o->profile->reader->cells, s->allocated.id);
}

static uint32_t freed_at(const struct show *o, const struct story *s) {
  return gpm_event_node(o->profile->reader, &s->freed);
}

static bool is_at_peak(const struct show *o, const struct story *s) {
  uint64_t peak = o->profile->reader->devices[cell_of(o, s)->device].peak_clock;
  return s->allocated.clock <= peak && (!s->was_freed || peak < s->freed.clock);
}

static uint64_t time_of(const struct show *o, const struct gpm_event *e) {
  return gpm_reader_time_ns(o->profile->reader, e->ticks);
}

static void print_what(const struct show *o, const struct story *s, unsigned style) {
  const struct gpm_profile *p = o->profile;
  const struct gpumemprof_capture_cell *c = cell_of(o, s);
  const struct gpm_event *a = &s->allocated;
  char bytes[GPM_TEXT_NUMBER], *device = gpm_locations_device(p->reader, c->device),
                               *label = gpm_text_clean(gpm_reader_string(p->reader, c->label));
  printf("block %" PRIx64 "_%u: %s", gpm_event_address(a), s->number,
         gpm_text_bytes(bytes, (int64_t)a->bytes, style));
  if (a->padding)
    printf(" (%s requested)", gpm_text_bytes(bytes, (int64_t)(a->bytes - a->padding), style));
  printf(" of %s memory on %s%s%s\n", gpm_locations_kind(c->kind), device, *label ? ", label " : "",
         label);
  free(device);
  free(label);
}

static void print_story(const struct show *o, const struct story *s) {
  const struct gpm_profile *p = o->profile;
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  const struct gpm_event *a = &s->allocated;
  char when[GPM_TEXT_NUMBER], bytes[GPM_TEXT_NUMBER];
  uint32_t node = cell_of(o, s)->node;
  print_what(o, s, style);
  char *path = gpm_locations_path(p, node),
       *what = gpm_locations_allocation(p->reader, p->site[node]),
       *operands = a->operands == GPUMEMPROF_NONE
                       ? gpm_memory_text("")
                       : gpm_operands_of_call(p->reader, a->operands, a->operand);
  printf("  allocated  after %s (clock %" PRIu64 ") by thread %u: %s%s%s%s%s\n",
         gpm_text_duration(when, time_of(o, a)), a->clock, a->thread, path, *what ? "  " : "", what,
         *operands ? "  " : "", operands);
  printf("             %s were live on its device then\n",
         gpm_text_bytes(bytes, (int64_t)s->total, style));
  free(path);
  free(what);
  free(operands);
  if (s->failed_frees)
    printf("  %u free%s of it failed\n", s->failed_frees, s->failed_frees == 1 ? "" : "s");
  if (s->was_freed) {
    char *freed = gpm_locations_path(p, freed_at(o, s));
    printf("  freed      after %s (clock %" PRIu64 ") by thread %u: %s\n",
           gpm_text_duration(when, time_of(o, &s->freed)), s->freed.clock, s->freed.thread, freed);
    printf("  it lived   %s, %" PRIu64 " tick%s of the allocation clock\n",
           gpm_text_duration(when, time_of(o, &s->freed) - time_of(o, a)),
           s->freed.clock - a->clock, gpm_text_s(s->freed.clock - a->clock));
    free(freed);
  } else printf("  not freed%s\n", gpm_reader_is_midway(p->reader) ? " so far" : "");
  if (is_at_peak(o, s)) printf("  live at the peak of its device\n");
}

static void print_table(const struct show *o) {
  const struct gpm_reader *r = o->profile->reader;
  if (r->header.counters[GPUMEMPROF_COUNTER_events_overwritten] ||
      gpm_reader_has_part_of_history(r))
    printf("(the capture holds a part of the events: blocks are numbered from there on)\n");
  for (uint32_t i = 0; i < o->count; i++) print_story(o, &o->story[i]);
}

static json_t *json_moment(const struct show *o, const struct gpm_event *e) {
  json_t *one = gpm_json_location(o->profile, gpm_event_node(o->profile->reader, e));
  gpm_json_put(one, block_event, path,
               gpm_json_path(o->profile, gpm_event_node(o->profile->reader, e)));
  gpm_json_put(one, block_event, clock, json_integer((json_int_t)e->clock));
  gpm_json_put(one, block_event, time_ns, json_integer((json_int_t)time_of(o, e)));
  gpm_json_put(one, block_event, thread, json_integer(e->thread));
  return one;
}

static json_t *json_story(const struct show *o, const struct story *s) {
  const struct gpm_reader *r = o->profile->reader;
  const struct gpm_event *a = &s->allocated;
  const struct gpumemprof_capture_cell *c = cell_of(o, s);
  json_t *one = json_object(), *allocated = json_moment(o, a);
  gpm_json_put(one, block, address, json_integer((json_int_t)gpm_event_address(a)));
  gpm_json_put(one, block, life, json_integer(s->number));
  gpm_json_put(one, block, bytes, json_integer((json_int_t)a->bytes));
  gpm_json_put(one, block, requested, json_integer((json_int_t)(a->bytes - a->padding)));
  gpm_json_put(one, block, kind, json_string(gpm_locations_kind(c->kind)));
  gpm_json_put(one, block, device, gpm_json_device_id(r, c->device));
  gpm_json_put(one, block, label, gpm_json_text(gpm_reader_string(r, c->label)));
  if (a->operands != GPUMEMPROF_NONE)
    gpm_json_put(allocated, block_allocation, operands,
                 gpm_operands_of_call_json(r, a->operands, a->operand));
  gpm_json_put(allocated, block_allocation, device_total, json_integer((json_int_t)s->total));
  gpm_json_put(one, block, allocated, allocated);
  gpm_json_put(one, block, freed, s->was_freed ? json_moment(o, &s->freed) : json_null());
  gpm_json_put(one, block, failed_frees, json_integer(s->failed_frees));
  gpm_json_put(one, block, at_peak, json_boolean(is_at_peak(o, s)));
  return one;
}

int gpm_cmd_show_run(const struct gpm_command *command, int argc, char **argv) {
  struct show o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
  o.profile = profile;
  gpm_progress("reading events");
  bool found = read_events(&o, reader);
  gpm_progress(NULL);
  if (found && o.input.format != GPM_FORMAT_TABLE) {
    gpm_json_begin(profile, show, blocks);
    for (uint32_t i = 0; i < o.count; i++) gpm_json_item(json_story(&o, &o.story[i]), !i);
    gpm_json_end(profile);
  } else if (found) print_table(&o);
  free(o.story);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  return found ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}
