/* object.h - handles. Each begins with this header and is known until it is destroyed. */
#ifndef GPUMEMPROF_SIM_OBJECT_H
#define GPUMEMPROF_SIM_OBJECT_H

#include "base/tree.h"

#include <stddef.h>

enum gpm_sim_type {
  GPM_SIM_CONTEXT = 1,
  GPM_SIM_STREAM,
  GPM_SIM_EVENT,
  GPM_SIM_POOL,
  GPM_SIM_ARRAY,
  GPM_SIM_MIPMAP,
  GPM_SIM_TEXTURE,
  GPM_SIM_MODULE,
  GPM_SIM_FUNCTION,
  GPM_SIM_GRAPH,
  GPM_SIM_NODE,
  GPM_SIM_EXEC,
  GPM_SIM_PHYSICAL,
  GPM_SIM_EXTERNAL,
  GPM_SIM_GREEN,
  GPM_SIM_RESOURCE
};
struct gpm_sim_context;
struct gpm_sim_object {
  struct gpm_sim_range range; /* the object's own address, size 1 */
  enum gpm_sim_type type;
  struct gpm_sim_context *context; /* whose end destroys the object; may be null */
  void (*release)(void *object);   /* called at its end to free what the object owns; may be null */
};
void *gpm_sim_object_create(enum gpm_sim_type type, size_t size, struct gpm_sim_context *context);
void *gpm_sim_object_get(const void *handle, enum gpm_sim_type type); /* null: no such handle */
/* The first of that type at the address or later, in no useful order; null: none. */
void *gpm_sim_object_next(uint64_t address, enum gpm_sim_type type);
void gpm_sim_object_destroy(void *object);
void gpm_sim_object_destroy_all(struct gpm_sim_context *context);

#endif /* GPUMEMPROF_SIM_OBJECT_H */
