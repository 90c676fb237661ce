/* oom_json.c - makes the JSON of an allocation that failed for lack of memory, with all its lists
 * at full length. Called by cmd_oom.c. */
#include "output/oom_json.h"
#include "output/json.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>

static void set(json_t *into, const char *name, uint64_t number) {
  json_object_set_new(into, name, json_integer((json_int_t)number));
}

/* Sets a number, or null if it is not known. */
static void set_known(json_t *into, const char *name, bool known, int64_t number) {
  json_object_set_new(into, name, known ? json_integer(number) : json_null());
}

static json_t *amount(json_t *into, const struct gpumemprof_capture_amount *a) {
  set(into, GPM_JSON_NAME(amount, bytes), a->bytes);
  set(into, GPM_JSON_NAME(amount, blocks), a->blocks);
  return into;
}

static json_t *by_kind(const struct gpumemprof_capture_oom *o) {
  json_t *kinds = json_object();
  for (uint32_t k = 0; k < GPUMEMPROF_KIND_COUNT; k++)
    if (o->live[k].blocks)
      json_object_set_new(kinds, gpm_locations_kind(k), amount(json_object(), &o->live[k]));
  return kinds;
}

static json_t *kind_or_null(uint32_t kind) {
  return kind < GPUMEMPROF_KIND_COUNT ? json_string(gpm_locations_kind(kind)) : json_null();
}

