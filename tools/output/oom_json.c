/* oom_json.c - an allocation that was out of memory as JSON, all of its lists at full length.
 * Called by cmd_oom.c.
 */
#include "output/oom_json.h"
#include "output/json.h"
#include "rows/places.h"
#include "support/text.h"

#include <stdlib.h>

static void set(json_t *into, const char *name, uint64_t number) {
  json_object_set_new(into, name, json_integer((json_int_t)number));
}

/* A number, or null where it is not known. */
static void set_known(json_t *into, const char *name, bool known, int64_t number) {
  json_object_set_new(into, name, known ? json_integer(number) : json_null());
}

static json_t *amount(json_t *into, const struct gpumemprof_capture_amount *a) {
  set(into, "bytes", a->bytes);
  set(into, "blocks", a->blocks);
  return into;
}

static json_t *by_kind(const struct gpumemprof_capture_oom *o) {
  json_t *kinds = json_object();
  for (uint32_t k = 0; k < GPUMEMPROF_KIND_COUNT; k++)
    if (o->live[k].blocks)
      json_object_set_new(kinds, gpm_places_kind(k), amount(json_object(), &o->live[k]));
  return kinds;
}

static json_t *kind_or_null(uint32_t kind) {
  return kind < GPUMEMPROF_KIND_COUNT ? json_string(gpm_places_kind(kind)) : json_null();
}

static json_t *lines(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->lines; i++) {
    json_t *one = amount(gpm_json_place(p, o->line[i].node), &o->line[i].live),
           *kinds = json_array();
    for (uint32_t k = 0; k < GPUMEMPROF_KIND_COUNT; k++)
      if (o->line[i].kinds >> k & 1) json_array_append_new(kinds, json_string(gpm_places_kind(k)));
    json_object_set_new(one, "kinds", kinds);
    json_object_set_new(one, "largest_path", gpm_json_path(p, o->line[i].node));
    set(one, "largest_path_bytes", o->line[i].node_bytes);
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *paths(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *cell =
        gpm_reader_record(&p->reader->cells, o->path[i].cell);
    json_t *one = amount(gpm_json_place(p, cell->node), &o->path[i].live);
    json_object_set_new(one, "kind", kind_or_null(cell->kind));
    json_object_set_new(one, "label", gpm_json_text(gpm_reader_string(p->reader, cell->label)));
    json_object_set_new(one, "path", gpm_json_path(p, cell->node));
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *pools(const struct gpm_reader *r, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->pools; i++) {
    const struct gpumemprof_capture_pool *pool = gpm_reader_record(&r->pools, o->pool[i].pool);
    json_t *one = json_object();
    char *name = gpm_places_pool(r, pool);
    json_object_set_new(one, "name", gpm_json_text(name));
    set(one, "handle", pool->handle);
    set(one, "used", o->pool[i].used);
    set(one, "reserved", o->pool[i].reserved);
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
    json_object_set_new(one, "name", gpm_json_text(gpm_reader_string(r, p->name)));
    set(one, "handle", p->handle);
    set(one, "reserved", c->reserved);
    set(one, "free", c->free);
    set(one, "largest_hole", c->hole);
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *scopes(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->scopes; i++) {
    json_t *one = gpm_json_place(p, o->scope[i].node);
    set(one, "thread", o->scope[i].thread);
    json_object_set_new(one, "path", gpm_json_path(p, o->scope[i].node));
    json_object_set_new(one, "net", json_integer(o->scope[i].net));
    json_object_set_new(one, "own_peak", json_integer(o->scope[i].peak));
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
  set(json, "lacking", gpumemprof_oom_lacking(o));
  json_object_set_new(json, "remedy", json_string(gpm_oom_remedy_name(remedy)));
  set(json, "remedy_bytes", bytes);
  set_known(json, "remedy_lines", one || several, one ? 1 : count);
  json_object_set_new(json, "remedy_place",
                      one ? gpm_json_place(p, o->line[count].node) : json_null());
  size_t texts;
  char **advice = gpm_oom_advice(p, oom, 0, &texts);
  json_t *list = json_array();
  for (size_t i = 0; i < texts; i++) {
    json_array_append_new(list, gpm_json_text(advice[i]));
    free(advice[i]);
  }
  free(advice);
  json_object_set_new(json, "advice", list);
}

json_t *gpm_oom_json(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o) {
  const struct gpm_reader *r = p->reader;
  struct gpm_oom oom = gpm_oom_of(o);
  json_t *json = gpm_json_place(p, o->node);
  const char *apart = gpm_places_apart(o->ordinal);
  json_object_set_new(json, "path", gpm_json_path(p, o->node));
  set(json, "time_ns", gpm_reader_time_ns(r, o->ticks));
  set(json, "clock", o->clock);
  set(json, "thread", o->thread);
  json_object_set_new(json, "device",
                      o->ordinal == GPUMEMPROF_OOM_UNKNOWN_DEVICE ? json_null()
                      : apart                                     ? json_string(apart)
                                                                  : json_integer(o->ordinal));
  json_object_set_new(json, "kind", kind_or_null(o->kind));
  set_known(json, "requested", o->requested, (int64_t)o->requested);
  set_known(json, "memory_free", oom.memory_known, (int64_t)o->memory_free);
  set_known(json, "memory_total", oom.memory_known, (int64_t)o->memory_total);
  set_known(json, "used", oom.memory_known, (int64_t)oom.used);
  set_known(json, "kept_by_pools", true, oom.kept_by_pools);
  set_known(json, "rounding", oom.memory_known && o->rounding_known, (int64_t)oom.rounding);
  set_known(json, "unaccounted", oom.memory_known, oom.unaccounted);
  json_object_set_new(
      json, "recorded",
      amount(json_object(), &(struct gpumemprof_capture_amount){o->total, o->blocks}));
  json_object_set_new(json, "recorded_by_kind", by_kind(o));
  json_object_set_new(json, "adds_up", json_boolean(oom.adds_up));
  set_remedy(json, p, &oom);
  json_object_set_new(json, "lines", lines(p, o));
  json_object_set_new(json, "other_lines", amount(json_object(), &o->other_lines));
  json_object_set_new(json, "paths", paths(p, o));
  json_object_set_new(json, "other_paths", amount(json_object(), &o->other_paths));
  set(json, "pools_used", o->pools_used);
  set(json, "pools_reserved", o->pools_reserved);
  json_object_set_new(json, "pools", pools(r, o));
  set(json, "pools_left_out", o->pools_left_out);
  json_object_set_new(json, "custom_pools", custom_pools(r, o));
  set(json, "custom_pools_left_out", o->custom_pools_left_out);
  json_object_set_new(json, "scopes", scopes(p, o));
  set(json, "scopes_left_out", o->scopes_left_out);
  return json;
}
