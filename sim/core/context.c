/* context.c - contexts, the stack of them a thread has, and which device is current.
 *
 * The runtime API's device is that of the context on top of the stack; a thread without one has a
 * number to start from. Destroying a context frees what was made in it.
 */
#include "sim.h"

/* Defaults as a data-centre device reports them, by cudaLimit. */
static const uint64_t default_limits[8] = {1024, 7340032, 8388608, 2, 2048, 64, 0, 0};

struct gpm_sim_context *gpm_sim_context_create(int device, unsigned flags) {
  static uint64_t ids;
  struct gpm_sim_context *context = gpm_sim_object_create(GPM_SIM_CONTEXT, sizeof *context, NULL);
  if (!context) return NULL;
  GPM_SIM_LOCKED;
  context->device = device;
  context->flags = flags;
  context->active = true;
  context->id = ++ids;
  for (int i = 0; i < 8; i++) context->limits[i] = default_limits[i];
  return context;
}

struct gpm_sim_context *gpm_sim_context_primary(int device) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *d = gpm_sim_device(device);
  if (!d) return NULL;
  if (!d->primary) {
    d->primary = gpm_sim_context_create(device, 0);
    if (!d->primary) return NULL;
    d->primary->primary = true;
  }
  d->primary->active = true;
  return d->primary;
}

struct gpm_sim_context *gpm_sim_context_get(const void *handle) {
  struct gpm_sim_context *context = gpm_sim_object_get(handle, GPM_SIM_CONTEXT);
  return context && context->active ? context : NULL;
}

void gpm_sim_context_clear(struct gpm_sim_context *context) {
  GPM_SIM_LOCKED;
  gpm_sim_block_free_all(context);
  gpm_sim_object_destroy_all(context);
  context->peers = 0;
  for (int i = 0; i < 8; i++) context->limits[i] = default_limits[i];
}

void gpm_sim_context_destroy(struct gpm_sim_context *context) {
  GPM_SIM_LOCKED;
  gpm_sim_context_clear(context);
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (thread->depth && thread->stack[thread->depth - 1] == context) thread->depth--;
  if (context->primary) context->active = false; /* the handle stays that of the device */
  else gpm_sim_object_destroy(context);
}

int gpm_sim_context_push(struct gpm_sim_context *context) {
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (thread->depth == GPM_SIM_MAX_CONTEXTS) return GPM_SIM_INVALID_VALUE;
  thread->stack[thread->depth++] = context;
  return GPM_SIM_OK;
}

void gpm_sim_context_set(struct gpm_sim_context *context) {
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (thread->depth) thread->depth--;
  if (context) {
    thread->stack[thread->depth++] = context;
    thread->device = context->device;
  }
}

struct gpm_sim_context *gpm_sim_context_current(void) {
  GPM_SIM_LOCKED;
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (!thread->depth) return NULL;
  /* Another thread may have destroyed it. */
  return gpm_sim_context_get(thread->stack[thread->depth - 1]);
}

static bool initialized;

void gpm_sim_initialize(void) {
  GPM_SIM_LOCKED;
  initialized = true;
}

bool gpm_sim_initialized(void) {
  GPM_SIM_LOCKED;
  return initialized;
}

struct gpm_sim_context *gpm_sim_context_ensure(void) {
  GPM_SIM_LOCKED;
  initialized = true;
  struct gpm_sim_context *context = gpm_sim_context_current();
  if (context) return context;
  context = gpm_sim_context_primary(gpm_sim_thread()->device);
  if (context) gpm_sim_context_set(context);
  return context;
}

int gpm_sim_current_device(void) {
  struct gpm_sim_context *context = gpm_sim_context_current();
  return context ? context->device : gpm_sim_thread()->device;
}
