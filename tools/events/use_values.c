/* use_values.c - see use_values.h. */
#include "events/use_values.h"

#include "support/memory.h"

static struct gpm_use_value_list *list_of(struct gpm_use_values *v, uint32_t record) {
  uint64_t i = *gpm_map_at(&v->by_record, record, v->count);
  if (i < v->count) return &v->list[i];
  if (v->count == v->room) {
    v->room = v->room ? v->room * 2 : 16;
    v->list = gpm_memory_resize(v->list, v->room, sizeof *v->list);
  }
  v->list[v->count] = (struct gpm_use_value_list){0};
  return &v->list[v->count++];
}

uint64_t *gpm_use_values_write(struct gpm_use_values *v, uint32_t record, uint32_t count) {
  struct gpm_use_value_list *l = list_of(v, record);
  if (!l->value) l->value = gpm_memory_array(count, sizeof *l->value);
  l->chunk = v->chunk;
  return l->value;
}

const uint64_t *gpm_use_values_repeat(struct gpm_use_values *v, uint32_t record) {
  const struct gpm_use_value_list *l = list_of(v, record);
  return l->value && l->chunk == v->chunk ? l->value : NULL;
}

void gpm_use_values_free(struct gpm_use_values *v) {
  for (size_t i = 0; i < v->count; i++) free(v->list[i].value);
  free(v->list);
  gpm_map_free(&v->by_record);
}