static json_t *lines(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->lines; i++) {
    json_t *one = amount(gpm_json_location(p, o->line[i].node), &o->line[i].live),
           *kinds = json_array();
    for (uint32_t k = 0; k < GPUMEMPROF_KIND_COUNT; k++)
      if (o->line[i].kinds >> k & 1)
        json_array_append_new(kinds, json_string(gpm_locations_kind(k)));
    uint32_t calls = gpm_oom_calls(p, o, o->line[i].node);
    set(one, GPM_JSON_NAME(oom_line, others), calls ? calls - 1 : 0);
    gpm_json_put(one, oom_line, kinds, kinds);
    gpm_json_put(one, oom_line, largest_path, gpm_json_path(p, o->line[i].node));
    set(one, GPM_JSON_NAME(oom_line, largest_path_bytes), o->line[i].node_bytes);
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *paths(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *cell =
        gpm_reader_record(&p->reader->cells, o->path[i].cell);
    json_t *one = amount(gpm_json_location(p, cell->node), &o->path[i].live);
    gpm_json_put(one, oom_path, kind, kind_or_null(cell->kind));
    gpm_json_put(one, oom_path, label, gpm_json_text(gpm_reader_string(p->reader, cell->label)));
    gpm_json_put(one, oom_path, path, gpm_json_path(p, cell->node));
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *pools(const struct gpm_reader *r, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->pools; i++) {
    const struct gpumemprof_capture_pool *pool = gpm_reader_record(&r->pools, o->pool[i].pool);
    json_t *one = json_object();
    char *name = gpm_locations_pool(r, pool);
    gpm_json_put(one, oom_pool, name, gpm_json_text(name));
    set(one, GPM_JSON_NAME(oom_pool, handle), pool->handle);
    set(one, GPM_JSON_NAME(oom_pool, used), o->pool[i].used);
    set(one, GPM_JSON_NAME(oom_pool, reserved), o->pool[i].reserved);
    json_array_append_new(list, one);
    free(name);
  }
  return list;
}

static json_t *custom_pools(const struct gpm_reader *r, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->custom_pools; i++) {
    const struct gpumemprof_capture_oom_custom *c = &o->custom_pool[i];
    const struct gpumemprof_capture_custom_pool *p = gpm_reader_record(&r->custom_pools, c->pool);
    json_t *one = json_object();
    gpm_json_put(one, oom_custom_pool, name, gpm_json_text(gpm_reader_string(r, p->name)));
    set(one, GPM_JSON_NAME(oom_custom_pool, handle), p->handle);
    set(one, GPM_JSON_NAME(oom_custom_pool, reserved), c->reserved);
    set(one, GPM_JSON_NAME(oom_custom_pool, free), c->free);
    set(one, GPM_JSON_NAME(oom_custom_pool, largest_hole), c->hole);
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *scopes(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->scopes; i++) {
    json_t *one = gpm_json_location(p, o->scope[i].node);
    set(one, GPM_JSON_NAME(oom_scope, thread), o->scope[i].thread);
    gpm_json_put(one, oom_scope, path, gpm_json_path(p, o->scope[i].node));
    gpm_json_put(one, oom_scope, net, json_integer(o->scope[i].net));
    gpm_json_put(one, oom_scope, own_peak, json_integer(o->scope[i].peak));
    json_array_append_new(list, one);
  }
  return list;
}

static void set_remedy(json_t *json, const struct gpm_profile *p, const struct gpm_oom *oom) {
  const struct gpumemprof_capture_oom *o = oom->record;
  uint32_t count;
  uint64_t bytes;
  enum gpumemprof_oom_remedy remedy = gpumemprof_oom_remedy(o, &count, &bytes);
  bool one = remedy == GPUMEMPROF_OOM_FREE_LINE, several = remedy == GPUMEMPROF_OOM_FREE_LINES;
  set(json, GPM_JSON_NAME(out_of_memory, lacking), gpumemprof_oom_lacking(o));
  gpm_json_put(json, out_of_memory, remedy, json_string(gpm_oom_remedy_name(remedy)));
  char *caller = one ? gpm_oom_part(p, o, count, &bytes) : NULL;
  set(json, GPM_JSON_NAME(out_of_memory, remedy_bytes), bytes);
  set_known(json, GPM_JSON_NAME(out_of_memory, remedy_lines), one || several, one ? 1 : count);
  gpm_json_put(json, out_of_memory, remedy_place,
               one ? gpm_json_location(p, o->line[count].node) : json_null());
  gpm_json_put(json, out_of_memory, remedy_through, caller ? gpm_json_text(caller) : json_null());
  free(caller);
  size_t texts;
  char **advice = gpm_oom_advice(p, oom, 0, &texts);
  json_t *list = json_array();
  for (size_t i = 0; i < texts; i++) {
    json_array_append_new(list, gpm_json_text(advice[i]));
    free(advice[i]);
  }
  free(advice);
  gpm_json_put(json, out_of_memory, advice, list);
}

json_t *gpm_oom_json(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  const struct gpm_reader *r = p->reader;
  struct gpm_oom oom = gpm_oom_of(o);
  json_t *json = gpm_json_location(p, o->node);
  const char *not_gpu = gpm_locations_not_gpu(o->ordinal);
  gpm_json_put(json, out_of_memory, path, gpm_json_path(p, o->node));
  set(json, GPM_JSON_NAME(out_of_memory, time_ns), gpm_reader_time_ns(r, o->ticks));
  set(json, GPM_JSON_NAME(out_of_memory, clock), o->clock);
  set(json, GPM_JSON_NAME(out_of_memory, thread), o->thread);
  gpm_json_put(json, out_of_memory, device,
               o->ordinal == GPUMEMPROF_OOM_UNKNOWN_DEVICE ? json_null()
               : not_gpu                                   ? json_string(not_gpu)
                                                           : json_integer(o->ordinal));
  gpm_json_put(json, out_of_memory, kind, kind_or_null(o->kind));
  set_known(json, GPM_JSON_NAME(out_of_memory, requested), o->requested, (int64_t)o->requested);
  set_known(json, GPM_JSON_NAME(out_of_memory, memory_free), oom.memory_known,
            (int64_t)o->memory_free);
  set_known(json, GPM_JSON_NAME(out_of_memory, memory_total), oom.memory_known,
            (int64_t)o->memory_total);
  set_known(json, GPM_JSON_NAME(out_of_memory, used), oom.memory_known, (int64_t)oom.used);
  set_known(json, GPM_JSON_NAME(out_of_memory, kept_by_pools), true, oom.kept_by_pools);
  set_known(json, GPM_JSON_NAME(out_of_memory, rounding), oom.memory_known && o->rounding_known,
            (int64_t)oom.rounding);
  set_known(json, GPM_JSON_NAME(out_of_memory, unaccounted), oom.memory_known, oom.unaccounted);
  gpm_json_put(json, out_of_memory, recorded,
               amount(json_object(), &(struct gpumemprof_capture_amount){o->total, o->blocks}));
  gpm_json_put(json, out_of_memory, recorded_by_kind, by_kind(o));
  gpm_json_put(json, out_of_memory, adds_up, json_boolean(oom.adds_up));
  set_remedy(json, p, &oom);
  gpm_json_put(json, out_of_memory, lines, lines(p, o));
  gpm_json_put(json, out_of_memory, other_lines, amount(json_object(), &o->other_lines));
  gpm_json_put(json, out_of_memory, paths, paths(p, o));
  gpm_json_put(json, out_of_memory, other_paths, amount(json_object(), &o->other_paths));
  set(json, GPM_JSON_NAME(out_of_memory, pools_used), o->pools_used);
  set(json, GPM_JSON_NAME(out_of_memory, pools_reserved), o->pools_reserved);
  gpm_json_put(json, out_of_memory, pools, pools(r, o));
  set(json, GPM_JSON_NAME(out_of_memory, pools_left_out), o->pools_left_out);
  gpm_json_put(json, out_of_memory, custom_pools, custom_pools(r, o));
  set(json, GPM_JSON_NAME(out_of_memory, custom_pools_left_out), o->custom_pools_left_out);
  gpm_json_put(json, out_of_memory, scopes, scopes(p, o));
  set(json, GPM_JSON_NAME(out_of_memory, scopes_left_out), o->scopes_left_out);
  return json;
}
