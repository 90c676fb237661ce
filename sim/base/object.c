/* object.c - handles of streams, events, pools, contexts and other objects. A valid handle is in
 * the tree below, so that a stale or unknown one is an error and not a crash, as with a real
 * driver.
 */
#include "base/object.h"
#include "base/lock.h"
#include "base/tree.h"

#include <stdlib.h>

static struct gpm_sim_tree live;

void *gpm_sim_object_create(enum gpm_sim_type type, size_t size, struct gpm_sim_context *context) {
  struct gpm_sim_object *object = calloc(1, size);
  if (!object) return NULL;
  GPM_SIM_LOCKED;
  object->range.start = (uintptr_t)object;
  object->range.size = 1;
  object->type = type;
  object->context = context;
  gpm_sim_tree_insert(&live, &object->range);
  return object;
}

void *gpm_sim_object_get(const void *handle, enum gpm_sim_type type) {
  GPM_SIM_LOCKED;
  struct gpm_sim_object *object =
      (struct gpm_sim_object *)gpm_sim_tree_find(&live, (uintptr_t)handle);
  return object && object->type == type ? object : NULL;
}

void *gpm_sim_object_next(uint64_t address, enum gpm_sim_type type) {
  GPM_SIM_LOCKED;
  struct gpm_sim_object *object;
  while ((object = (struct gpm_sim_object *)gpm_sim_tree_next(&live, address))) {
    if (object->type == type) return object;
    address = object->range.start + 1;
  }
  return NULL;
}

void gpm_sim_object_destroy(void *handle) {
  GPM_SIM_LOCKED;
  struct gpm_sim_object *object = handle;
  gpm_sim_tree_remove(&live, &object->range);
  if (object->release) object->release(object);
  free(object);
}

void gpm_sim_object_destroy_all(struct gpm_sim_context *context) {
  GPM_SIM_LOCKED;
  uint64_t from = 0;
  struct gpm_sim_object *object;
  while ((object = (struct gpm_sim_object *)gpm_sim_tree_next(&live, from))) {
    from = object->range.start + 1;
    if (object->context == context) gpm_sim_object_destroy(object);
  }
}
